import { refuse } from '../events/command-handler.ts';
import type { UserFact } from '../events/facts/catalogue.ts';
import { detail } from '../src/words/details.ts';
import { problemOf } from '../src/words/problems.ts';
import { membersMax } from './group-changes.ts';
import { type Identity, linked } from './identities.ts';
import { linkOver, openLink } from './user-links.ts';
import { lookOf, usernameKey } from './username-forms.ts';
import {
  type OpensByPassword,
  type User,
  type UserDecision,
  type Users,
  isLastAdministrator,
  registered,
  unknownUser,
  userByName,
} from './users.ts';

/** Who comes from the provider, as it says. */
export type Comer = {
  identity: Identity;
  /** What they are called there, if it could be a user's name here or not. */
  called: string | null;
  /** A user name made of that, to which a number is added where it is taken. */
  username: string;
  groups: ReadonlySet<string>;
};

/** Whom the settings let in. */
export type SignOnRules = {
  /** Only members of this group; null: everybody whom the provider knows. */
  userGroup: string | null;
  /** Administrators are exactly its members; null: chosen here. */
  adminGroup: string | null;
  /** Whether who comes for the first time becomes a user. */
  register: boolean;
  /** Whether who comes for the first time may be a user of the same name. */
  matchUsername: boolean;
  opensByPassword: OpensByPassword;
};

/** The user who has this identity. */
export const userByIdentity = (
  { byId }: Pick<Users, 'byId'>,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): User | undefined =>
  [...byId.values()].find(
    ({ identity }) => identity?.issuer === issuer && identity.subject === subject,
  );

/** Lets in who comes from the provider: nothing is written of who is refused. @param id of a user who is made */
export const decideSignOn =
  (comer: Comer, rules: SignOnRules, id: string) =>
  (users: Users): UserDecision => {
    const { adminGroup, userGroup } = rules;
    if (userGroup !== null && !comer.groups.has(userGroup)) return notAdmitted('group');
    const isAdmin = adminGroup !== null && comer.groups.has(adminGroup);
    const present = userByIdentity(users, comer.identity);
    if (present) return followed(users, present, { comer, rules, isAdmin });
    // The settings come from who owns the host, so the group says who is the first.
    if (users.byId.size === 0 && !isAdmin) return notAdmitted('setup');
    const same = rules.matchUsername ? matching(users, comer) : undefined;
    if (same?.disabled) return refuse('USER_DISABLED', problemOf('user-disabled'));
    if (same) {
      const facts = followed(users, same, { comer, rules, isAdmin });
      return [linked(same.id, comer.identity), ...facts];
    }
    if (!rules.register && users.byId.size > 0) return notAdmitted('unknown');
    return created(users, comer, { id, isAdmin });
  };

/**
 * Who has an invitation and comes from the provider becomes a user, whether or not others do who come for the first time.
 * @param sha256 of the invitation's token @param now RFC 3339 UTC
 */
export const decideInvited =
  (sha256: string, comer: Comer, rules: SignOnRules, now: string) =>
  (users: Users): UserDecision => {
    const link = openLink(users, sha256, now);
    if (link?.purpose !== 'invitation') return linkOver;
    const { adminGroup, userGroup } = rules;
    if (userGroup !== null && !comer.groups.has(userGroup)) return notAdmitted('group');
    if (userByIdentity(users, comer.identity)) return notAdmitted('linked');
    const isAdmin = adminGroup === null ? link.isAdmin : comer.groups.has(adminGroup);
    return created(users, comer, { id: link.userId, isAdmin });
  };

/** Links a user with who they are at the provider, instead of who they were there. */
export const decideLinkedIdentity =
  (id: string, identity: Identity) =>
  (users: Users): UserDecision => {
    if (!users.byId.has(id)) return unknownUser;
    const present = userByIdentity(users, identity);
    if (present) return present.id === id ? [] : notAdmitted('linked');
    return [linked(id, identity)];
  };

/** Ends the link, unless nothing else lets this user in. Nothing where there is none. */
export const decideUnlinkedIdentity =
  (id: string, opensByPassword: OpensByPassword) =>
  (users: Users): UserDecision => {
    const user = users.byId.get(id);
    if (!user) return unknownUser;
    if (!user.identity) return [];
    if (!user.hasPassword) return refuse('NO_PASSWORD', detail('no-password-yet'));
    if (!opensByPassword(user))
      return refuse('USE_SINGLE_SIGN_ON', detail('password-opens-nothing'));
    return [{ type: 'user.identity_unlinked', data: { user_id: id } }];
  };

const created = (
  users: Users,
  comer: Comer,
  { id, isAdmin }: { id: string; isAdmin: boolean },
): UserFact[] => [
  registered({ id, username: freeName(users, comer.username), passwordHash: null, isAdmin }),
  linked(id, comer.identity),
  ...memberships(users, id, comer.groups),
];

/** What the claims of who is known say: rights, and groups that follow. The last administrator stays one. */
function followed(
  users: Users,
  user: User,
  { comer, rules, isAdmin }: { comer: Comer; rules: SignOnRules; isAdmin: boolean },
): UserFact[] {
  const { adminGroup, opensByPassword } = rules;
  // Is refused, and nothing follows.
  if (user.disabled) return [];
  const data = { user_id: user.id };
  const rights: UserFact[] = [];
  if (adminGroup !== null && isAdmin !== user.isAdmin) {
    if (isAdmin) rights.push({ type: 'user.admin_granted', data });
    else if (!isLastAdministrator(users, user, opensByPassword))
      rights.push({ type: 'user.admin_revoked', data });
  }
  return [...rights, ...memberships(users, user.id, comer.groups)];
}

function memberships(users: Users, userId: string, groups: ReadonlySet<string>): UserFact[] {
  return [...users.groups.values()].flatMap(({ id, claim, members }): UserFact[] => {
    if (claim === null || groups.has(claim) === members.has(userId)) return [];
    const data = { group_id: id, user_id: userId };
    if (members.has(userId)) return [{ type: 'group.member_removed', data }];
    return members.size < membersMax ? [{ type: 'group.member_added', data }] : [];
  });
}

/** No administrator: whoever names people at the provider would become one. */
function matching(users: Users, { called }: Comer): User | undefined {
  const user = called === null ? undefined : userByName(users, called);
  return user?.identity === null && !user.isAdmin ? user : undefined;
}

function freeName({ byId }: Users, wanted: string): string {
  const taken = new Set<string>();
  for (const { username } of byId.values()) {
    taken.add(usernameKey(username)).add(lookOf(username));
  }
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(usernameKey(name)) && !taken.has(lookOf(name))) return name;
  }
}

const notAdmitted = (reason: 'group' | 'setup' | 'unknown' | 'linked') =>
  refuse('NOT_ADMITTED', detail(`not-admitted-${reason}`));
