import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Context } from 'koa';
import type { Peer } from './services.ts';

/**
 * Where a request comes from. Forwarding headers of just anybody count only against the request;
 * what a trusted proxy (`server.trusted_proxies`) forwards counts as the address.
 */
export function peerOf(ctx: Context, trustedProxies: readonly string[] = []): Peer {
  const { headers, socket } = ctx.req;
  const forwarded = forwardingHeaders.some((name) => headers[name] !== undefined);
  const host = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  return {
    address: clientAddress(ctx.req, trustedProxies),
    local: !forwarded && loopback.test(socket.remoteAddress ?? '') && localHosts.has(host),
  };
}

/**
 * The address of the client: the socket's other end, or, as long as that is a trusted proxy, the
 * one before it in `X-Forwarded-For`, which each proxy appends to. What stands further left anybody
 * may have written.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: readonly string[]): string {
  let address = request.socket.remoteAddress ?? 'unknown';
  if (trustedProxies.length === 0) return address;
  const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
  while (hops.length > 0 && isTrusted(address, trustedProxies)) {
    const before = withoutPort(hops.pop()!.trim());
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
];
const loopback = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;
const localHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** By the list they were made from, which settings keep as long as it is the same. */
const networks = new WeakMap<readonly string[], BlockList>();

function isTrusted(address: string, trustedProxies: readonly string[]): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  let known = networks.get(trustedProxies);
  if (!known) {
    known = new BlockList();
    for (const entry of trustedProxies) {
      const [network = '', bits] = entry.split('/');
      const kind = isIP(network) === 4 ? 'ipv4' : 'ipv6';
      known.addSubnet(network, Number(bits ?? (kind === 'ipv4' ? 32 : 128)), kind);
    }
    networks.set(trustedProxies, known);
  }
  return known.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** `192.0.2.1:5000` and `[2001:db8::1]:5000`, as some proxies write it. */
const withoutPort = (hop: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
