/** The login of this browser. */
import { persistentJSON } from '@nanostores/persistent';

export type Session = {
  token: string;
  expires_at: string;
  username: string;
  is_admin: boolean;
  /** Somebody else set the password: nothing opens until it is changed. */
  limited?: 'password';
};

/** The present session; null without one. Kept across tabs and visits, ended by logging out anywhere. */
export const session = persistentJSON<Session | null>('mitschrift.session', null);

/** `/login?next=…` for coming back to where one is; `expired` says why one is there. */
export function loginAddress(options: { expired?: boolean } = {}): string {
  const here = location.pathname + location.search + location.hash;
  const query = new URLSearchParams();
  if (here !== '/' && !here.startsWith('/login')) query.set('next', here);
  if (options.expired === true) query.set('expired', '1');
  return query.size === 0 ? '/login' : `/login?${query}`;
}

/** Where to go after a login: an address of this service only, or the start page. */
export function nextAddress(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/';
  if (!next.startsWith('/') || !URL.canParse(next, location.origin)) return '/';
  const { origin, pathname, search: query, hash } = new URL(next, location.origin);
  return origin === location.origin && !pathname.startsWith('//') ? pathname + query + hash : '/';
}
