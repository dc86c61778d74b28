import { ulid } from 'ulid';
import type { KeyStore } from '../../events/keys.ts';
import type { UserFact } from '../../events/user-facts.ts';
import { AccountError } from './account-error.ts';
import { checkPassword, hashPassword, verifyPassword, type PasswordScheme } from './passwords.ts';
import type { SessionBook } from './session-book.ts';
import { checkUsername } from './usernames.ts';
import type { UsersStream } from './users-stream.ts';
import type { User, UsersView } from './users-view.ts';

/** Who wants it and by which command; from the request. */
export type OnBehalf = { by: string; command?: string | undefined };

/** A user as others see them. */
export type PublicUser = { userId: string; username: string; isAdmin: boolean };

/** What administrators do with users, and users with their own password. Names compare without case. */
export interface UserAdministration {
  /** In the order in which they were created. */
  listUsers(): PublicUser[];
  findUser(username: string): PublicUser | undefined;
  /** @throws {AccountError} `INVALID_USERNAME`, `INVALID_PASSWORD`, `USERNAME_TAKEN`, `BUSY` */
  createUser(
    user: { username: string; password: string; isAdmin: boolean },
    onBehalf: OnBehalf,
  ): Promise<PublicUser>;
  /** @throws {AccountError} `UNKNOWN_USER`, `LAST_ADMINISTRATOR`, `BUSY` */
  setAdministrator(username: string, isAdmin: boolean, onBehalf: OnBehalf): Promise<void>;
  /** Sets another's password and ends their sessions. @throws {AccountError} `UNKNOWN_USER`, `INVALID_PASSWORD`, `BUSY` */
  resetPassword(username: string, password: string, onBehalf: OnBehalf): Promise<void>;
  /** Sets one's own; all other sessions and this one end. @throws {AccountError} `WRONG_CREDENTIALS`, `INVALID_PASSWORD`, `BUSY` */
  changePassword(userId: string, currentPassword: string, password: string): Promise<void>;
  /** Deletes the user and destroys what the log holds of them. @throws {AccountError} `UNKNOWN_USER`, `LAST_ADMINISTRATOR`, `BUSY` */
  deleteUser(username: string, onBehalf: OnBehalf): Promise<void>;
}

type Parts = {
  stream: UsersStream;
  book: SessionBook;
  keys: Pick<KeyStore, 'forget'> | undefined;
  scheme: () => PasswordScheme;
};

export function userAdministration(parts: Parts): UserAdministration {
  const { stream, book, keys, scheme } = parts;

  const setPassword = async (
    user: User,
    password: string,
    reason: 'changed' | 'reset',
    onBehalf: OnBehalf,
  ) => {
    checkPassword(password);
    const content = { password_hash: await hashPassword(password, scheme()) };
    await stream.change(circumstances(onBehalf), (users) => {
      if (!users.byId(user.id)) throw unknownUser();
      return [{ type: 'user.password_changed', data: { user_id: user.id, reason }, content }];
    });
    await book.endAllOf(user.id);
  };

  return {
    listUsers: () => stream.users.list().map(published),

    findUser(username) {
      const user = stream.users.byName(username);
      return user && published(user);
    },

    async createUser({ username, password, isAdmin }, onBehalf) {
      const name = checkUsername(username);
      checkPassword(password);
      refuseTaken(stream.users, name);
      const passwordHash = await hashPassword(password, scheme());
      const userId = ulid();
      await stream.change(circumstances(onBehalf), (users) => {
        refuseTaken(users, name);
        return [registration(userId, name, passwordHash, isAdmin)];
      });
      return { userId, username: name, isAdmin };
    },

    async setAdministrator(username, isAdmin, onBehalf) {
      await stream.change(circumstances(onBehalf), (users) => {
        const user = known(users, username);
        if (user.isAdmin === isAdmin) return [];
        if (!isAdmin) refuseLast(users, user);
        const type = isAdmin ? 'user.admin_granted' : 'user.admin_revoked';
        return [{ type, data: { user_id: user.id } }];
      });
    },

    resetPassword: async (username, password, onBehalf) =>
      setPassword(known(stream.users, username), password, 'reset', onBehalf),

    async changePassword(userId, currentPassword, password) {
      const user = stream.users.byId(userId);
      if (!user) throw unknownUser();
      checkPassword(password);
      const { ok } = await verifyPassword(user.passwordHash, currentPassword, scheme());
      if (!ok) throw new AccountError('WRONG_CREDENTIALS', 'The current password is wrong.');
      await setPassword(user, password, 'changed', { by: userId });
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

const circumstances = ({ by, command = ulid() }: OnBehalf) => ({ by, command });

const published = ({ id, username, isAdmin }: User): PublicUser => ({
  userId: id,
  username,
  isAdmin,
});

function known(users: UsersView, username: string): User {
  const user = users.byName(username);
  if (!user) throw unknownUser();
  return user;
}

const unknownUser = () => new AccountError('UNKNOWN_USER', 'There is no user of that name.');

function refuseTaken(users: UsersView, username: string): void {
  if (users.byName(username)) {
    throw new AccountError('USERNAME_TAKEN', `There is a user ${username} already.`);
  }
}

function refuseLast(users: UsersView, user: User): void {
  if (user.isAdmin && users.administrators === 1) {
    throw new AccountError('LAST_ADMINISTRATOR', 'The last administrator has to stay one.');
  }
}
