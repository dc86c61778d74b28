import { problemOf } from '../words/problems.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { type User, type Users, decideRehash, userByName } from '../../projections/users.ts';
import { usernameKey } from '../../projections/username-forms.ts';
import type { Log } from '../shared/log.ts';
import { AccountError } from './account-error.ts';
import type { Peer, Session } from './caller.ts';
import type { LoginBrake } from './login-brake.ts';
import type { LoginLimits } from './login-limits.ts';
import {
  type PasswordScheme,
  hashLike,
  hashOfNothing,
  hashPassword,
  verifyPassword,
} from './passwords.ts';
import type { SessionBook } from './sessions.ts';
import {
  type CodeChecks,
  type TwoStepDemand,
  codeRequired,
  limitOf,
  wrongCode,
} from './second-factor.ts';
import { type LocalLogin, mayUsePassword } from './local-login.ts';
import type { UserStream } from './user-stream.ts';
import { type CountedType, type DailyCounts, unknownPerson } from '../storage/daily-counts.ts';
import type { Limited } from '../shared/mutex.ts';

/**
 * Logins from addresses that are not known that are hashed or wait for it: about half of the places in the
 * queue of `passwords.ts`. The rest is left to those who logged in from where they are.
 */
export const strangersMax = 8;

/** Marks lines of the service's log that concern security. */
export const securityCategory = 'security';

/** What logging in and setting up need. */
export type LoginDeps = {
  stream: UserStream;
  book: SessionBook;
  limits: LoginLimits;
  brake: LoginBrake;
  /** Hashing for who is not known: the half of its places that is theirs. */
  ofStrangers: Limited;
  /** Of new passwords. */
  scheme: () => PasswordScheme;
  /** Who has to set up two-step login. */
  demand: () => TwoStepDemand;
  second: Pick<CodeChecks, 'pass'>;
  /** Who may log in with a password. */
  localLogin: () => LocalLogin;
  log: Pick<Log, 'info' | 'warn'>;
  /** Counts logins for administrators. */
  counted: Pick<DailyCounts, 'note'>;
};

/**
 * Only the right password is answered with `USER_DISABLED`, after the same work: without it a disabled user
 * looks like one that does not exist.
 * A password that is switched off by `auth.local_login` is answered with `USE_SINGLE_SIGN_ON` after that work, too, and
 * counts as a wrong one.
 * With two-step login the right password alone is answered with `CODE_REQUIRED`, and counts as no attempt.
 * @throws {AccountError} `WRONG_CREDENTIALS`, `USE_SINGLE_SIGN_ON`, `USER_DISABLED`, `CODE_REQUIRED`, `WRONG_CODE`, `TOO_MANY_ATTEMPTS`, `BUSY`;
 *   {EventStoreError}
 */
export type PasswordLogin = (
  request: { username: string; password: string; code?: string | undefined },
  peer: Omit<Peer, 'local'>,
) => Promise<Session>;

export function openLogin(deps: LoginDeps): PasswordLogin {
  const { stream, limits, brake, scheme, log } = deps;
  const { users } = stream;
  const namesKey = randomBytes(32);

  return async ({ username, password, code }, { address, agent }) => {
    // Spellings of a name share one counter, whether or not there is such a user. What is kept of a user is kept under the
    // id, since the hash of a name would confirm it.
    const account = userByName(users, username)?.id ?? usernameKey(username);
    const isKnown = await limits.isKnown(account, address);
    await assertMayTry(deps, account, address);
    if (!isKnown) await slowDown(deps, account, address);
    await stream.takeIn();
    const user = userByName(users, username);
    // Compared in any case, so that neither time nor text tells whether the name exists.
    const hash = user?.passwordHash ?? dummyHash(username, users, namesKey, scheme());
    const given = password.length <= 4096 ? password : '';
    const check = () => verifyPassword(hash, given, scheme());
    const checked = await (isKnown
      ? check().catch(async (error: unknown) => {
          await limits.takeBack(account, address);
          throw error;
        })
      : checkedAsStranger(deps, { account, address }, check));
    const who = { category: securityCategory, address, user_id: user?.id };
    if (!user?.passwordHash || !checked.ok) {
      log.warn(who, 'login failed');
      countLogin(deps, 'login.failed', user?.id);
      throw deps.localLogin() === 'none' ? useSingleSignOn() : wrongCredentials();
    }
    if (!mayUsePassword(user, deps.localLogin())) {
      log.warn(who, 'login with a password refused');
      countLogin(deps, 'login.failed', user.id);
      throw useSingleSignOn();
    }
    if (!user.disabled) await passSecond(deps, { user, code, address, isKnown });
    await limits.succeeded(user.id, address);
    if (!isKnown) await brake.takeBack(account, address);
    if (user.disabled) {
      log.warn(who, 'login of a disabled user refused');
      countLogin(deps, 'login.failed', user.id);
      throw userDisabled();
    }
    if (checked.rehash) await rehash(user, given, deps);
    const session = await beginSession(user, deps, { agent });
    log.info(who, 'user logged in');
    return session;
  };
}

/** After the right password: a wrong code counts as a wrong password. @throws {AccountError} `CODE_REQUIRED`, `WRONG_CODE` */
export async function passSecond(
  deps: Pick<LoginDeps, 'limits' | 'brake' | 'second' | 'log' | 'counted'>,
  tried: { user: User; code: string | undefined; address: string; isKnown: boolean },
): Promise<void> {
  const { limits, brake, second, log } = deps;
  const { user, code, address, isKnown } = tried;
  if (!user.totp) return;
  if (code === undefined) {
    await limits.takeBack(user.id, address);
    if (!isKnown) await brake.takeBack(user.id, address);
    throw codeRequired();
  }
  if (await second.pass(user, code)) return;
  log.warn({ category: securityCategory, address, user_id: user.id }, 'wrong login code');
  countLogin(deps, 'login.failed', user.id);
  throw wrongCode();
}

/** Checks a password in the places that strangers have. @throws {Busy} these are taken */
export async function checkedAsStranger<T>(
  { limits, brake, ofStrangers }: Pick<LoginDeps, 'limits' | 'brake' | 'ofStrangers'>,
  { account, address }: { account: string; address: string },
  check: () => Promise<T>,
): Promise<T> {
  return await ofStrangers(check).catch(async (error: unknown) => {
    // What was not looked at, because too many wait already, is no failure.
    await limits.takeBack(account, address);
    await brake.takeBack(account, address);
    throw error;
  });
}

/** Takes an attempt down before it is looked at. @throws {AccountError} `TOO_MANY_ATTEMPTS` */
export async function assertMayTry(
  { limits, log }: Pick<LoginDeps, 'limits' | 'log'>,
  account: string,
  address: string,
): Promise<void> {
  const wait = await limits.attempt(account, address);
  if (wait > 0) throw tooManyAttempts(log, address, wait);
}

/** A session of a user as the password was checked. @throws {AccountError} changed or disabled since */
export async function beginSession(
  user: User,
  deps: Pick<LoginDeps, 'book' | 'stream' | 'demand' | 'log' | 'counted'>,
  {
    agent,
    signedOn = false,
    byCode = false,
  }: { agent: string | undefined; signedOn?: boolean; byCode?: boolean },
): Promise<Session> {
  const { book, stream, demand } = deps;
  const { users } = stream;
  const session = await book.begin({ userId: user.id, agent, signedOn }, () => {
    const present = users.byId.get(user.id);
    if (present?.disabled) throw userDisabled();
    return present?.passwordSince === user.passwordSince ? users.version : undefined;
  });
  if (!session) throw wrongCredentials();
  // A code is ours, whatever the session it was made in.
  countLogin(deps, signedOn && !byCode ? 'login.by_provider' : 'login.succeeded', user.id);
  const now = users.byId.get(user.id) ?? user;
  const { username, isAdmin } = now;
  const limited = signedOn ? null : limitOf(now, demand());
  const { token, expiresAt } = session;
  return {
    token,
    expires_at: expiresAt.toISOString(),
    user_id: user.id,
    username,
    is_admin: isAdmin,
    ...(limited === null ? {} : { limited }),
  };
}

/** Nobody waits for it: a disk that takes nothing must not keep people out, nor time tell what was found. */
export function countLogin(
  { counted, log }: Pick<LoginDeps, 'counted' | 'log'>,
  type: CountedType,
  userId: string | undefined,
): void {
  counted
    .note(type, userId ?? unknownPerson)
    .catch((err: unknown) => log.warn({ err }, 'a login could not be counted'));
}

/** Waits for as long as guessing from everywhere makes it wait. @throws {AccountError} `TOO_MANY_ATTEMPTS` */
export async function slowDown(
  deps: Pick<LoginDeps, 'limits' | 'brake' | 'log'>,
  account: string,
  address: string,
): Promise<void> {
  const wait = await deps.brake.hold(account, address);
  if (wait === 0) return;
  await deps.limits.takeBack(account, address);
  throw tooManyAttempts(deps.log, address, wait);
}

function tooManyAttempts(log: LoginDeps['log'], address: string, wait: number): AccountError {
  log.warn({ category: securityCategory, address, wait }, 'too many login attempts');
  return new AccountError('TOO_MANY_ATTEMPTS', problemOf('too-many-attempts', { wait }), wait);
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
    deps.log.warn(
      { err, user_id: user.id },
      'password hash could not be renewed; trying again at the next login',
    );
  }
}

const wrongCredentials = () =>
  new AccountError('WRONG_CREDENTIALS', problemOf('wrong-credentials'));
/** Passwords are switched off for them. */
export const useSingleSignOn = () =>
  new AccountError('USE_SINGLE_SIGN_ON', problemOf('use-single-sign-on'));
const userDisabled = () => new AccountError('USER_DISABLED', problemOf('user-disabled'));
