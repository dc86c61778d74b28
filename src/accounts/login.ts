import { createHmac, randomBytes } from 'node:crypto';
import {
  type User,
  type Users,
  decideRehash,
  userByName,
  usernameKey,
} from '../../projections/users.ts';
import type { Log } from '../shared/log.ts';
import { AccountError } from './account-error.ts';
import type { Accounts, Session } from './accounts.ts';
import type { LoginLimits } from './login-limits.ts';
import {
  type PasswordScheme,
  hashLike,
  hashOfNothing,
  hashPassword,
  verifyPassword,
} from './passwords.ts';
import type { SessionBook } from './sessions.ts';
import type { UserStream } from './users.ts';

/** Marks lines of the service's log that concern security. */
export const securityCategory = 'security';

/** What logging in and setting up need. */
export type LoginDeps = {
  stream: UserStream;
  book: SessionBook;
  limits: LoginLimits;
  /** Of new passwords. */
  scheme: () => PasswordScheme;
  log: Pick<Log, 'info' | 'warn'>;
};

/** `Accounts.login`. */
export function openLogin(deps: LoginDeps): Accounts['login'] {
  const { stream, limits, scheme, log } = deps;
  const { users } = stream;
  const namesKey = randomBytes(32);

  return async ({ username, password }, { address }) => {
    const user = userByName(users, username);
    // Spellings of a name share one counter, whether or not there is such a user.
    assertMayTry(deps, usernameKey(username), address);
    // Compared in any case, so that neither time nor text tells whether the name exists.
    const hash = user?.passwordHash ?? dummyHash(username, users, namesKey, scheme());
    const given = password.length <= 4096 ? password : '';
    const checked = await verifyPassword(hash, given, scheme());
    const who = { category: securityCategory, address, user_id: user?.id };
    if (!user?.passwordHash || !checked.ok) {
      log.warn(who, 'login refused');
      throw wrongCredentials();
    }
    limits.succeeded(usernameKey(username), address);
    if (user.disabled) {
      log.warn(who, 'login of a disabled user refused');
      throw userDisabled();
    }
    if (checked.rehash) await rehash(user, given, deps);
    const session = await beginSession(user, deps);
    log.info(who, 'logged in');
    return session;
  };
}

/** Takes an attempt down before it is looked at. @throws {AccountError} `TOO_MANY_ATTEMPTS` */
export function assertMayTry(
  { limits, log }: Pick<LoginDeps, 'limits' | 'log'>,
  account: string,
  address: string,
): void {
  const wait = limits.attempt(account, address);
  if (wait === 0) return;
  log.warn({ category: securityCategory, address, wait }, 'too many login attempts');
  throw new AccountError('TOO_MANY_ATTEMPTS', `Too many attempts. Wait ${wait} seconds.`, wait);
}

/** A session of a user as the password was checked. @throws {AccountError} changed or disabled since */
export async function beginSession(
  user: User,
  { book, stream }: Pick<LoginDeps, 'book' | 'stream'>,
): Promise<Session> {
  const { users } = stream;
  const session = await book.begin(user.id, () => {
    const present = users.byId.get(user.id);
    if (present?.disabled) throw userDisabled();
    return present?.passwordSince === user.passwordSince ? users.version : undefined;
  });
  if (!session) throw wrongCredentials();
  const { username, isAdmin } = users.byId.get(user.id) ?? user;
  const { token, expiresAt } = session;
  return { token, expires_at: expiresAt.toISOString(), username, is_admin: isAdmin };
}

/**
 * Dummy hash for unknown names, as expensive as an existing user's, so that timing does not reveal
 * which names exist. The same user's for each name: imported hashes take another time than ours.
 */
function dummyHash(
  username: string,
  users: Users,
  namesKey: Buffer,
  scheme: PasswordScheme,
): string {
  const digest = createHmac('sha256', namesKey).update(usernameKey(username)).digest();
  const like = [...users.byId.values()][digest.readUInt32BE(0) % Math.max(1, users.byId.size)];
  return like?.passwordHash ? hashLike(like.passwordHash) : hashOfNothing(scheme);
}

/** Replaces a hash of another scheme or cost. A failure is only logged: the next login tries again. */
async function rehash(user: User, password: string, deps: LoginDeps): Promise<void> {
  try {
    const newHash = await hashPassword(password, deps.scheme());
    await deps.stream.change({ by: 'system' }, decideRehash(user, newHash));
  } catch (err) {
    deps.log.warn({ err, user_id: user.id }, 'a password could not be hashed again');
  }
}

const wrongCredentials = () =>
  new AccountError('WRONG_CREDENTIALS', 'The user name or the password is wrong.');
const userDisabled = () =>
  new AccountError('USER_DISABLED', 'This user is disabled. Ask an administrator.');
