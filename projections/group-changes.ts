import { refuse } from '../events/command-handler.ts';
import { detail } from '../src/words/details.ts';
import { problemOf } from '../src/words/problems.ts';
import { foldName } from './library.ts';
import { type UserDecision, type Users, unknownUser } from './users.ts';

/** Groups that there may be, and members of one. */
export const groupsMax = 200;
export const membersMax = 500;

type Wanted = { readonly name: string; readonly claim: string | null };
type GroupDecision = (users: Users) => UserDecision;

export const decideGroup =
  (id: string, { name, claim }: Wanted): GroupDecision =>
  ({ groups }) =>
    groups.size >= groupsMax
      ? tooMany('groups', groupsMax)
      : (taken(groups, { id, name }) ?? [
          { type: 'group.created', data: { group_id: id }, content: named({ name, claim }) },
        ]);

/** What is left out stays. */
export const decideGroupChange =
  (id: string, wanted: { [K in keyof Wanted]?: Wanted[K] | undefined }): GroupDecision =>
  ({ groups }) => {
    const there = groups.get(id);
    if (!there) return unknownGroup;
    const { name = there.name, claim = there.claim } = wanted;
    if (name === there.name && claim === there.claim) return [];
    return (
      taken(groups, { id, name }) ?? [
        { type: 'group.renamed', data: { group_id: id }, content: named({ name, claim }) },
      ]
    );
  };

export const decideMember =
  (id: string, userId: string, isMember: boolean): GroupDecision =>
  ({ groups, byId }) => {
    const there = groups.get(id);
    if (!there) return unknownGroup;
    if (isMember && !byId.has(userId)) return unknownUser;
    if (there.members.has(userId) === isMember) return [];
    if (isMember && there.members.size >= membersMax) return tooMany('members', membersMax);
    const data = { group_id: id, user_id: userId };
    return [{ type: isMember ? 'group.member_added' : 'group.member_removed', data }];
  };

export const decideGroupDeletion =
  (id: string): GroupDecision =>
  ({ groups }) =>
    groups.has(id) ? [{ type: 'group.deleted', data: { group_id: id } }] : unknownGroup;

const named = ({ name, claim }: Wanted): { name: string; claim?: string } => ({
  name,
  ...(claim === null ? {} : { claim }),
});

function taken(groups: Users['groups'], { id, name }: { id: string; name: string }) {
  const same = [...groups.values()].find(
    (one) => one.id !== id && foldName(one.name) === foldName(name),
  );
  return same && refuse('NAME_TAKEN', problemOf('name-taken', { name: same.name }));
}

const tooMany = (what: 'groups' | 'members', count: number) =>
  refuse('TOO_MANY_NAMES', problemOf('too-many-names', { count, what }));

const unknownGroup = refuse('UNKNOWN_GROUP', detail('group-not-found'));
