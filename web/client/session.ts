/** The login of this browser. */
import { persistentAtom, persistentJSON } from '@nanostores/persistent';
import { atom } from 'nanostores';

export type Session = {
  token: string;
  expires_at: string;
  /** Missing where the session was begun by an earlier release. */
  user_id?: string;
  username: string;
  is_admin: boolean;
  /** Another password has to be chosen, or two-step login set up: nothing opens before. */
  limited?: 'password' | 'totp';
  /** It began at the sign-on provider. */
  signed_on?: true;
};

/** The present session; null without one. Kept across tabs and visits, ended by logging out anywhere. */
export const session = persistentJSON<Session | null>('mitschrift.session', null);

/** Whose something is that this browser keeps; without `userId` as earlier releases kept it. */
export type Owned = { readonly user: string; readonly userId?: string | undefined };

/** Whether it is this account's: one with the name of a deleted one is another. */
export const isOwnedBy = (
  { user, userId }: Owned,
  { username, user_id: id }: Pick<Session, 'username' | 'user_id'>,
): boolean => (userId === undefined || id === undefined ? user === username : userId === id);

const ownerOf = (now: Session | null): Owned | undefined =>
  now === null ? undefined : { user: now.username, userId: now.user_id };

/** Who uses this page: also behind the end of their session, until somebody else logs in. */
export const person = atom(ownerOf(session.get()));

/** Whether a person ended the last session, in any tab. */
const isLoggedOut = persistentAtom<'yes' | undefined>('mitschrift.logged-out');
/** Whether the last session began at the sign-on provider: when it has expired, the browser goes there by itself. */
export const wasSignedOn = persistentAtom<'yes' | undefined>('mitschrift.signed-on');
// Not of the session that a page finds: another tab may be ending it.
session.listen((now) => {
  if (now === null) return;
  const before = person.get();
  if (before === undefined || !isOwnedBy(before, now)) person.set(ownerOf(now));
  if (isLoggedOut.get() !== undefined) isLoggedOut.set(undefined);
  wasSignedOn.set(now.signed_on === true ? 'yes' : undefined);
});

/** Ends the session in every tab, whatever the service says. @param tell tells the service */
export async function logOutBy(tell: () => Promise<unknown>): Promise<void> {
  // First, since other tabs may hear of the end from the service.
  isLoggedOut.set('yes');
  await tell();
  session.set(null);
}

/** Why a tab has lost its session. */
export const whyLoggedOut = (): 'expired' | 'left' =>
  isLoggedOut.get() === 'yes' ? 'left' : 'expired';

/** `/login?next=…` for coming back to where one is; `why` says why one is there. */
export function loginAddress(why?: 'expired' | 'left'): string {
  const here = location.pathname + location.search + location.hash;
  const query = new URLSearchParams();
  if (here !== '/' && !here.startsWith('/login')) query.set('next', here);
  if (why !== undefined) query.set(why, '1');
  return query.size === 0 ? '/login' : `/login?${query}`;
}

/** Where to go after a login: an address of this service only, or the start page. */
export function nextAddress(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/';
  if (!next.startsWith('/') || !URL.canParse(next, location.origin)) return '/';
  const { origin, pathname, search: query, hash } = new URL(next, location.origin);
  return origin === location.origin && !pathname.startsWith('//') ? pathname + query + hash : '/';
}
