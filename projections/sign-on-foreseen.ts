import type { UserFact } from '../events/facts/catalogue.ts';
import { problemOf } from '../src/words/problems.ts';
import type { Sentence } from '../src/words/params.ts';
import { isRefusal } from '../events/command-handler.ts';
import { groupsOfUser } from './groups.ts';
import { type Comer, type SignOnRules, decideSignOn, userByIdentity } from './identity-changes.ts';
import type { Users } from './users.ts';

/** What a login of somebody would come to. */
export type ForeseenSignOn = {
  /** Why they would not be let in; null: they would. */
  refused: Sentence | null;
  /** Who they would be here; null: nobody. `matched`: the user of the same name, with whom they would be linked. */
  user: {
    username: string;
    how: 'known' | 'matched' | 'new';
    isAdmin: boolean;
    /** Names of the groups they would be in. */
    groups: string[];
  } | null;
};

/** What `decideSignOn` would make of it, without any of that: for a trial. */
export function foreseeSignOn(users: Users, comer: Comer, rules: SignOnRules): ForeseenSignOn {
  const facts = decideSignOn(comer, rules, newId)(users);
  if (isRefusal(facts)) return { refused: facts.said, user: null };
  const made = factOf(facts, 'user.registered');
  const matched = factOf(facts, 'user.identity_linked');
  const present = made ? undefined : presentUser(users, comer, matched?.data.user_id);
  const username = made?.content?.username ?? present?.username ?? '';
  const isAdmin =
    made?.data.is_admin ??
    (factOf(facts, 'user.admin_granted') !== undefined ||
      (present?.isAdmin === true && factOf(facts, 'user.admin_revoked') === undefined));
  return {
    refused: present?.disabled === true ? problemOf('user-disabled') : null,
    user: {
      username,
      how: made ? 'new' : matched ? 'matched' : 'known',
      isAdmin,
      groups: groupsAfterwards(users, present?.id ?? newId, facts),
    },
  };
}

/** Nobody has it. */
const newId = 'new';

const presentUser = (users: Users, { identity }: Comer, id: string | undefined) =>
  id === undefined ? userByIdentity(users, identity) : users.byId.get(id);

function groupsAfterwards(users: Users, id: string, facts: readonly UserFact[]): string[] {
  const ids = new Set(groupsOfUser(users, id));
  for (const { type, data } of facts) {
    if (type === 'group.member_added') ids.add(data.group_id);
    if (type === 'group.member_removed') ids.delete(data.group_id);
  }
  return [...users.groups.values()].filter((group) => ids.has(group.id)).map(({ name }) => name);
}

const factOf = <T extends UserFact['type']>(
  facts: readonly UserFact[],
  type: T,
): Extract<UserFact, { type: T }> | undefined =>
  facts.find((fact): fact is Extract<UserFact, { type: T }> => fact.type === type);
