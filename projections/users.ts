import type { LoggedFact } from '../events/catalogue.ts';
import { startingWith } from './list-page.ts';
import type { Projection, ProjectionStorage, Rows } from './projection.ts';

/** A user as others may see them; the password's hash is a row of its own. */
export type UserRow = {
  user_id: string;
  /** Null when the name was erased with the user's key. */
  username: string | null;
  is_admin: boolean;
  /** Cannot log in. */
  disabled: boolean;
  created_at: string;
};

/**
 * Who may log in. Rows: `i/<id>` the user; `n/<name, folded>` its id; `h/<id>` the password's hash;
 * `c` how many users, and administrators who can log in, there are.
 */
export const users: Projection = {
  name: 'users',
  version: 2,
  interests: new Set([
    'user.registered',
    'user.password_changed',
    'user.admin_granted',
    'user.admin_revoked',
    'user.disabled',
    'user.enabled',
    'user.deleted',
  ]),
  keys: (fact) => {
    const id = userOf(fact);
    return id === undefined ? [] : [`i/${id}`, 'c'];
  },
  apply(rows, fact) {
    const id = userOf(fact);
    if (id === undefined) return;
    const before = rows.get<UserRow>(`i/${id}`);
    if (fact.type === 'user.password_changed') {
      if (before) rows.set(`h/${id}`, fact.content?.password_hash ?? null);
      return;
    }
    const after = userAfter(before, fact);
    if (before === after) return;
    if (after) rows.set(`i/${id}`, after);
    else forget(rows, id, before);
    if (fact.type === 'user.registered') {
      if (after?.username) rows.set(nameKey(after.username), id);
      rows.set(`h/${id}`, fact.content?.password_hash ?? null);
    }
    recount(rows, before, after);
  },
};

export async function userById(
  storage: ProjectionStorage,
  userId: string,
): Promise<UserRow | undefined> {
  return storage.get<UserRow>(users.name, `i/${userId}`);
}

/** Names are compared without case. */
export async function userByName(
  storage: ProjectionStorage,
  username: string,
): Promise<UserRow | undefined> {
  const id = await storage.get<string>(users.name, nameKey(username));
  return id === undefined ? undefined : userById(storage, id);
}

/** All users by name, a row at a time; those whose name was erased are left out. */
export async function* allUsers(storage: ProjectionStorage): AsyncGenerator<UserRow, void, void> {
  for await (const [, id] of storage.range<string>(users.name, startingWith('n/'))) {
    const user = await userById(storage, id);
    if (user) yield user;
  }
}

export async function userCounts(
  storage: ProjectionStorage,
): Promise<{ users: number; admins: number }> {
  return (await storage.get<Counts>(users.name, 'c')) ?? nobody;
}

/** For checking a password and for nothing else. Undefined when there is no such user, or it was erased. */
export async function passwordHashOf(
  storage: ProjectionStorage,
  userId: string,
): Promise<string | undefined> {
  return (await storage.get<string | null>(users.name, `h/${userId}`)) ?? undefined;
}

/** What two names must differ in. */
export const foldedName = (username: string): string => username.normalize('NFC').toLowerCase();

type Counts = { users: number; admins: number };
const nobody: Counts = { users: 0, admins: 0 };

const nameKey = (username: string): string => `n/${foldedName(username)}`;

function userOf(fact: LoggedFact): string | undefined {
  switch (fact.type) {
    case 'user.registered':
    case 'user.password_changed':
    case 'user.admin_granted':
    case 'user.admin_revoked':
    case 'user.disabled':
    case 'user.enabled':
    case 'user.deleted':
      return fact.data.user_id;
    default:
      return undefined;
  }
}

function userAfter(before: UserRow | undefined, fact: LoggedFact): UserRow | undefined {
  switch (fact.type) {
    case 'user.registered': {
      const { user_id, is_admin } = fact.data;
      const username = fact.content?.username ?? null;
      return { user_id, username, is_admin, disabled: false, created_at: fact.at };
    }
    case 'user.admin_granted':
      return before && { ...before, is_admin: true };
    case 'user.admin_revoked':
      return before && { ...before, is_admin: false };
    case 'user.disabled':
      return before && { ...before, disabled: true };
    case 'user.enabled':
      return before && { ...before, disabled: false };
    case 'user.deleted':
      return undefined;
    default:
      return before;
  }
}

function forget(rows: Rows, id: string, before: UserRow | undefined): void {
  rows.delete(`i/${id}`);
  rows.delete(`h/${id}`);
  if (before?.username) rows.delete(nameKey(before.username));
}

function recount(rows: Rows, before: UserRow | undefined, after: UserRow | undefined): void {
  const counts = rows.get<Counts>('c') ?? nobody;
  rows.set('c', {
    users: counts.users + one(after !== undefined) - one(before !== undefined),
    admins: counts.admins + one(administers(after)) - one(administers(before)),
  });
}

const administers = (row: UserRow | undefined) => row?.is_admin === true && !row.disabled;

const one = (is: boolean | undefined): number => (is === true ? 1 : 0);
