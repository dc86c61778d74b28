import type { LoggedFact } from '../events/facts/catalogue.ts';

/** A name for some users, so that one can share with all of them. It owns nothing. */
export type Group = {
  readonly id: string;
  readonly name: string;
  /** What a sign-on provider calls it; null: its members are chosen here. */
  readonly claim: string | null;
  /** Ids of users, in the order in which they were added. */
  readonly members: ReadonlySet<string>;
};

/** The part of the users' state that groups are; changed in place. */
export type OpenGroups = { groups: Map<string, Group>; deletedGroups: Set<string> };
export const newGroups = (): OpenGroups => ({ groups: new Map(), deletedGroups: new Set() });

/** Ids of the groups that a user is in. */
export const groupsOfUser = (
  { groups }: { groups: ReadonlyMap<string, Group> },
  userId: string,
): string[] =>
  [...groups.values()].filter(({ members }) => members.has(userId)).map(({ id }) => id);

/** Takes in a fact that says something of groups. */
export function groupsAfter({ groups, deletedGroups }: OpenGroups, fact: LoggedFact): void {
  switch (fact.type) {
    case 'group.created':
    case 'group.renamed': {
      const { group_id: id } = fact.data;
      // Erased with the group; `group.deleted` follows.
      if (!fact.content && !fact.unreadable) return;
      // One whose key is away is called by its id.
      const { name = id, claim = null } = fact.content ?? {};
      groups.set(id, { id, name, claim, members: groups.get(id)?.members ?? new Set() });
      return;
    }
    case 'group.member_added':
    case 'group.member_removed': {
      const { group_id: id, user_id: userId } = fact.data;
      setMember(groups, { id, userId, isMember: fact.type === 'group.member_added' });
      return;
    }
    case 'group.deleted':
      groups.delete(fact.data.group_id);
      deletedGroups.add(fact.data.group_id);
      return;
    case 'user.deleted':
      for (const id of groups.keys())
        setMember(groups, { id, userId: fact.data.user_id, isMember: false });
      return;
    default:
  }
}

function setMember(
  groups: Map<string, Group>,
  { id, userId, isMember }: { id: string; userId: string; isMember: boolean },
): void {
  const group = groups.get(id);
  if (!group || group.members.has(userId) === isMember) return;
  const members = new Set(group.members);
  if (isMember) members.add(userId);
  else members.delete(userId);
  groups.set(id, { ...group, members });
}
