import { ulid } from 'ulid';
import { AccountError } from './account-error.ts';
import type { Caller, Peer } from './caller.ts';
import type { User, Users } from '../../projections/users.ts';
import type { Settings } from '../config/environment.ts';
import { type UserLinks, userLinks } from './user-links.ts';
import { type Groups, forgetGroup, groupAdministration } from './groups.ts';
import { type FirstSetup, openFirstSetup } from './first-setup.ts';
import {
  type LoginDeps,
  type PasswordLogin,
  assertMayTry,
  openLogin,
  strangersMax,
  checkedAsStranger,
  slowDown,
} from './login.ts';
import { type LoginCodes, loginCodes } from './login-codes.ts';
import { limited } from '../shared/mutex.ts';
import { loginBrake } from './login-brake.ts';
import { loginLimits } from './login-limits.ts';
import {
  type OwnTwoStep,
  type TriesInSession,
  codeChecks,
  limitOf,
  ownTwoStep,
} from './second-factor.ts';
import { type ListedSession, SessionBook, sessionIdOf } from './sessions.ts';
import { type SignOnSettings, localLoginOf } from './local-login.ts';
import { type SignOn, signOn } from './sign-on.ts';
import type { Notices } from '../storage/notices.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';
import { openDailyCounts } from '../storage/daily-counts.ts';
import type { SetupCodes } from './setup-code.ts';
import {
  type AdministrationParts,
  type UserAdministration,
  forgetUser,
  userAdministration,
} from './users.ts';
import type { UserStream } from './user-stream.ts';
import { hashOfNothing, hashPassword, verifyPassword } from './passwords.ts';

export type AccountsParts = Omit<
  AdministrationParts,
  'book' | 'limits' | 'scheme' | 'localLogin'
> & {
  /** Has sessions, and attempts to log in. */
  kept: Kept;
  /** What other nodes tell of sessions. */
  notices: Notices;
  /** Asked whenever it matters, so that a changed setting holds at once. */
  settings: () => Pick<Settings, 'auth.password_hash' | 'auth.session_hours' | 'auth.totp'> &
    SignOnSettings;
  clock: () => Date;
  /** Where the setup code is kept while there is no user. */
  setupCodes: SetupCodes;
};

export interface Accounts extends UserAdministration, UserLinks, LinkPasswords, LoginCodes, Groups {
  /** Whether the first administrator is still to be created, and whether this caller needs the code. */
  setupState(peer: Peer): Promise<{ setup_required: boolean; setup_code_required: boolean }>;
  /** The one-time code, as long as there is no user. */
  setupCode(): string | null;
  setup: FirstSetup['setUp'];
  /**
   * Counts a body that was refused before anybody was known as an attempt of the address.
   * @throws {AccountError} `TOO_MANY_ATTEMPTS`
   */
  bodyRefused(address: string): Promise<void>;
  login: PasswordLogin;
  /** Whose token it is, as of now; null for one that is unknown, over, or of a user deleted or disabled. */
  authenticate(token: string): Promise<Caller | null>;
  /** Whose session it is, as of now; null as `authenticate`. This does not prolong it. */
  callerOf(sessionId: string): Promise<Caller | null>;
  /**
   * Gives the password once more, for what a session that was left open must not do.
   * @throws {AccountError} `WRONG_CREDENTIALS`, `TOO_MANY_ATTEMPTS`, `BUSY`
   */
  confirm(caller: Caller, password: string): Promise<void>;
  /** Two-step login of the caller, who gives the password, too, and may guess neither. */
  twoStep: OwnTwoStep;
  /** Logging in at the sign-on provider. */
  signOn: SignOn;
  /** Whether the password was given within five minutes: at the login, here or at the provider, or by `confirm`. */
  isConfirmed(caller: Caller): Promise<boolean>;
  /** The token is dead when this returns. */
  logout(token: string): Promise<void>;
  /** Where a user is logged in, or everybody: sessions that are good, those begun last first. */
  sessions(userId?: string): Promise<ListedSession[]>;
  /** Ends one of a user's sessions; false: they have none of that id. */
  endSession(userId: string, sessionId: string): Promise<boolean>;
  /** Calls back with the id of each session that ends before its time; returns how to stop. */
  onSessionEnded(listener: (sessionId: string) => void): () => void;
  /**
   * Ends what is still being done for deleted users, and puts aside what it wrote: where a crash kept a
   * deletion from it, or where something went on or began after it. After unfinished recordings were taken up, and from
   * time to time; what cannot be done is logged.
   */
  finishDeletions(): Promise<void>;
  /** Takes in what other nodes did with users and groups. @returns their version @throws {EventStoreError} */
  takeIn(): Promise<number>;
  /** Deletes sessions and links that are over. For now and then. */
  sweepSessions(): Promise<void>;
}

/**
 * Users, their passwords and sessions. The only writer of the `users` stream. While there is no
 * user, the one-time setup code is made, and written to the service's log.
 * @throws {EventStoreError}, and the system's errors for the setup code's file
 */
export async function openAccounts(parts: AccountsParts): Promise<Accounts> {
  const { stream, kept, notices, settings, clock, log } = parts;
  const { users } = stream;
  const hours = () => settings()['auth.session_hours'];
  const signedOnHours = () => settings()['oidc.session_hours'];
  const book = new SessionBook({ kept, notices, clock, hours, signedOnHours });
  const scheme = () => settings()['auth.password_hash'];
  const limits = loginLimits(kept);
  const ofStrangers = limited(strangersMax, 0);
  const demand = () => settings()['auth.totp'];
  const checks = codeChecks({ stream, kept, clock });
  const brake = loginBrake(kept);
  const localLogin = () => localLoginOf(settings());
  const login = { scheme, limits, brake, ofStrangers, demand, second: checks, localLogin };
  const counted = openDailyCounts(kept);
  const deps = { stream, book, log, counted, ...login };
  const setup = await openFirstSetup({ ...deps, setupCodes: parts.setupCodes });
  await finishErasures(users, parts);
  await kept.sweep();
  const administration = userAdministration({ ...parts, ...deps });
  const confirmations = openConfirmations(kept, clock);
  const tries = triesInSession({ ...deps, administration });
  const { inSession } = tries;
  const links = userLinks({ ...parts, ...deps });

  return {
    ...administration,
    ...links,
    ...linkPasswords(deps),
    ...loginCodes({ ...parts, ...deps }),
    ...groupAdministration(parts),
    // On the host, users can be made before the first setup.
    createUser: (user, onBehalf) => setup.over(administration.createUser(user, onBehalf)),
    importUsers: (given, onBehalf) => setup.over(administration.importUsers(given, onBehalf)),
    changePassword: (caller, current, password) =>
      inSession(caller.userId, () => administration.changePassword(caller, current, password)),
    async confirm({ userId, sessionId }, password) {
      await inSession(userId, () => administration.verifyOwnPassword(userId, password));
      await confirmations.note(sessionId);
    },
    twoStep: ownTwoStep({ ...deps, ...tries, kept, checks }),
    signOn: signOn({ ...parts, ...deps, ...tries, ...confirmations, over: setup.over }),
    isConfirmed: (caller) => confirmations.isRecent(caller),
    async setupState(peer) {
      await stream.takeIn();
      return setup.state(peer);
    },
    setupCode: setup.code,
    setup: setup.setUp,
    login: openLogin(deps),
    bodyRefused: (address) => assertMayTry(deps, '\nbody', address),
    authenticate: async (token) => await callerIn(await book.find(token), deps),
    callerOf: async (sessionId) => await callerIn(await book.look(sessionId), deps),
    logout: (token) => book.end(sessionIdOf(token)),
    sessions: (userId) => goodSessions(deps, userId),
    async endSession(userId, sessionId) {
      const own = await goodSessions(deps, userId);
      if (!own.some((one) => one.sessionId === sessionId)) return false;
      await book.end(sessionId);
      return true;
    },
    onSessionEnded: (listener) => book.onEnded(listener),
    takeIn: () => stream.takeIn(),
    finishDeletions: () => finishDeletions(users, { ...parts, limits }),
    async sweepSessions() {
      await kept.sweep();
      await links.sweepLinks();
    },
  };
}

function triesInSession({
  administration,
  ...deps
}: Pick<LoginDeps, 'limits' | 'log'> & {
  administration: Pick<UserAdministration, 'verifyOwnPassword'>;
}): TriesInSession {
  const inSession: TriesInSession['inSession'] = async (userId, work) => {
    const place = `session of ${userId}`;
    await assertMayTry(deps, userId, place);
    try {
      const done = await work();
      await deps.limits.succeeded(userId, place);
      return done;
    } catch (error) {
      // What is refused for another reason was no guess.
      if (!isWrongGuess(error)) await deps.limits.takeBack(userId, place);
      throw error;
    }
  };
  return {
    inSession,
    withPassword: (userId, password, work) =>
      inSession(userId, async () => {
        await administration.verifyOwnPassword(userId, password);
        return await work();
      }),
  };
}

const isWrongGuess = (error: unknown): boolean =>
  error instanceof AccountError && ['WRONG_CREDENTIALS', 'WRONG_CODE'].includes(error.code);

type SessionDeps = Pick<LoginDeps, 'stream' | 'book' | 'demand'>;

/** The user of a session; null when they are gone or disabled, or all their sessions ended since it began. */
function userOf(
  { sessionId, userId, usersVersion }: ListedSession,
  { users }: UserStream,
): User | null {
  const user = users.byId.get(userId);
  if (!user || user.disabled) return null;
  const isOver = (usersVersion ?? user.sessionsSince) < user.sessionsSince;
  return isOver && sessionId !== user.sessionKept ? null : user;
}

const goodSessions = async (
  { stream, book }: Pick<SessionDeps, 'stream' | 'book'>,
  userId?: string,
) => (await book.list(userId)).filter((session) => userOf(session, stream) !== null);

async function callerIn(
  session: ListedSession | undefined,
  { stream, demand }: Pick<SessionDeps, 'stream' | 'demand'>,
): Promise<Caller | null> {
  // Another node may have begun it for a user that is new, or changed, since users were read here.
  if ((session?.usersVersion ?? 0) > stream.users.version) await stream.takeIn();
  const user = session && userOf(session, stream);
  if (!session || !user) return null;
  const { sessionId, userId, expiresAt } = session;
  const { username, isAdmin } = user;
  const limited = session.signedOn ? null : limitOf(user, demand());
  const passwordAt = session.signedOn ? null : session.createdAt;
  return { userId, username, isAdmin, sessionId, passwordAt, expiresAt, limited };
}

/** What was interrupted between its fact and the key. */
async function finishErasures(
  { deleted, withdrawn, deletedGroups }: Users,
  { keys }: AccountsParts,
): Promise<void> {
  for (const id of deleted) await forgetUser(keys, id);
  for (const id of withdrawn) await forgetUser(keys, id);
  for (const id of deletedGroups) await forgetGroup(keys, id);
}

async function finishDeletions(
  { deleted }: Users,
  {
    endWork,
    archiveSpace,
    removeUploads,
    limits,
    log,
  }: AccountsParts & Pick<AdministrationParts, 'limits'>,
): Promise<void> {
  try {
    await limits.forget([...deleted]);
    await removeUploads(new Set(deleted));
  } catch (err) {
    log.warn(
      { err },
      'uploads and login places of deleted users could not be removed; trying again',
    );
  }
  for (const id of deleted) {
    try {
      try {
        await endWork(id, { by: 'system', command: `deleted-${ulid()}` });
      } finally {
        await archiveSpace(id);
      }
    } catch (err) {
      log.warn({ err, user_id: id }, 'deleting a user was not completed; trying again');
    }
  }
}

/** How long a password that was given counts for what asks for it again, in milliseconds. */
const confirmedMs = 5 * 60_000;

/** By session. */
const confirmed: KeptKind<1> = {
  name: 'confirmed',
  endsAt: (_, now) => now + confirmedMs,
  volatileMax: 1000,
  keys: 'plain',
};

/** In which sessions the password was given once more; at all nodes. */
interface Confirmations {
  note(sessionId: string): Promise<void>;
  /** The same of a login at the provider, which may have been long before this session. */
  noteLogin(sessionId: string, at: Date): Promise<void>;
  /** Whether the password was given within five minutes: at the login, or since. */
  isRecent(caller: Caller): Promise<boolean>;
}

function openConfirmations(kept: Kept, clock: () => Date): Confirmations {
  const rows = kept.of(confirmed);
  const isRecent = (at: Date): boolean => clock().getTime() - at.getTime() < confirmedMs;
  return {
    noteLogin: async (sessionId, at) => {
      if (isRecent(at)) await rows.change([sessionId], () => ({ keep: [1], result: undefined }));
    },
    note: (sessionId) => rows.change([sessionId], () => ({ keep: [1], result: undefined })),
    isRecent: async ({ passwordAt, sessionId }) =>
      (passwordAt !== null && isRecent(passwordAt)) || (await rows.get(sessionId)) !== undefined,
  };
}

/** Passwords of links by which strangers read a recording; limited as logins are. */
interface LinkPasswords {
  /** @throws {Busy} too many passwords are hashed already */
  hashLinkPassword(password: string): Promise<string>;
  /**
   * Whether it is the link's password. The same work where there is no such link (`passwordHash` null).
   * @throws {AccountError} `TOO_MANY_ATTEMPTS`; {Busy}
   */
  isLinkPassword(
    asked: { account: string; passwordHash: string | null; password: string },
    address: string,
  ): Promise<boolean>;
}

const linkPasswords = (deps: LoginDeps): LinkPasswords => ({
  hashLinkPassword: (password) => hashPassword(password, deps.scheme()),
  async isLinkPassword({ account, passwordHash, password }, address) {
    await assertMayTry(deps, account, address);
    await slowDown(deps, account, address);
    const hash = passwordHash ?? hashOfNothing(deps.scheme());
    const { ok } = await checkedAsStranger(deps, { account, address }, () =>
      verifyPassword(hash, password, deps.scheme()),
    );
    if (ok && passwordHash !== null) {
      await deps.limits.takeBack(account, address);
      await deps.brake.takeBack(account, address);
      return true;
    }
    deps.log.warn({ category: 'security', address }, 'wrong password of a link');
    return false;
  },
});
