import { detail } from '../words/details.ts';
import { problemOf } from '../words/problems.ts';
import { ulid } from 'ulid';
import { EventStoreError } from '../../events/store.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { userSubjects } from '../../events/facts/catalogue.ts';
import {
  type User,
  type Users,
  decideDeletion,
  decidePasswordChange,
  decideRegistration,
  decideUserChange,
  decideVault,
  isSomebodyElse,
  nameTaken,
  userByName,
} from '../../projections/users.ts';
import type { Log } from '../shared/log.ts';
import { AccountError, keyUsedDifferently } from './account-error.ts';
import type { Caller } from './caller.ts';
import { type LocalLogin, opensByPassword } from './local-login.ts';
import { assertGoodPassword, assertOtherPassword, checkNewUser } from './password-rules.ts';
import {
  type PasswordScheme,
  checkPasswordHash,
  hashPassword,
  verifyPassword,
} from './passwords.ts';
import {
  type OnBehalf,
  type UserMetadata,
  type UserStream,
  accountError,
  metadataOf,
} from './user-stream.ts';
import type { LoginLimits } from './login-limits.ts';
import type { SessionBook } from './sessions.ts';
import { usernameKey } from '../../projections/username-forms.ts';
import { checkUsername } from './usernames.ts';

/** Ends what is being done with a user's recordings, and keeps what there is of them. */
export type EndWork = (userId: string, onBehalf: UserMetadata) => Promise<void>;

/** A user as others see them. */
export type PublicUser = {
  userId: string;
  username: string;
  isAdmin: boolean;
  disabled: boolean;
  /** Whether two-step login is on. */
  hasTotp: boolean;
  /** Whether there is a password here. */
  hasPassword: boolean;
  /** Whether the sign-on provider lets them in. */
  hasIdentity: boolean;
};

/** What is to be different about a user; what is left out stays. */
export type UserChanges = {
  isAdmin?: boolean | undefined;
  password?: string | undefined;
  disabled?: boolean | undefined;
  /** Null: two-step login is switched off. */
  totp?: null | undefined;
};

/** Whose password it is; the session in which they change it goes on, if there is one. */
export type PasswordOwner = Pick<Caller, 'userId'> & Partial<Pick<Caller, 'sessionId' | 'limited'>>;

/** What administrators do with users, and users with their own password. Names compare without case. */
export interface UserAdministration {
  /** In the order in which they were created. */
  listUsers(): PublicUser[];
  findUser(username: string): PublicUser | undefined;
  /** Whether there is a user of that id, disabled or not; the built-in one is none. */
  isUser(userId: string): boolean;
  /** Whether there is a user of that id who may act: not disabled. */
  isActive(userId: string): boolean;
  /** What a user of that id is called; null: there is none. */
  nameOf(userId: string): string | null;
  /** Whether there was a user of that id. */
  wasUser(userId: string): boolean;
  /** Whether a command created a user, who may be gone. */
  hasCreated(command: string): boolean;
  /**
   * A password that another user chose has to be changed at the first login. The very first user has to be an
   * administrator: without one nothing could be set up. A
   * command that created a user before returns that user, and creates none.
   * @throws {AccountError} `INVALID_USERNAME`, `INVALID_PASSWORD`, `USERNAME_TAKEN`,
   *   `ADMINISTRATOR_FIRST`, `BUSY`; `UNKNOWN_USER` for a repetition after the user was deleted
   */
  createUser(
    user: { username: string; password: string; isAdmin: boolean },
    onBehalf: OnBehalf,
  ): Promise<PublicUser>;
  /**
   * Takes users over from elsewhere, with the hashes they have there; all or none. At most 500.
   * @throws {AccountError} `INVALID_USERNAME`, `INVALID_PASSWORD_HASH`, `USERNAME_TAKEN`,
   *   `ADMINISTRATOR_FIRST`, `BUSY`
   */
  importUsers(
    users: readonly { username: string; passwordHash: string; isAdmin: boolean }[],
    onBehalf: OnBehalf,
  ): Promise<PublicUser[]>;
  /**
   * All of it or nothing. A user who is not an administrator any more, has another password or is disabled is
   * logged out everywhere; what they record or upload goes on. Users cannot disable themselves: they
   * could not undo it.
   * @throws {AccountError} `UNKNOWN_USER`, `INVALID_PASSWORD`, `LAST_ADMINISTRATOR`, `OWN_ACCOUNT`, `BUSY`
   */
  changeUser(username: string, changes: UserChanges, onBehalf: OnBehalf): Promise<PublicUser>;
  /** @throws {AccountError} `WRONG_CREDENTIALS`, `NO_PASSWORD`, `BUSY` */
  verifyOwnPassword(userId: string, password: string): Promise<void>;
  /** Sets one's own; all other sessions end. @throws {AccountError} `WRONG_CREDENTIALS`, `INVALID_PASSWORD`, `BUSY` */
  changePassword(caller: PasswordOwner, currentPassword: string, password: string): Promise<void>;
  /** Folder of a user's own vault; null: there is none. */
  vaultOf(userId: string): string | null;
  /** Ids of the users who have a vault of their own. */
  usersWithVaults(): string[];
  /**
   * Sets or removes (null) the folder into which a user's documents are copied. The folder is not looked at.
   * @throws {AccountError} `UNKNOWN_USER`, `BUSY`
   */
  setVault(userId: string, folder: string | null, onBehalf: OnBehalf): Promise<void>;
  /**
   * Deletes the user and destroys what the log holds of them. What is being recorded or done for them
   * ends, with everything kept, and then their documents are put aside.
   * @throws {AccountError} `UNKNOWN_USER`, `LAST_ADMINISTRATOR`, `BUSY`; what the log and the system
   *   say of work that cannot be ended and of documents that cannot be moved: then the user is gone,
   *   and the rest is done later (`finishDeletions`).
   */
  deleteUser(username: string, onBehalf: OnBehalf): Promise<void>;
}

/** What makes and deletes users. */
export type AdministrationParts = {
  stream: UserStream;
  book: SessionBook;
  limits: Pick<LoginLimits, 'forget'>;
  /** Destroys what the log holds of a deleted user. */
  keys: UserKeys;
  scheme: () => PasswordScheme;
  /** Who may log in with a password. */
  localLogin: () => LocalLogin;
  /** Ends what is being done for a deleted user. */
  endWork: EndWork;
  /** Moves the documents of a deleted user to the archive. */
  archiveSpace: (userId: string) => Promise<void>;
  /** Removes what deleted users had begun to upload. */
  removeUploads: (userIds: ReadonlySet<string>) => Promise<unknown>;
  log: Pick<Log, 'info' | 'warn'>;
};

const opensIn = ({ localLogin }: Pick<AdministrationParts, 'localLogin'>) =>
  opensByPassword(localLogin());

export function userAdministration(parts: AdministrationParts): UserAdministration {
  const { stream, book, scheme } = parts;
  const { users } = stream;
  const report = (what: string, userId: string, { by }: OnBehalf): void =>
    parts.log.info({ category: 'security', user_id: userId, by }, what);

  return {
    ...lookups(users),
    createUser: (user, onBehalf) => createUser(user, onBehalf, parts, report),

    async importUsers(given, onBehalf) {
      const wanted = given.map(({ username, passwordHash, isAdmin }) => {
        checkPasswordHash(passwordHash);
        return { id: ulid(), username: checkUsername(username), passwordHash, isAdmin };
      });
      await stream.change(onBehalf, decideRegistration(wanted));
      for (const { id } of wanted) report('user imported', id, onBehalf);
      return wanted.map((user) => publishedNew(user));
    },

    async changeUser(username, { isAdmin, password, disabled, totp }, onBehalf) {
      await stream.takeIn();
      const { id, username: name } = known(users, username);
      const passwordHash =
        password === undefined ? undefined : await newHash(password, name, scheme());
      const wanted = { isAdmin, disabled, passwordHash, totp };
      const decide = decideUserChange(id, wanted, onBehalf.by, opensIn(parts));
      const facts = await stream.change(onBehalf, decide);
      // What an administrator has open may show what others do.
      if (facts.some(({ type }) => endingSessions.has(type))) await book.endAllOf(id);
      for (const { type } of facts) report(type.replace('.', ' ').replace('_', ' '), id, onBehalf);
      return published(known(users, username));
    },

    verifyOwnPassword: (userId, password) => verifyOwnPassword(userId, password, parts),

    changePassword: (caller, currentPassword, password) =>
      changePassword(caller, { currentPassword, password }, parts, report),

    async setVault(userId, folder, onBehalf) {
      await stream.change(onBehalf, decideVault(userId, folder));
      report('vault set', userId, onBehalf);
    },

    async deleteUser(username, onBehalf) {
      await stream.takeIn();
      const user = known(users, username);
      const { id } = user;
      const metadata = metadataOf(onBehalf);
      await stream.change(metadata, decideDeletion(id, opensIn(parts)));
      await forgetDeleted(user, parts);
      report('user deleted', id, onBehalf);
      try {
        await parts.endWork(id, metadata);
      } finally {
        await clearAway(id, parts);
      }
    },
  };
}

/** Ends a deleted user's sessions, forgets where they logged in, and destroys what opens their name. */
async function forgetDeleted(
  { id, username }: Pick<User, 'id' | 'username'>,
  { book, limits, keys }: AdministrationParts,
): Promise<void> {
  await book.endAllOf(id);
  // Version 0.2 kept by the name where an invitation was used.
  await limits.forget([id, usernameKey(username)]);
  await forgetUser(keys, id);
}

/** What is left of a deleted user in files. */
async function clearAway(
  userId: string,
  { archiveSpace, removeUploads }: AdministrationParts,
): Promise<void> {
  await archiveSpace(userId);
  await removeUploads(new Set([userId]));
}

/** The keys of users, as far as their deletion needs them. */
export type UserKeys = Pick<KeyStore, 'forget' | 'isErased'>;

/** Destroys what opens a user's name and password. */
export async function forgetUser(keys: UserKeys, userId: string): Promise<void> {
  for (const subject of userSubjects(userId)) {
    if (!keys.isErased(subject)) await keys.forget(subject);
  }
}

const lookups = (users: Users) =>
  ({
    listUsers: () => [...users.byId.values()].map(published),
    findUser(username) {
      const user = userByName(users, username);
      return user && published(user);
    },
    isUser: (userId) => users.byId.has(userId),
    isActive: (userId) => users.byId.get(userId)?.disabled === false,
    nameOf: (userId) => users.byId.get(userId)?.username ?? null,
    wasUser: (userId) => users.deleted.has(userId),
    hasCreated: (command) => users.idsByCommand.has(command),
    vaultOf: (userId) => users.byId.get(userId)?.vault ?? null,
    usersWithVaults: () =>
      [...users.byId.values()].filter(({ vault }) => vault !== null).map(({ id }) => id),
  }) satisfies Partial<UserAdministration>;

async function createUser(
  { username, password, isAdmin }: Parameters<UserAdministration['createUser']>[0],
  onBehalf: OnBehalf,
  { stream, scheme }: AdministrationParts,
  report: (what: string, userId: string, onBehalf: OnBehalf) => void,
): Promise<PublicUser> {
  const { users } = stream;
  await stream.takeIn();
  const before = createdBefore(users, onBehalf);
  if (before) return before;
  const name = await checkNewUser(username, password);
  if (userByName(users, name)) throw accountError(nameTaken(name));
  const passwordHash = await hashPassword(password, scheme());
  const id = ulid();
  const mustChangePassword = isSomebodyElse(onBehalf.by);
  const wanted = [{ id, username: name, passwordHash, isAdmin, mustChangePassword }];
  const [fact] = await stream.change(onBehalf, decideRegistration(wanted));
  if (fact?.type !== 'user.registered') throw keyUsedDifferently();
  const repeated = createdBefore(users, onBehalf);
  if (repeated && repeated.userId !== id) return repeated;
  report('user created', id, onBehalf);
  return publishedNew({ id, username: name, isAdmin });
}

async function changePassword(
  { userId, ...session }: PasswordOwner,
  { currentPassword, password }: { currentPassword: string; password: string },
  parts: AdministrationParts,
  report: (what: string, userId: string, onBehalf: OnBehalf) => void,
): Promise<void> {
  const { stream, book, scheme } = parts;
  await stream.takeIn();
  const user = stream.users.byId.get(userId);
  if (!user) throw unknownUser();
  await assertGoodPassword(password, user.username);
  await verifyOwnPassword(userId, currentPassword, parts);
  assertOtherPassword(password.normalize('NFC') === currentPassword.normalize('NFC'));
  const goesOn = goesOnOf(session);
  const passwordHash = await hashPassword(password, scheme());
  await stream.change({ by: userId }, decidePasswordChange(userId, passwordHash, goesOn));
  await book.endAllOf(userId, goesOn);
  report('password changed', userId, { by: userId });
}

async function verifyOwnPassword(
  userId: string,
  password: string,
  { stream, scheme }: AdministrationParts,
): Promise<void> {
  const user = stream.users.byId.get(userId);
  if (!user) throw unknownUser();
  if (!user.hasPassword) throw new AccountError('NO_PASSWORD', problemOf('no-password'));
  if (user.passwordHash === null) throw unreadableUser();
  const { ok } = await verifyPassword(user.passwordHash, password, scheme());
  if (!ok) throw new AccountError('WRONG_CREDENTIALS', detail('current-password-wrong'));
}

const published = ({
  id,
  username,
  isAdmin,
  disabled,
  totp,
  hasPassword,
  identity,
}: Published): PublicUser => ({
  userId: id,
  username,
  isAdmin,
  disabled,
  hasTotp: totp !== null,
  hasPassword,
  hasIdentity: identity !== null,
});

type Published = Pick<
  User,
  'id' | 'username' | 'isAdmin' | 'disabled' | 'totp' | 'hasPassword' | 'identity'
>;

/** A user with a password who was made just now. */
const publishedNew = (user: Pick<User, 'id' | 'username' | 'isAdmin'>): PublicUser =>
  published({ ...user, disabled: false, totp: null, hasPassword: true, identity: null });

/** Facts that end all sessions of the user. */
const endingSessions: ReadonlySet<string> = new Set([
  'user.password_changed',
  'user.admin_revoked',
  'user.disabled',
]);

async function newHash(
  password: string,
  username: string,
  scheme: PasswordScheme,
): Promise<string> {
  await assertGoodPassword(password, username);
  return await hashPassword(password, scheme);
}

/** The user that the command created before, if it did. @throws {AccountError} `UNKNOWN_USER` */
function createdBefore(users: Users, { command }: OnBehalf): PublicUser | undefined {
  const id = command === undefined ? undefined : users.idsByCommand.get(command);
  if (id === undefined) return undefined;
  const user = users.byId.get(id);
  if (user) return published(user);
  throw new AccountError('UNKNOWN_USER', detail('user-deleted-since'));
}

function known(users: Users, username: string): User {
  const user = userByName(users, username);
  if (!user) throw unknownUser();
  return user;
}

const unreadableUser = () =>
  new EventStoreError('UNREADABLE', 'The key of this user is missing or damaged.');

const unknownUser = () => new AccountError('UNKNOWN_USER', detail('user-not-found'));

/** A session that began with a password of somebody else's choice was begun for this alone. */
const goesOnOf = ({ sessionId, limited }: Omit<PasswordOwner, 'userId'>): string | undefined =>
  limited === 'password' ? undefined : sessionId;
