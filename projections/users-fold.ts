import type { Aggregate } from '../events/command-handler.ts';
import {
  type LoggedFact,
  type UserFact,
  groupSubject,
  userSubject,
} from '../events/facts/catalogue.ts';
import { type OpenGroups, groupsAfter, newGroups } from './groups.ts';
import { identityAfter } from './identities.ts';
import { secondFactorAfter } from './second-factor.ts';
import { usernameKey } from './username-forms.ts';
import type { User, UserLink, Users } from './users.ts';

/** How the `users` stream folds. `evolve` changes the state in place: it is the handler's own. */
export const usersAggregate: Aggregate<Users, UserFact> = {
  initial: () => newUsers(),
  evolve: (users, fact) => usersAfter(users as OpenUsers, fact),
  accept: (_users, _version, facts, metadata) =>
    facts.map((fact) => ({ ...fact, ...metadata, subject: subjectOf(fact) })),
};

const subjectOf = ({ data }: UserFact): string =>
  'group_id' in data ? groupSubject(data.group_id) : userSubject(data.user_id);

/** The users while they are folded; changed in place. */
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
      const byHost = isHostPassword(users, fact);
      users.links.delete(fact.data.user_id);
      const sessionKept = fact.data.session ?? null;
      const since = { passwordSince: version, sessionsSince: version, sessionKept };
      return change(users, fact.data.user_id, {
        passwordHash,
        hasPassword: true,
        hasHostPassword: byHost,
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
      return change(users, fact.data.user_id, { isAdmin: false, ...allEndedAt(version) });
    case 'user.disabled':
      return change(users, fact.data.user_id, { disabled: true, ...allEndedAt(version) });
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
    case 'user.identity_linked':
    case 'user.identity_unlinked':
      return change(users, fact.data.user_id, { identity: identityAfter(fact) });
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

/** All sessions have ended, at a version of the stream. */
const allEndedAt = (version: number) => ({ sessionsSince: version, sessionKept: null });

function register(users: OpenUsers, fact: Extract<LoggedFact, { type: 'user.registered' }>): void {
  const { user_id: id, is_admin: isAdmin } = fact.data;
  users.idsByCommand.set(fact.command, id);
  const byHost = fact.by === 'system' || hasHostLink(users, fact);
  users.links.delete(id);
  if (!fact.content && !fact.unreadable) return;
  const { username, password_hash: passwordHash = null } = fact.content ?? lost(id);
  remove(users, id);
  const since = { passwordSince: fact.version, ...allEndedAt(fact.version) };
  const hasPassword = passwordHash !== null || !fact.content;
  const password = { passwordHash, hasPassword, hasHostPassword: hasPassword && byHost };
  users.byId.set(id, { ...plain, id, username, isAdmin, ...password, ...since });
  users.idsByName.set(usernameKey(username), id);
}

/** Whether a password was set on the host, or is its user's own change of one that was: the way in stays theirs. */
function isHostPassword(
  users: OpenUsers,
  fact: Extract<LoggedFact, { type: 'user.password_changed' }>,
): boolean {
  const { user_id: id, reason, session } = fact.data;
  if (reason === 'reset') return fact.by === 'system';
  if (hasHostLink(users, fact)) return true;
  // A change by a link of an administrator's is in no session.
  const isByLink = session === undefined && users.links.has(id);
  return !isByLink && users.byId.get(id)?.hasHostPassword === true;
}

/** Whether a link of the user of a fact was open then that was made on the host. */
const hasHostLink = (
  { links }: OpenUsers,
  fact: Extract<LoggedFact, { type: 'user.registered' | 'user.password_changed' }>,
): boolean => {
  const link = links.get(fact.data.user_id);
  return link?.by === 'system' && link.expiresAt > fact.at;
};

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

/** A user of whom no more is known. */
const plain = {
  disabled: false,
  vault: null,
  mustChangePassword: false,
  hasHostPassword: false,
  totp: null,
  identity: null,
} as const;

/** A user whose key is lost can still be found, by the id, and deleted. */
const lost = (id: string) => ({ username: id, password_hash: undefined });

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
