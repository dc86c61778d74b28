import proxyAddr from 'proxy-addr';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { isIP, type Socket, SocketAddress } from 'node:net';
import { endianness } from 'node:os';
import { oncePer } from '../shared/once-per.ts';

/**
 * The address of the client: the socket's other end, or, as long as that is a trusted proxy, the
 * one before it in `X-Forwarded-For`, which each proxy appends to. What stands further left
 * may be forged.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const { remoteAddress = 'unknown' } = request.socket;
  if (trustedProxies.length === 0) return remoteAddress;
  const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
  const forwarded = hops.map((hop) => withoutPort(hop.trim())).join(',');
  const known = { socket: request.socket, headers: { 'x-forwarded-for': forwarded } };
  const addresses = proxyAddr.all(known as unknown as IncomingMessage, trustOf(trustedProxies));
  // The last is of the first that is not trusted; it may be anything, such as `unknown`.
  return addresses.findLast((address) => isIP(address) > 0) ?? remoteAddress;
}

/**
 * Whether a process of the service's own user on this host sent the request itself. A reverse proxy
 * may add no header and write any `Host`, but it runs as another user.
 */
export async function isLocal({ headers, socket }: IncomingMessage): Promise<boolean> {
  if (forwardingHeaders.some((name) => headers[name] !== undefined)) return false;
  const host = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (!localHosts.has(host) || !loopback.test(socket.remoteAddress ?? '')) return false;
  return await isOfOwnUser(socket);
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

/** Whether an address is that of a trusted proxy (`server.trusted_proxies`). */
export const isTrusted = (address: string, trustedProxies: readonly string[]): boolean =>
  trustedProxies.length > 0 && trustOf(trustedProxies)(address, 0);

/**
 * Whether the other end of a connection is a socket of this process's user, by the kernel's tables of
 * connections (proc_pid_net(5)). Where there are none, or it is not in them: no.
 */
async function isOfOwnUser(socket: Socket): Promise<boolean> {
  const user = process.getuid?.();
  // The user that stands for all who have no number in this namespace.
  if (user === undefined || user === overflowUser) return false;
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  const far = `${plainAddress(remoteAddress ?? '')} ${remotePort}`;
  const near = `${plainAddress(localAddress ?? '')} ${localPort}`;
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const [, from = '', to = '', , , , , owner, , inode] = line.trim().split(/\s+/);
      // Its own end is `from`. A socket that its process has closed has no inode, and user 0.
      if (Number(owner) !== user || Number(inode) === 0) continue;
      if (endpointOf(from) === far && endpointOf(to) === near) return true;
    }
  }
  return false;
}

const overflowUser = 65_534;

/** `0100007F:1F90` → `127.0.0.1 8080`: groups of four bytes in the host's order, then the port. */
function endpointOf(entry: string): string {
  const [hex = '', port = ''] = entry.split(':');
  const bytes = Buffer.from(hex, 'hex');
  if (endianness() === 'LE') bytes.swap32();
  const address =
    bytes.length === 4 ? bytes.join('.') : bytes.toString('hex').replace(/.{4}(?=.)/g, '$&:');
  return `${plainAddress(address)} ${Number.parseInt(port, 16)}`;
}

/** An address as text in the one way; an IPv4 one that is mapped into IPv6 as itself. */
function plainAddress(address: string): string {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const plain = new SocketAddress({ address, family }).address;
  return plain.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** `192.0.2.1:5000` and `[2001:db8::1]:5000`, as some proxies write it. */
const withoutPort = (hop: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');

/** By the list they are made from, which settings keep as long as it is the same. */
const trustOf = oncePer((trusted: readonly string[]) => proxyAddr.compile([...trusted]));
