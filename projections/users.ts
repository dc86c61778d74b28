import { detail } from '../src/words/details.ts';
import type { Sentence } from '../src/words/params.ts';
import { problemOf } from '../src/words/problems.ts';
import {
  type LoggedFact,
  type UserFact,
  groupSubject,
  userSubject,
} from '../events/facts/catalogue.ts';
import { type Group, type OpenGroups, groupsAfter, newGroups } from './groups.ts';
import { type SecondFactor, secondFactorAfter, secondFactorEnded } from './second-factor.ts';
import { lookOf, usernameKey } from './username-forms.ts';
import type { Aggregate, Decision, Refusal } from '../events/command-handler.ts';

export type User = {
  /** ULID: a name used again inherits nothing. */
  readonly id: string;
  readonly username: string;
  readonly isAdmin: boolean;
  /** Cannot log in. */
  readonly disabled: boolean;
  /**
   * PHC string. In memory only: no row holds it. Null when the user's key is lost: the name is the id then,
   * and this user cannot log in.
   */
  readonly passwordHash: string | null;
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
>;
export type UserDecision = Decision<UserFact, UserRefusal>;
/** A user to be created. */
export type NewUser = Pick<User, 'id' | 'username' | 'isAdmin'> & {
  readonly passwordHash: string;
  /** The password was chosen by somebody else. */
  readonly mustChangePassword?: boolean;
};

/** How the `users` stream folds. `evolve` changes the state in place: it is the handler's own. */
export const usersAggregate: Aggregate<Users, UserFact> = {
  initial: () => newUsers(),
  evolve: (users, fact) => usersAfter(users as OpenUsers, fact),
  accept: (_users, _version, facts, metadata) =>
    facts.map((fact) => ({ ...fact, ...metadata, subject: subjectOf(fact) })),
};

const subjectOf = ({ data }: UserFact): string =>
  'group_id' in data ? groupSubject(data.group_id) : userSubject(data.user_id);

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
    const hasAdministrator = administrators(users) > 0 || wanted.some(({ isAdmin }) => isAdmin);
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
  ) =>
  (users: Users): UserDecision => {
    const user = users.byId.get(id);
    if (!user) return unknownUser;
    const { isAdmin = user.isAdmin, disabled = user.disabled, passwordHash } = wanted;
    if ((!isAdmin || disabled) && isLastAdministrator(users, user)) return lastAdministrator;
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
  (id: string, passwordHash: string) =>
  (users: Users): UserDecision =>
    users.byId.has(id) ? [passwordChanged(id, 'changed', passwordHash)] : unknownUser;

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
  (id: string) =>
  (users: Users): UserDecision => {
    const user = users.byId.get(id);
    if (!user) return unknownUser;
    if (isLastAdministrator(users, user)) return lastAdministrator;
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

export const refuse = (refused: UserRefusal['refused'], said: Sentence): UserRefusal => ({
  refused,
  said,
});
export const unknownUser = refuse('UNKNOWN_USER', detail('user-not-found'));
const lastAdministrator = refuse('LAST_ADMINISTRATOR', problemOf('last-administrator'));

/** Administrators who can log in. */
const administrators = ({ byId }: Users): number => [...byId.values()].filter(canAdminister).length;
const canAdminister = ({ isAdmin, disabled, passwordHash }: User): boolean =>
  isAdmin && !disabled && passwordHash !== null;
const isLastAdministrator = (users: Users, user: User): boolean =>
  canAdminister(user) && administrators(users) === 1;

export const registered = ({ id, username, passwordHash, isAdmin }: NewUser): UserFact => ({
  type: 'user.registered',
  data: { user_id: id, is_admin: isAdmin },
  content: { username, password_hash: passwordHash },
});
const passwordSet = (id: string): UserFact => ({
  type: 'user.password_set',
  data: { user_id: id },
});
export const passwordChanged = (
  id: string,
  reason: 'changed' | 'reset' | 'rehashed',
  passwordHash: string,
): UserFact => ({
  type: 'user.password_changed',
  data: { user_id: id, reason },
  content: { password_hash: passwordHash },
});

type OpenUsers = {
  version: number;
  byId: Map<string, User>;
  idsByName: Map<string, string>;
  deleted: Set<string>;
  links: Map<string, UserLink>;
  withdrawn: Set<string>;
  idsByCommand: Map<string, string>;
} & OpenGroups;
const newUsers = (): OpenUsers => ({
  version: 0,
  byId: new Map(),
  idsByName: new Map(),
  deleted: new Set(),
  links: new Map(),
  withdrawn: new Set(),
  idsByCommand: new Map(),
  ...newGroups(),
});

function usersAfter(users: OpenUsers, fact: LoggedFact): OpenUsers {
  const { version } = fact;
  users.version = version;
  switch (fact.type) {
    case 'user.registered':
      register(users, fact);
      return users;
    case 'user.password_changed': {
      const passwordHash = fact.content?.password_hash ?? null;
      // Erased with the user; `user.deleted` follows.
      if (passwordHash === null && !fact.unreadable) return users;
      if (fact.data.reason === 'rehashed')
        return change(users, fact.data.user_id, { passwordHash });
      users.links.delete(fact.data.user_id);
      const since = { passwordSince: version, sessionsSince: version };
      return change(users, fact.data.user_id, {
        passwordHash,
        mustChangePassword: false,
        ...since,
      });
    }
    case 'user.password_set':
      return change(users, fact.data.user_id, { mustChangePassword: true });
    case 'user.invited':
    case 'user.password_link_made':
      addLink(users, fact);
      return users;
    case 'user.invitation_withdrawn':
      users.withdrawn.add(fact.data.user_id);
      users.links.delete(fact.data.user_id);
      return users;
    case 'user.password_link_withdrawn':
      users.links.delete(fact.data.user_id);
      return users;
    case 'user.admin_granted':
      return change(users, fact.data.user_id, { isAdmin: true });
    case 'user.admin_revoked':
      return change(users, fact.data.user_id, { isAdmin: false, sessionsSince: version });
    case 'user.disabled':
      return change(users, fact.data.user_id, { disabled: true, sessionsSince: version });
    case 'user.enabled':
      return change(users, fact.data.user_id, { disabled: false });
    case 'user.vault_set':
      return change(users, fact.data.user_id, { vault: fact.content?.folder ?? null });
    case 'user.totp_enabled':
    case 'user.totp_disabled':
    case 'user.recovery_code_used': {
      const { user_id: id } = fact.data;
      const present = users.byId.get(id)?.totp ?? null;
      return change(users, id, { totp: secondFactorAfter(present, fact) });
    }
    case 'user.deleted':
      users.deleted.add(fact.data.user_id);
      remove(users, fact.data.user_id);
      groupsAfter(users, fact);
      return users;
    default:
      groupsAfter(users, fact);
      return users;
  }
}

function register(users: OpenUsers, fact: Extract<LoggedFact, { type: 'user.registered' }>): void {
  const { user_id: id, is_admin: isAdmin } = fact.data;
  users.idsByCommand.set(fact.command, id);
  users.links.delete(id);
  if (!fact.content && !fact.unreadable) return;
  const { username, password_hash: passwordHash } = fact.content ?? lost(id);
  remove(users, id);
  const since = { passwordSince: fact.version, sessionsSince: fact.version };
  const plain = { disabled: false, vault: null, mustChangePassword: false, totp: null };
  users.byId.set(id, { id, username, isAdmin, passwordHash, ...plain, ...since });
  users.idsByName.set(usernameKey(username), id);
}

function addLink(
  users: OpenUsers,
  fact: Extract<LoggedFact, { type: 'user.invited' | 'user.password_link_made' }>,
): void {
  const { user_id: userId, sha256, expires_at: expiresAt } = fact.data;
  const isInvitation = fact.type === 'user.invited';
  // Withdrawn, and brought back by a backup of before.
  if (isInvitation && !fact.content && !fact.unreadable) return;
  users.links.set(userId, {
    userId,
    purpose: isInvitation ? 'invitation' : 'password',
    sha256,
    isAdmin: isInvitation && fact.data.is_admin,
    note: (isInvitation && fact.content?.note) || '',
    by: fact.by,
    at: fact.at,
    expiresAt,
  });
}

/** A user whose key is lost can still be found, by the id, and deleted. */
const lost = (id: string) => ({ username: id, password_hash: null });

function remove(users: OpenUsers, id: string): void {
  const user = users.byId.get(id);
  if (!user) return;
  users.byId.delete(id);
  users.links.delete(id);
  users.idsByName.delete(usernameKey(user.username));
}

function change(users: OpenUsers, id: string, changes: Partial<User>): OpenUsers {
  const user = users.byId.get(id);
  if (user) users.byId.set(id, { ...user, ...changes });
  return users;
}
