import proxyAddr from 'proxy-addr';
import type { Context, Middleware } from 'koa';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Problem } from '../problems.ts';
import type { Caller, HttpServices, Peer, State } from '../services.ts';
import { type Tickets, ticketPath } from '../tickets.ts';

/** Lets in who may call, before anything else of the request is looked at. */
export function authenticate(
  accounts: Pick<HttpServices['accounts'], 'authenticate'>,
  tickets: Tickets,
  metricsToken: () => string | null,
): Middleware<State> {
  const isMetricsToken = (token: string): boolean => {
    const expected = metricsToken();
    return expected !== null && sameSecret(token, expected);
  };
  return async (ctx, next) => {
    const access = accessTo(ctx.method, ctx.path);
    if (access === 'ticket' && typeof ctx.query['ticket'] === 'string') {
      const caller = tickets.redeem(ctx.query['ticket'], ctx.path);
      if (!caller) throw notAuthenticated('The ticket is not, or no longer, good for this.');
      ctx.state.caller = caller;
    } else if (access !== 'public') {
      const token = bearerToken(ctx.req.headers.authorization ?? '');
      const caller = token === undefined ? null : await accounts.authenticate(token);
      const watches = access === 'metrics' && token !== undefined && isMetricsToken(token);
      if (token && caller) {
        ctx.state.caller = caller;
        ctx.state.token = token;
      } else if (access !== 'upload' && !watches) {
        throw notAuthenticated();
      }
      const forAdmins = access === 'admin' || (access === 'metrics' && !watches);
      if (forAdmins && !ctx.state.caller?.isAdmin) {
        throw new Problem('not-admin', 'Ask an administrator of this service.');
      }
    }
    return next();
  };
}

/** The caller of a route that needs a login. */
export function callerOf(state: State): Caller {
  // Only a mistake in `access.ts` leads here; failing closed is the answer to it.
  if (!state.caller) throw notAuthenticated();
  return state.caller;
}

export const notAuthenticated = (
  detail = 'Log in and send the token as `Authorization: Bearer <token>`.',
): Problem =>
  new Problem('not-authenticated', detail, {
    headers: { 'WWW-Authenticate': 'Bearer realm="mitschrift"' },
  });

const bearerToken = (header: string): string | undefined =>
  /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header)?.[1];

/** Who may call what. Decided from method and path alone, before anything else is looked at. */
export type Access = 'public' | 'user' | 'admin' | 'ticket' | 'upload' | 'metrics';

/**
 * What is not named here needs a login, also paths that do not exist: a stranger learns nothing from us.
 * `path` is the raw path, as the router (case-sensitive, strict) matches it: nothing may mean two things.
 */
export function accessTo(method: string, path: string): Access {
  const reading = method === 'GET' || method === 'HEAD';
  if (method === 'POST' && (path === '/login' || path === '/setup')) return 'public';
  if (reading && publicPaths.some((pattern) => pattern.test(path))) return 'public';
  if (reading && ticketPath(path) !== undefined) return 'ticket';
  // Whoever has begun an upload may finish it, also when the session has ended: its address is the right.
  if (/^(?:HEAD|PATCH|DELETE)$/.test(method) && uploadPath(path)) return 'upload';
  // An administrator, or whoever has `metrics.token`.
  if (reading && path === '/metrics') return 'metrics';
  if (path === '/users/me') return 'user';
  if (adminPaths.some((pattern) => pattern.test(path))) return 'admin';
  return 'user';
}

const uploadPath = (path: string): boolean => /^\/uploads\/[0-9a-f]{32}$/.test(path);

const publicPaths = [
  /^\/$/,
  /^\/(health|openapi\.json|docs)$/,
  /^\/setup\/state$/,
  // The web app: its pages check the token themselves, its assets hold no secret.
  /^\/(login|setup|settings|debug|notes\/[^/]+)$/,
  /^\/(assets\/.+|[a-z][a-z0-9-]*\.(css|js|svg|ico|webmanifest))$/,
];

const adminPaths = [
  /^\/(config|users|models|audio\/sources|audio\/combined)(\/|$)/,
  /^\/(events|doctor|metrics)$/,
];

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
  const { remoteAddress = 'unknown' } = request.socket;
  if (trustedProxies.length === 0) return remoteAddress;
  const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
  const forwarded = hops.map((hop) => withoutPort(hop.trim())).join(',');
  const known = { socket: request.socket, headers: { 'x-forwarded-for': forwarded } };
  const addresses = proxyAddr.all(known as unknown as IncomingMessage, trustOf(trustedProxies));
  // The last is of the first that is not trusted; it may be anything, such as `unknown`.
  return addresses.findLast((address) => isIP(address) > 0) ?? remoteAddress;
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
const trusts = new WeakMap<readonly string[], (address: string, index: number) => boolean>();

/** `192.0.2.1:5000` and `[2001:db8::1]:5000`, as some proxies write it. */
const withoutPort = (hop: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');

/** Whether two secrets are the same; how long it takes tells nothing of either. */
const sameSecret = (a: string, b: string): boolean => timingSafeEqual(hashOf(a), hashOf(b));

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

function trustOf(trustedProxies: readonly string[]) {
  let trust = trusts.get(trustedProxies);
  if (!trust) {
    trust = proxyAddr.compile([...trustedProxies]);
    trusts.set(trustedProxies, trust);
  }
  return trust;
}
