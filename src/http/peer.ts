import type { Context } from 'koa';
import type { Peer } from './services.ts';

/** Where a request comes from. Forwarding headers are believed in one way only: against the request. */
export function peerOf(ctx: Context): Peer {
  const address = ctx.req.socket.remoteAddress ?? 'unknown';
  const forwarded = forwardingHeaders.some((name) => ctx.req.headers[name] !== undefined);
  const host = (ctx.req.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  return {
    address,
    local: !forwarded && loopback.test(address) && localHosts.has(host),
  };
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
