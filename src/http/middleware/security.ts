import { detail } from '../../words/details.ts';
import type { Middleware } from 'koa';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isEncrypted } from '../encryption.ts';
import { Problem } from '../problems.ts';
import type { HttpServices } from '../services.ts';

/**
 * Everything from this service itself, nothing inline, no frames. No HSTS, also where the service speaks https: it
 * would hold for every port of the host name, where others may speak plain HTTP, and with a certificate of
 * one's own a browser that has seen it offers no way in once that has ended. A proxy in front may promise it.
 */
export function securityHeaders(): Middleware {
  const headers = Object.entries(sent);
  return (ctx, next) => {
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    return next();
  };
}

/**
 * The style sheet that wavesurfer.js puts into its shadow root, for the height of the app's player: it changes
 * with either (`test/web/recording.test.ts` computes it).
 */
export const waveformStyle = "'sha256-1cSl/bfAXHF1Nov968p0tm9OssOwRbUFeHOyeto1yCA='";

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${waveformStyle}`,
  "img-src 'self'",
  "font-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

const sent = {
  'Content-Security-Policy': contentSecurityPolicy.join(';'),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Frame-Options': 'DENY',
  // Answers are private by default; routes of public files say otherwise.
  'Cache-Control': 'no-store',
};

/** Refuses names that are not ours (421) and writes that another site's page sends (403). */
export function checkHost(hosts: HostCheck): Middleware {
  return (ctx, next) => {
    const host = ctx.req.headers.host;
    // Of two, a proxy in front may have looked at the other one (RFC 9112, 3.2).
    if (hostsIn(ctx.req) > 1)
      throw new Problem('malformed-request', { said: detail('host-sent-twice') });
    if (!hosts.allows(host)) throw hostNotAllowed(host);
    // What a proxy is asked has a host of its own, which counts (RFC 9112, 3.2.2).
    const target = ctx.req.url ?? '/';
    const encrypted = isEncrypted(ctx.req.socket);
    const whole = `${encrypted ? 'https' : 'http'}://${host}/`;
    if (!target.startsWith('/') && !target.startsWith(whole)) throw hostNotAllowed(host);
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return next();
    if (
      !hosts.sameOrigin(ctx.req.headers.origin, host, encrypted) ||
      ctx.req.headers['sec-fetch-site'] === 'cross-site'
    ) {
      throw new Problem('cross-origin');
    }
    return next();
  };
}

/** `rawHeaders`: names and values in turns. */
function hostsIn({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (const [at, name] of rawHeaders.entries())
    if (at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  return hosts;
}

/** @param host as received; said again only where it is one, so that nobody puts words into the answer */
export function hostNotAllowed(host: string | undefined): Problem {
  const name = host === undefined || host.length > hostCharactersMax ? null : parseHost(host);
  return new Problem('host-not-allowed', { params: name === null ? {} : { host: name.name } });
}

/** Characters of a DNS name at most (RFC 1035). */
const hostCharactersMax = 260;

/** As `hostCheck`, of a service that runs: also the names of its certificate, which an attacker has none of. */
export const hostsOf = ({
  address,
  settings,
  certificateNames,
}: Pick<HttpServices, 'address' | 'settings' | 'certificateNames'>): HostCheck =>
  hostCheck({
    address,
    allowed: () => [...settings()['server.allowed_hosts'], ...certificateNames()],
  });

/**
 * Against DNS rebinding: a name an attacker points at us arrives as `Host`, so only known names pass.
 * Known are localhost, the address we listen on, the machine's name, and what the settings add (with a
 * port: only with that port). Listening on all addresses, any literal IP address is known too: to put
 * one into `Host` a browser must have been sent to that address, which is not a rebinding.
 */
export function hostCheck(options: {
  address: string;
  allowed: () => readonly string[];
}): HostCheck {
  const own = new Set(
    ['localhost', '127.0.0.1', '::1', options.address, hostname()].map((name) =>
      name.toLowerCase(),
    ),
  );
  const anyAddress = options.address === '0.0.0.0' || options.address === '::';

  return {
    allows(host) {
      const parsed = host === undefined ? null : parseHost(host);
      if (!parsed) return false;
      const { name, authority } = parsed;
      if (own.has(name) || (anyAddress && isIP(name) !== 0)) return true;
      return options.allowed().some((entry) => {
        const lower = entry.toLowerCase();
        return lower === name || lower === authority;
      });
    },
    sameOrigin(origin, host, encrypted) {
      if (origin === undefined) return true;
      try {
        const from = new URL(origin);
        // What speaks plainly at this name may be anyone on the way. (A proxy in front hides which it was.)
        if (encrypted && from.protocol !== 'https:') return false;
        // Through URL, so that a default port that one of the two leaves out makes no difference.
        return from.host !== '' && from.host === new URL(`${from.protocol}//${host}`).host;
      } catch {
        return false;
      }
    },
  };
}

/** Whether a `Host` header is one of ours, and whether an `Origin` is the page we serve ourselves. */
export type HostCheck = {
  /** `Host` as received. Undefined is refused. */
  allows(host: string | undefined): boolean;
  /** No `Origin` (not a browser), or the very host the request was sent to. */
  sameOrigin(origin: string | undefined, host: string | undefined, encrypted: boolean): boolean;
};

/** `[::1]:8765` → name `::1`; a trailing dot of a fully qualified name is left out. */
function parseHost(host: string): { name: string; authority: string } | null {
  const [, named, port] = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d{1,5}))?$/i.exec(host) ?? [];
  if (named === undefined) return null;
  const name = named
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  return { name, authority: port === undefined ? name : `${name}:${port}` };
}
