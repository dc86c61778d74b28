import { ulid } from 'ulid';
import { createHmac, randomBytes } from 'node:crypto';
import type { KeyStore } from '../../events/key-store.ts';
import type { EventStore } from '../../events/store.ts';
import {
  type User,
  decideRehash,
  decideSetup,
  userByName,
  usernameKey,
} from '../../projections/users.ts';
import type { Log } from '../shared/log.ts';
import type { Settings } from '../config/environment.ts';
import { AccountError } from './account-error.ts';
import { loginLimits } from './login-limits.ts';
import {
  checkPassword,
  hashLike,
  hashOfNothing,
  hashPassword,
  verifyPassword,
} from './passwords.ts';
import { SessionBook, sessionIdOf } from './sessions.ts';
import type { SessionRows } from '../storage/session-rows.ts';
import { type SetupCode, openSetupCode, removeSetupCode } from './setup-code.ts';
import {
  type EndWork,
  type UserAdministration,
  type UserStream,
  checkUsername,
  openUserStream,
  userAdministration,
} from './users.ts';

export type AccountsParts = {
  store: EventStore;
  sessions: SessionRows;
  /** Destroys what the log holds of a deleted user; without it a deleted name stays readable there. */
  keys?: Pick<KeyStore, 'forget'>;
  /** Ends what is being done for a deleted user; without it that goes on. */
  endWork?: EndWork;
  /** Puts the documents of a deleted user aside (`retired-spaces.ts`); without it they stay. */
  retireSpace?: (userId: string) => Promise<void>;
  /** Asked whenever it matters, so that a changed setting holds at once. */
  settings: () => Pick<Settings, 'auth.password_hash' | 'auth.session_hours'>;
  clock: () => Date;
  /** Where `setup-code` is written while there is no user. */
  dataDir: string;
  log: Pick<Log, 'info' | 'warn'>;
};

/** Where a request comes from. */
export type Peer = {
  /** Address of the socket's other end, for limits. */
  address: string;
  /**
   * A process of the service's own user on this host, which asked for a localhost Host and forwards for
   * no other. `src/http/peer.ts` finds it out.
   */
  local: boolean;
};

/** What somebody gets who has just logged in; snake case: it is what HTTP answers. */
export type Session = {
  /** Given once; only its SHA-256 is kept. */
  token: string;
  /** RFC 3339 UTC; slides with use. */
  expires_at: string;
  username: string;
  is_admin: boolean;
};

/** Who a token belongs to. */
export type Caller = {
  userId: string;
  username: string;
  isAdmin: boolean;
  /** Names the session without giving the token away; see `onSessionEnded`. */
  sessionId: string;
  expiresAt: Date;
};

export interface Accounts extends UserAdministration {
  /** Whether the first administrator is still to be created, and whether this caller needs the code. */
  setupState(peer: Peer): Promise<{ setup_required: boolean; setup_code_required: boolean }>;
  /** The one-time code, as long as there is no user. */
  setupCode(): string | null;
  /**
   * Creates the first administrator and logs them in. Of several at once exactly one succeeds.
   * @throws {AccountError} `ALREADY_SET_UP`, `SETUP_CODE_REQUIRED`, `INVALID_USERNAME`,
   *   `INVALID_PASSWORD`, `TOO_MANY_ATTEMPTS`, `BUSY`; {EventStoreError}
   */
  setup(
    request: { username: string; password: string; setup_code?: string | undefined },
    peer: Peer,
  ): Promise<Session>;
  /**
   * That somebody is disabled (`USER_DISABLED`) learns only who has the right password, after the same
   * work: anybody else cannot tell a disabled user from one that is not there.
   * @throws {AccountError} `WRONG_CREDENTIALS`, `USER_DISABLED`, `TOO_MANY_ATTEMPTS`, `BUSY`;
   *   {EventStoreError}
   */
  login(
    request: { username: string; password: string },
    peer: Pick<Peer, 'address'>,
  ): Promise<Session>;
  /** Whose token it is, as of now; null for one that is unknown, over, or of somebody deleted or disabled. */
  authenticate(token: string): Promise<Caller | null>;
  /** The token is dead when this returns. */
  logout(token: string): Promise<void>;
  /** Calls back with the id of each session that ends before its time; returns how to stop. */
  onSessionEnded(listener: (sessionId: string) => void): () => void;
  /**
   * Ends what is still being done for deleted users, and puts aside what it wrote: where a crash kept a
   * deletion from it. After unfinished recordings were taken up; what cannot be done is logged.
   */
  finishDeletions(): Promise<void>;
  /** Deletes sessions that are over. For now and then. */
  sweepSessions(): Promise<void>;
}

/**
 * Users, their passwords and sessions. The only writer of the `users` stream. While there is no
 * user, the one-time setup code is made, and written to the service's log.
 * @throws {EventStoreError}, and the system's errors for the setup code's file
 */
export async function openAccounts(parts: AccountsParts): Promise<Accounts> {
  const { sessions, settings, clock, dataDir, log } = parts;
  const stream = await openUserStream(parts.store);
  const { users } = stream;
  const book = new SessionBook(sessions, clock, () => settings()['auth.session_hours']);
  const limits = loginLimits(clock);
  const namesKey = randomBytes(32);

  const scheme = () => settings()['auth.password_hash'];
  const limited = (account: string, address: string) => {
    const wait = limits.attempt(account, address);
    if (wait === 0) return;
    log.warn({ category, address, wait }, 'too many login attempts');
    throw new AccountError('TOO_MANY_ATTEMPTS', `Too many attempts. Wait ${wait} seconds.`, wait);
  };
  /**
   * Dummy hash for unknown names, as expensive as an existing user's, so that timing does not reveal
   * which names exist. The same user's for each name: imported hashes take another time than ours.
   */
  const dummyHash = (username: string): string => {
    const digest = createHmac('sha256', namesKey).update(usernameKey(username)).digest();
    const like = [...users.byId.values()][digest.readUInt32BE(0) % Math.max(1, users.byId.size)];
    return like?.passwordHash ? hashLike(like.passwordHash) : hashOfNothing(scheme());
  };
  const begin = async (user: User): Promise<Session> => {
    const session = await book.begin(user.id, () => {
      const present = users.byId.get(user.id);
      if (present?.disabled) throw userDisabled();
      return present?.passwordSince === user.passwordSince ? users.version : undefined;
    });
    if (!session) throw wrongCredentials();
    const { username, isAdmin } = users.byId.get(user.id) ?? user;
    const { token, expiresAt } = session;
    return { token, expires_at: expiresAt.toISOString(), username, is_admin: isAdmin };
  };

  let setupCode: SetupCode | undefined;
  if (users.byId.size === 0) {
    setupCode = await openSetupCode(dataDir);
    log.warn(
      { setup_code: setupCode.code },
      'no user yet: POST /setup from another machine asks for this code',
    );
  } else await removeSetupCode(dataDir);
  // A deletion that was interrupted between its fact and the key is finished here.
  for (const id of users.deleted) {
    await parts.keys?.forget(id);
    await parts.retireSpace?.(id);
  }
  await book.sweep();

  const administration = userAdministration({
    stream,
    book,
    keys: parts.keys,
    scheme,
    endWork: parts.endWork,
    retireSpace: parts.retireSpace,
    log,
  });
  const withoutSetup = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    setupCode = undefined;
    await removeSetupCode(dataDir);
    return done;
  };

  return {
    ...administration,

    // On the host, users can be made before anybody has set up anything.
    createUser: (user, onBehalf) => withoutSetup(administration.createUser(user, onBehalf)),
    importUsers: (given, onBehalf) => withoutSetup(administration.importUsers(given, onBehalf)),

    async changePassword(userId, currentPassword, password) {
      // Whoever found somebody else's open session does not get to guess either.
      const place = `session of ${userId}`;
      limited(userId, place);
      await administration.changePassword(userId, currentPassword, password);
      limits.succeeded(userId, place);
    },

    async setupState({ local }) {
      const required = users.byId.size === 0;
      return { setup_required: required, setup_code_required: required && !local };
    },

    setupCode: () => setupCode?.code ?? null,

    async setup({ username, password, setup_code: given }, { address, local }) {
      if (users.byId.size > 0) throw alreadySetUp();
      // A code that is given has to be right, also where none is needed.
      if (given !== undefined || !local) {
        limited('\nsetup', address);
        if (given === undefined || !setupCode?.matches(given)) {
          log.warn({ category, address }, 'setup refused');
          throw codeRequired();
        }
      }
      const name = checkUsername(username);
      checkPassword(password);
      const passwordHash = await hashPassword(password, scheme());
      const id = ulid();
      await stream.change({ by: id }, decideSetup({ id, username: name, passwordHash }));
      setupCode = undefined;
      await removeSetupCode(dataDir);
      const user = users.byId.get(id);
      if (!user) throw alreadySetUp();
      const withCode = given !== undefined;
      log.info(
        { category, user_id: id, address, with_setup_code: withCode },
        'first administrator created',
      );
      return begin(user);
    },

    async login({ username, password }, { address }) {
      const user = userByName(users, username);
      limited(user?.id ?? username, address);
      // Compared in any case, so that neither time nor text tells whether the name exists.
      const hash = user?.passwordHash ?? dummyHash(username);
      const given = password.length <= 4096 ? password : '';
      const checked = await verifyPassword(hash, given, scheme());
      if (!user?.passwordHash || !checked.ok) {
        log.warn({ category, address, user_id: user?.id }, 'login refused');
        throw wrongCredentials();
      }
      limits.succeeded(user.id, address);
      if (user.disabled) {
        log.warn({ category, address, user_id: user.id }, 'login of a disabled user refused');
        throw userDisabled();
      }
      if (checked.rehash) {
        await rehash(stream, user, given, scheme()).catch((err: unknown) => {
          // Nobody is kept out for it; the next login tries again.
          log.warn({ err, user_id: user.id }, 'a password could not be hashed anew');
        });
      }
      const session = await begin(user);
      log.info({ category, address, user_id: user.id }, 'logged in');
      return session;
    },

    async authenticate(token) {
      const session = await book.find(token);
      const user = session && users.byId.get(session.userId);
      if (!session || !user || user.disabled) return null;
      const { sessionId, userId, expiresAt, usersVersion = user.sessionsSince } = session;
      if (usersVersion < user.sessionsSince) return null;
      const { username, isAdmin } = user;
      return { userId, username, isAdmin, sessionId, expiresAt };
    },

    logout: (token) => book.end(sessionIdOf(token)),

    onSessionEnded: (listener) => book.onEnded(listener),

    async finishDeletions() {
      for (const id of users.deleted) {
        try {
          await parts.endWork?.(id, { by: 'system', command: `deleted-${ulid()}` });
          await parts.retireSpace?.(id);
        } catch (err) {
          log.warn({ err, user_id: id }, 'a deletion is not finished; the next start tries again');
        }
      }
    },

    sweepSessions: () => book.sweep(),
  };
}

/** Marks what somebody who looks after the service's safety wants to find in its log. */
const category = 'security';

/** Replaces a hash of another scheme or cost by one of the present. */
async function rehash(
  stream: UserStream,
  user: User,
  password: string,
  scheme: Settings['auth.password_hash'],
): Promise<void> {
  const newHash = await hashPassword(password, scheme);
  await stream.change({ by: 'system' }, decideRehash(user, newHash));
}

const wrongCredentials = () =>
  new AccountError('WRONG_CREDENTIALS', 'The user name or the password is wrong.');
const userDisabled = () =>
  new AccountError('USER_DISABLED', 'This user is disabled. Ask an administrator.');
const alreadySetUp = () =>
  new AccountError('ALREADY_SET_UP', 'The first administrator exists already. Log in instead.');
const codeRequired = () =>
  new AccountError(
    'SETUP_CODE_REQUIRED',
    'The setup code is needed: it is in the log of the service and in the file setup-code of its data directory.',
  );
