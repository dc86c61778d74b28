import { ulid } from 'ulid';
import type { KeyStore } from '../../events/keys.ts';
import type { UserFact } from '../../events/user-facts.ts';
import { AccountError } from './account-error.ts';
import type { Log } from '../log.ts';
import {
  checkPassword,
  checkPasswordHash,
  hashPassword,
  verifyPassword,
  type PasswordScheme,
} from './passwords.ts';
import type { SessionBook } from './session-book.ts';
import { checkUsername, usernameKey } from './usernames.ts';
import type { UsersStream } from './users-stream.ts';
import type { User, UsersView } from './users-view.ts';

/** Who wants it and by which command; from the request. */
export type OnBehalf = { by: string; command?: string | undefined };
type Circumstances = { by: string; command: string };

/** Ends whatever is being done with somebody's recordings, and keeps what there is of them. */
export type EndWork = (userId: string, onBehalf: Circumstances) => Promise<void>;

/** A user as others see them. */
export type PublicUser = { userId: string; username: string; isAdmin: boolean; disabled: boolean };

/** What is to be different about a user; what is left out stays. */
export type UserChanges = {
  isAdmin?: boolean | undefined;
  password?: string | undefined;
  disabled?: boolean | undefined;
};

/** What administrators do with users, and users with their own password. Names compare without case. */
export interface UserAdministration {
  /** In the order in which they were created. */
  listUsers(): PublicUser[];
  findUser(username: string): PublicUser | undefined;
  /** Whether there is a user of that id, disabled or not; the built-in one is none. */
  isUser(userId: string): boolean;
  /** Whether there was a user of that id. */
  wasUser(userId: string): boolean;
  /**
   * The very first user has to be an administrator: without one nobody could set anything up. A
   * command that created a user before returns that user, and creates nobody.
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
   * All of it or nothing. Who is no administrator any more, has another password or is disabled is
   * logged out everywhere; what they record or upload goes on. Nobody disables themselves: it would
   * take somebody else to undo it.
   * @throws {AccountError} `UNKNOWN_USER`, `INVALID_PASSWORD`, `LAST_ADMINISTRATOR`, `OWN_ACCOUNT`, `BUSY`
   */
  changeUser(username: string, changes: UserChanges, onBehalf: OnBehalf): Promise<PublicUser>;
  /** Sets one's own; all other sessions and this one end. @throws {AccountError} `WRONG_CREDENTIALS`, `INVALID_PASSWORD`, `BUSY` */
  changePassword(userId: string, currentPassword: string, password: string): Promise<void>;
  /**
   * Deletes the user and destroys what the log holds of them. What is being recorded or done for them
   * ends, with everything kept, and then their documents are put aside.
   * @throws {AccountError} `UNKNOWN_USER`, `LAST_ADMINISTRATOR`, `BUSY`; what the log and the system
   *   say of work that cannot be ended and of documents that cannot be moved: then the user is gone,
   *   and the next start does the rest.
   */
  deleteUser(username: string, onBehalf: OnBehalf): Promise<void>;
}

type Parts = {
  stream: UsersStream;
  book: SessionBook;
  keys: Pick<KeyStore, 'forget'> | undefined;
  scheme: () => PasswordScheme;
  /** Ends what is being done for a deleted user. */
  endWork: EndWork | undefined;
  /** Puts the documents of a deleted user aside. */
  retireSpace: ((userId: string) => Promise<void>) | undefined;
  log: Pick<Log, 'info'>;
};

export function userAdministration(parts: Parts): UserAdministration {
  const { stream, book, keys, scheme } = parts;
  const tell = (what: string, userId: string, { by }: OnBehalf): void =>
    parts.log.info({ category: 'security', user_id: userId, by }, what);

  const newHash = async (password: string) => {
    checkPassword(password);
    return { password_hash: await hashPassword(password, scheme()) };
  };
  /** What the command created before, if it did. */
  const createdBefore = ({ command }: OnBehalf): PublicUser | undefined => {
    const id = command === undefined ? undefined : stream.users.createdBy(command);
    if (id === undefined) return undefined;
    const user = stream.users.byId(id);
    if (user) return published(user);
    throw new AccountError('UNKNOWN_USER', 'The user was created, and has been deleted since.');
  };

  return {
    listUsers: () => stream.users.list().map(published),

    findUser(username) {
      const user = stream.users.byName(username);
      return user && published(user);
    },

    isUser: (userId) => stream.users.byId(userId) !== undefined,
    wasUser: (userId) => stream.users.wasDeleted(userId),

    async createUser({ username, password, isAdmin }, onBehalf) {
      const before = createdBefore(onBehalf);
      if (before) return before;
      const name = checkUsername(username);
      checkPassword(password);
      refuseTaken(stream.users, name);
      const passwordHash = await hashPassword(password, scheme());
      const userId = ulid();
      await stream.change(circumstances(onBehalf), (users) => {
        if (createdBefore(onBehalf)) return [];
        refuseTaken(users, name);
        if (!isAdmin) refuseBeforeAdministrator(users);
        return [registration(userId, name, passwordHash, isAdmin)];
      });
      const repeated = createdBefore(onBehalf);
      if (repeated && repeated.userId !== userId) return repeated;
      tell('user created', userId, onBehalf);
      return { userId, username: name, isAdmin, disabled: false };
    },

    async importUsers(given, onBehalf) {
      const names = new Set<string>();
      const users = given.map(({ username, passwordHash, isAdmin }) => {
        const name = checkUsername(username);
        checkPasswordHash(passwordHash);
        if (names.has(usernameKey(name))) throw taken(name);
        names.add(usernameKey(name));
        return { userId: ulid(), username: name, passwordHash, isAdmin };
      });
      await stream.change(circumstances(onBehalf), (present) => {
        for (const { username } of users) refuseTaken(present, username);
        if (!users.some(({ isAdmin }) => isAdmin)) refuseBeforeAdministrator(present);
        return users.map((user) =>
          registration(user.userId, user.username, user.passwordHash, user.isAdmin),
        );
      });
      for (const { userId } of users) tell('user imported', userId, onBehalf);
      return users.map(({ userId, username, isAdmin }) => ({
        userId,
        username,
        isAdmin,
        disabled: false,
      }));
    },

    async changeUser(username, { isAdmin, password, disabled }, onBehalf) {
      const { id } = known(stream.users, username);
      const content = password === undefined ? undefined : await newHash(password);
      let facts: UserFact[] = [];
      await stream.change(circumstances(onBehalf), (users) => {
        const user = users.byId(id);
        if (!user) throw unknownUser();
        const after = { isAdmin: isAdmin ?? user.isAdmin, disabled: disabled ?? user.disabled };
        if (!after.isAdmin || after.disabled) refuseLast(users, user);
        if (after.disabled && !user.disabled && onBehalf.by === id) throw ownAccount();
        facts = changesOf(user, after, content);
        return facts;
      });
      // What an administrator has open may show what others do.
      if (facts.some(({ type }) => endingSessions.has(type))) await book.endAllOf(id);
      for (const { type } of facts) tell(type.replace('.', ' ').replace('_', ' '), id, onBehalf);
      return published(known(stream.users, username));
    },

    async changePassword(userId, currentPassword, password) {
      const user = stream.users.byId(userId);
      if (!user) throw unknownUser();
      checkPassword(password);
      const { ok } = await verifyPassword(user.passwordHash, currentPassword, scheme());
      if (!ok) throw new AccountError('WRONG_CREDENTIALS', 'The current password is wrong.');
      const content = await newHash(password);
      const data = { user_id: userId, reason: 'changed' } as const;
      await stream.change(circumstances({ by: userId }), (users) => {
        if (!users.byId(userId)) throw unknownUser();
        return [{ type: 'user.password_changed', data, content }];
      });
      await book.endAllOf(userId);
      tell('password changed', userId, { by: userId });
    },

    async deleteUser(username, onBehalf) {
      const { id } = known(stream.users, username);
      await stream.change(circumstances(onBehalf), (users) => {
        const user = users.byId(id);
        if (!user) throw unknownUser();
        refuseLast(users, user);
        return [{ type: 'user.deleted', data: { user_id: id } }];
      });
      await book.endAllOf(id);
      await keys?.forget(id);
      tell('user deleted', id, onBehalf);
      try {
        await parts.endWork?.(id, circumstances(onBehalf));
      } finally {
        await parts.retireSpace?.(id);
      }
    },
  };
}

/** The fact of a new user. */
export const registration = (
  userId: string,
  username: string,
  passwordHash: string,
  isAdmin: boolean,
): UserFact => ({
  type: 'user.registered',
  data: { user_id: userId, is_admin: isAdmin },
  content: { username, password_hash: passwordHash },
});

const circumstances = ({ by, command = ulid() }: OnBehalf): Circumstances => ({ by, command });

const published = ({ id, username, isAdmin, disabled }: User): PublicUser => ({
  userId: id,
  username,
  isAdmin,
  disabled,
});

/** Facts after which nobody is logged in as the user any more. */
const endingSessions: ReadonlySet<string> = new Set([
  'user.password_changed',
  'user.admin_revoked',
  'user.disabled',
]);

/** The facts that lead from how a user is to how they are to be; none where it is so already. */
function changesOf(
  user: User,
  after: Pick<User, 'isAdmin' | 'disabled'>,
  newPassword: { password_hash: string } | undefined,
): UserFact[] {
  const data = { user_id: user.id };
  const facts: UserFact[] = [];
  if (after.isAdmin !== user.isAdmin) {
    facts.push({ type: after.isAdmin ? 'user.admin_granted' : 'user.admin_revoked', data });
  }
  if (after.disabled !== user.disabled) {
    facts.push({ type: after.disabled ? 'user.disabled' : 'user.enabled', data });
  }
  if (newPassword) {
    const type = 'user.password_changed';
    facts.push({ type, data: { ...data, reason: 'reset' }, content: newPassword });
  }
  return facts;
}

function known(users: UsersView, username: string): User {
  const user = users.byName(username);
  if (!user) throw unknownUser();
  return user;
}

const unknownUser = () => new AccountError('UNKNOWN_USER', 'There is no user of that name.');

const ownAccount = () =>
  new AccountError('OWN_ACCOUNT', 'Nobody disables themselves. Ask another administrator.');

const taken = (username: string) =>
  new AccountError('USERNAME_TAKEN', `There is a user ${username} already.`);

function refuseTaken(users: UsersView, username: string): void {
  if (users.byName(username)) throw taken(username);
}

function refuseBeforeAdministrator(users: UsersView): void {
  if (users.administrators > 0) return;
  throw new AccountError('ADMINISTRATOR_FIRST', 'The first user has to be an administrator.');
}

function refuseLast(users: UsersView, user: User): void {
  if (user.isAdmin && !user.disabled && users.administrators === 1) {
    throw new AccountError('LAST_ADMINISTRATOR', 'The last administrator has to stay one.');
  }
}
