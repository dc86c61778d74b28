import type { LoggedFact, UserFact } from '../events/facts/catalogue.ts';
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
  /** Ids of the users that a command created, deleted ones included. */
  readonly idsByCommand: ReadonlyMap<string, string>;
};

export type UserRefusal = Refusal<
  | 'ALREADY_SET_UP'
  | 'USERNAME_TAKEN'
  | 'ADMINISTRATOR_FIRST'
  | 'UNKNOWN_USER'
  | 'LAST_ADMINISTRATOR'
  | 'OWN_ACCOUNT'
>;
type UserDecision = Decision<UserFact, UserRefusal>;
/** A user to be created. */
export type NewUser = Pick<User, 'id' | 'username' | 'isAdmin'> & { readonly passwordHash: string };

/** How the `users` stream folds. `evolve` changes the state in place: it is the handler's own. */
export const usersAggregate: Aggregate<Users, UserFact> = {
  initial: () => newUsers(),
  evolve: (users, fact) => usersAfter(users as OpenUsers, fact),
  accept: (_users, _version, facts, metadata) =>
    facts.map((fact) => ({ ...fact, ...metadata, subject: fact.data.user_id })),
};

/** Compares without case. */
export function userByName(users: Users, username: string): User | undefined {
  const id = users.idsByName.get(usernameKey(username));
  return id === undefined ? undefined : users.byId.get(id);
}

/** The form in which names are compared: without case, compatible characters as one. */
export const usernameKey = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/** Creates the first administrator. */
export const decideSetup =
  (first: Omit<NewUser, 'isAdmin'>) =>
  (users: Users): UserDecision =>
    users.byId.size > 0
      ? refuse('ALREADY_SET_UP', 'The first administrator exists already. Log in instead.')
      : [registered({ ...first, isAdmin: true })];

/** Creates users, all or none. The first user is an administrator: no other could set anything up. */
export const decideRegistration =
  (wanted: readonly NewUser[]) =>
  (users: Users): UserDecision => {
    const names = new Set(users.idsByName.keys());
    for (const { username } of wanted) {
      const key = usernameKey(username);
      if (names.has(key)) return nameTaken(username);
      names.add(key);
    }
    const hasAdministrator = administrators(users) > 0 || wanted.some(({ isAdmin }) => isAdmin);
    return hasAdministrator
      ? wanted.map((user) => registered(user))
      : refuse('ADMINISTRATOR_FIRST', 'The first user has to be an administrator.');
  };

/** Changes rights, the password and whether the user can log in; what is left out stays. */
export const decideUserChange =
  (
    id: string,
    wanted: {
      isAdmin?: boolean | undefined;
      disabled?: boolean | undefined;
      passwordHash?: string | undefined;
    },
    by: string,
  ) =>
  (users: Users): UserDecision => {
    const user = users.byId.get(id);
    if (!user) return unknownUser;
    const { isAdmin = user.isAdmin, disabled = user.disabled, passwordHash } = wanted;
    if ((!isAdmin || disabled) && isLastAdministrator(users, user)) return lastAdministrator;
    if (disabled && !user.disabled && by === id) {
      return refuse('OWN_ACCOUNT', 'You cannot disable yourself. Ask another administrator.');
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
    return facts;
  };

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

export const decideDeletion =
  (id: string) =>
  (users: Users): UserDecision => {
    const user = users.byId.get(id);
    if (!user) return unknownUser;
    if (isLastAdministrator(users, user)) return lastAdministrator;
    return [{ type: 'user.deleted', data: { user_id: id } }];
  };

export const nameTaken = (username: string): UserRefusal =>
  refuse('USERNAME_TAKEN', `There is a user ${username} already. Choose another name.`);

const refuse = (refused: UserRefusal['refused'], message: string): UserRefusal => ({
  refused,
  message,
});
const unknownUser = refuse('UNKNOWN_USER', 'There is no user of that name.');
const lastAdministrator = refuse(
  'LAST_ADMINISTRATOR',
  'This is the last administrator. Make another user an administrator first.',
);

/** Administrators who can log in. */
const administrators = ({ byId }: Users): number => [...byId.values()].filter(canAdminister).length;
const canAdminister = ({ isAdmin, disabled, passwordHash }: User): boolean =>
  isAdmin && !disabled && passwordHash !== null;
const isLastAdministrator = (users: Users, user: User): boolean =>
  canAdminister(user) && administrators(users) === 1;

const registered = ({ id, username, passwordHash, isAdmin }: NewUser): UserFact => ({
  type: 'user.registered',
  data: { user_id: id, is_admin: isAdmin },
  content: { username, password_hash: passwordHash },
});
const passwordChanged = (
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
  idsByCommand: Map<string, string>;
};
const newUsers = (): OpenUsers => ({
  version: 0,
  byId: new Map(),
  idsByName: new Map(),
  deleted: new Set(),
  idsByCommand: new Map(),
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
      const isNew = fact.data.reason !== 'rehashed';
      const since = isNew ? { passwordSince: version, sessionsSince: version } : {};
      return change(users, fact.data.user_id, { passwordHash, ...since });
    }
    case 'user.admin_granted':
      return change(users, fact.data.user_id, { isAdmin: true });
    case 'user.admin_revoked':
      return change(users, fact.data.user_id, { isAdmin: false, sessionsSince: version });
    case 'user.disabled':
      return change(users, fact.data.user_id, { disabled: true, sessionsSince: version });
    case 'user.enabled':
      return change(users, fact.data.user_id, { disabled: false });
    case 'user.deleted':
      users.deleted.add(fact.data.user_id);
      remove(users, fact.data.user_id);
      return users;
    default:
      return users;
  }
}

function register(users: OpenUsers, fact: Extract<LoggedFact, { type: 'user.registered' }>): void {
  const { user_id: id, is_admin: isAdmin } = fact.data;
  users.idsByCommand.set(fact.command, id);
  if (!fact.content && !fact.unreadable) return;
  const { username, password_hash: passwordHash } = fact.content ?? lost(id);
  remove(users, id);
  const since = { passwordSince: fact.version, sessionsSince: fact.version };
  users.byId.set(id, { id, username, isAdmin, disabled: false, passwordHash, ...since });
  users.idsByName.set(usernameKey(username), id);
}

/** A user whose key is lost can still be found, by the id, and deleted. */
const lost = (id: string) => ({ username: id, password_hash: null });

function remove(users: OpenUsers, id: string): void {
  const user = users.byId.get(id);
  if (!user) return;
  users.byId.delete(id);
  users.idsByName.delete(usernameKey(user.username));
}

function change(users: OpenUsers, id: string, changes: Partial<User>): OpenUsers {
  const user = users.byId.get(id);
  if (user) users.byId.set(id, { ...user, ...changes });
  return users;
}
