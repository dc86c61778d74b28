import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Whether a `Host` header is one of ours, and whether an `Origin` is the page we serve ourselves. */
export type HostCheck = {
  /** `Host` as received. Undefined is refused. */
  allows(host: string | undefined): boolean;
  /** No `Origin` (not a browser), or the very host the request was sent to. */
  sameOrigin(origin: string | undefined, host: string | undefined): boolean;
};

/**
 * Against DNS rebinding: a name an attacker points at us arrives as `Host`, so only known names pass.
 * Known are localhost, the address we listen on, the machine's name, and what the settings add (with a
 * port: only with that port). Listening on all addresses, any literal IP address is known too: to put
 * one into `Host` a browser must have been sent to that address, which is no rebinding.
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
    sameOrigin(origin, host) {
      if (origin === undefined) return true;
      try {
        const from = new URL(origin);
        // Through URL, so that a default port that one of the two leaves out makes no difference.
        return from.host !== '' && from.host === new URL(`${from.protocol}//${host}`).host;
      } catch {
        return false;
      }
    },
  };
}

/** `[::1]:8765` → name `::1`; a trailing dot of a fully qualified name is left out. */
function parseHost(host: string): { name: string; authority: string } | null {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d{1,5}))?$/i.exec(host);
  if (!match) return null;
  const name = match[1]!
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  return { name, authority: match[2] === undefined ? name : `${name}:${match[2]}` };
}
