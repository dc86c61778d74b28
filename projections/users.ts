import { detail } from '../src/words/details.ts';
import { problemOf } from '../src/words/problems.ts';
import type { UserFact } from '../events/facts/catalogue.ts';
import type { Identity } from './identities.ts';
import type { Group } from './groups.ts';
import { type SecondFactor, secondFactorEnded } from './second-factor.ts';
import { lookOf, usernameKey } from './username-forms.ts';
import { type Decision, type Refusal, refuse } from '../events/command-handler.ts';

export type User = {
  /** ULID: a name used again inherits nothing. */
  readonly id: string;
  readonly username: string;
  readonly isAdmin: boolean;
  /** Cannot log in. */
  readonly disabled: boolean;
  /**
   * PHC string. In memory only: no row holds it. Null for who has no password, and when the user's key is lost: the
   * name is the id then, and this user cannot log in.
   */
  readonly passwordHash: string | null;
  /** False: logs in at the sign-on provider only. */
  readonly hasPassword: boolean;
  /** The password was set on the host, or by a link from there, or changed by its user since: whoever owns that gets in whatever `auth.local_login` says. */
  readonly hasHostPassword: boolean;
  /** Who this user is at a sign-on provider; null: not linked. */
  readonly identity: Identity | null;
  /** Version of the stream at which the password became this one; a new hash of it does not count. */
  readonly passwordSince: number;
  /** Folder into which this user's documents are copied; null: there is none. */
  readonly vault: string | null;
  /** The password was chosen by somebody else: it opens nothing until it is changed. */
  readonly mustChangePassword: boolean;
  /** What logging in takes besides the password; null: nothing. */
  readonly totp: SecondFactor | null;
  /** Version of the stream at which all sessions ended; those that a crash left are invalid too. */
  readonly sessionsSince: number;
  /** The one session that did not end then: in it the password was changed. */
  readonly sessionKept: string | null;
};

/** The users as the `users` stream says, in memory: there are few, and every request asks. */
export type Users = {
  /** Version of the stream up to which facts were applied. */
  readonly version: number;
  readonly byId: ReadonlyMap<string, User>;
  /** Ids by `usernameKey`. */
  readonly idsByName: ReadonlyMap<string, string>;
  /** Ids of deleted users, oldest first. */
  readonly deleted: ReadonlySet<string>;
  /** Links that were given out and neither used nor withdrawn, by the id of the user they are for; also those that are over. */
  readonly links: ReadonlyMap<string, UserLink>;
  /** Ids that invitations had which were withdrawn. */
  readonly withdrawn: ReadonlySet<string>;
  /** Ids of the users that a command created, deleted ones included. */
  readonly idsByCommand: ReadonlyMap<string, string>;
  /** By id, in the order in which they were made. */
  readonly groups: ReadonlyMap<string, Group>;
  readonly deletedGroups: ReadonlySet<string>;
};

/** A link for one person: an invitation, or to choose a new password. */
export type UserLink = {
  readonly userId: string;
  readonly purpose: 'invitation' | 'password';
  /** Of its token. */
  readonly sha256: string;
  readonly isAdmin: boolean;
  /** For whom it is, in the words of who made it. */
  readonly note: string;
  readonly by: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly expiresAt: string;
};

export type UserRefusal = Refusal<
  | 'ALREADY_SET_UP'
  | 'USERNAME_TAKEN'
  | 'ADMINISTRATOR_FIRST'
  | 'UNKNOWN_USER'
  | 'LAST_ADMINISTRATOR'
  | 'OWN_ACCOUNT'
  | 'LINK_OVER'
  | 'TOO_MANY_LINKS'
  | 'NAME_TAKEN'
  | 'TOO_MANY_NAMES'
  | 'UNKNOWN_GROUP'
  | 'WRONG_CODE'
  | 'TWO_STEP_CHANGED'
  | 'NOT_ADMITTED'
  | 'USER_DISABLED'
  | 'NO_PASSWORD'
  | 'USE_SINGLE_SIGN_ON'
>;
/** Whether a user's password lets them in now: the settings say whose does. */
export type OpensByPassword = (user: User) => boolean;
export type UserDecision = Decision<UserFact, UserRefusal>;
/** A user to be created. */
export type NewUser = Pick<User, 'id' | 'username' | 'isAdmin'> & {
  /** Null: logs in at the sign-on provider only. */
  readonly passwordHash: string | null;
  /** The password was chosen by somebody else. */
  readonly mustChangePassword?: boolean;
};

/** Compares without case. */
export function userByName(users: Users, username: string): User | undefined {
  const id = users.idsByName.get(usernameKey(username));
  return id === undefined ? undefined : users.byId.get(id);
}

/** Creates the first administrator. */
export const decideSetup =
  (first: Omit<NewUser, 'isAdmin'>) =>
  (users: Users): UserDecision =>
    users.byId.size > 0
      ? refuse('ALREADY_SET_UP', problemOf('already-set-up'))
      : [registered({ ...first, isAdmin: true })];

/** Creates users, all or none. The first user is an administrator: no other could set anything up. */
export const decideRegistration =
  (wanted: readonly NewUser[]) =>
  (users: Users): UserDecision => {
    const taken = new Map<string, Pick<User, 'username'>>();
    const take = (user: Pick<User, 'username'>) => {
      for (const form of [usernameKey(user.username), lookOf(user.username)]) taken.set(form, user);
    };
    for (const user of users.byId.values()) take(user);
    for (const user of wanted) {
      const same = taken.get(usernameKey(user.username)) ?? taken.get(lookOf(user.username));
      if (same) return nameTaken(user.username, same.username);
      take(user);
    }
    const hasAdministrator =
      [...users.byId.values()].some((user) => canAdminister(user)) ||
      wanted.some(({ isAdmin }) => isAdmin);
    return hasAdministrator
      ? wanted.flatMap((user) => [
          registered(user),
          ...(user.mustChangePassword === true ? [passwordSet(user.id)] : []),
        ])
      : refuse('ADMINISTRATOR_FIRST', problemOf('administrator-first'));
  };

/** Changes rights, the password and whether the user can log in; what is left out stays. */
export const decideUserChange =
  (
    id: string,
    wanted: {
      isAdmin?: boolean | undefined;
      disabled?: boolean | undefined;
      passwordHash?: string | undefined;
      totp?: null | undefined;
    },
    by: string,
    opensByPassword: OpensByPassword = hasPassword,
  ) =>
  (users: Users): UserDecision => {
    const user = users.byId.get(id);
    if (!user) return unknownUser;
    const { isAdmin = user.isAdmin, disabled = user.disabled, passwordHash } = wanted;
    if ((!isAdmin || disabled) && isLastAdministrator(users, user, opensByPassword))
      return lastAdministrator;
    if (disabled && !user.disabled && by === id) {
      return refuse('OWN_ACCOUNT', problemOf('own-account'));
    }
    const data = { user_id: id };
    const facts: UserFact[] = [];
    if (isAdmin !== user.isAdmin) {
      facts.push({ type: isAdmin ? 'user.admin_granted' : 'user.admin_revoked', data });
    }
    if (disabled !== user.disabled) {
      facts.push({ type: disabled ? 'user.disabled' : 'user.enabled', data });
    }
    if (passwordHash !== undefined) facts.push(passwordChanged(id, 'reset', passwordHash));
    if (passwordHash !== undefined && isSomebodyElse(by, id)) facts.push(passwordSet(id));
    if (wanted.totp === null && user.totp) {
      facts.push(secondFactorEnded(id, by === 'system' ? 'host' : 'administrator'));
    }
    return facts;
  };

/** Whether a password that `by` chooses is known to somebody else than its user; commands on the host are trusted. */
export const isSomebodyElse = (by: string, userId?: string): boolean =>
  by !== userId && by !== 'system';

/** A user's own new password. */
export const decidePasswordChange =
  (id: string, passwordHash: string, session?: string) =>
  (users: Users): UserDecision =>
    users.byId.has(id) ? [passwordChanged(id, 'changed', passwordHash, session)] : unknownUser;

/** Another hash of the same password, unless the password or its hash has changed meanwhile. */
export const decideRehash =
  ({ id, passwordHash }: Pick<User, 'id' | 'passwordHash'>, newHash: string) =>
  (users: Users): UserDecision =>
    users.byId.get(id)?.passwordHash === passwordHash
      ? [passwordChanged(id, 'rehashed', newHash)]
      : [];

/** Another folder for the user's documents, or none; nothing where the folder stays. */
export const decideVault =
  (id: string, folder: string | null) =>
  (users: Users): UserDecision => {
    const user = users.byId.get(id);
    if (!user) return unknownUser;
    if (user.vault === folder) return [];
    return [{ type: 'user.vault_set', data: { user_id: id }, content: { folder } }];
  };

export const decideDeletion =
  (id: string, opensByPassword: OpensByPassword = hasPassword) =>
  (users: Users): UserDecision => {
    const user = users.byId.get(id);
    if (!user) return unknownUser;
    if (isLastAdministrator(users, user, opensByPassword)) return lastAdministrator;
    return [{ type: 'user.deleted', data: { user_id: id } }];
  };

/** @param present the name of the user that there is, which may only look the same */
export const nameTaken = (username: string, present = username): UserRefusal =>
  refuse(
    'USERNAME_TAKEN',
    usernameKey(username) === usernameKey(present)
      ? problemOf('username-taken', { name: username })
      : detail('username-taken-nearly', { name: username }),
  );

/** The user whose name is this one, or looks like it. */
export const similarUser = (users: Users, username: string): User | undefined =>
  userByName(users, username) ??
  [...users.byId.values()].find((user) => lookOf(user.username) === lookOf(username));

export const unknownUser = refuse('UNKNOWN_USER', detail('user-not-found'));
const lastAdministrator = refuse('LAST_ADMINISTRATOR', problemOf('last-administrator'));

/** Whatever the settings say of passwords: they may be changed, and the host lets in who has one. */
const hasPassword: OpensByPassword = ({ passwordHash }) => passwordHash !== null;
const canAdminister = (user: User, opensByPassword: OpensByPassword = hasPassword): boolean =>
  user.isAdmin && !user.disabled && (user.identity !== null || opensByPassword(user));
/** An administrator without whom none could log in. */
export const isLastAdministrator = (
  { byId }: Users,
  user: User,
  opensByPassword: OpensByPassword,
): boolean =>
  canAdminister(user) &&
  ![...byId.values()].some(
    (other) => other.id !== user.id && canAdminister(other, opensByPassword),
  );

export const registered = ({ id, username, passwordHash, isAdmin }: NewUser): UserFact => ({
  type: 'user.registered',
  data: { user_id: id, is_admin: isAdmin },
  content: { username, ...(passwordHash === null ? {} : { password_hash: passwordHash }) },
});
const passwordSet = (id: string): UserFact => ({
  type: 'user.password_set',
  data: { user_id: id },
});
export const passwordChanged = (
  id: string,
  reason: 'changed' | 'reset' | 'rehashed',
  passwordHash: string,
  session?: string,
): UserFact => ({
  type: 'user.password_changed',
  data: { user_id: id, reason, ...(session !== undefined && { session }) },
  content: { password_hash: passwordHash },
});
