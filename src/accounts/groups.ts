import { ulid } from 'ulid';
import { groupSubject } from '../../events/facts/catalogue.ts';
import { type Group, groupsOfUser } from '../../projections/groups.ts';
import {
  decideGroup,
  decideGroupChange,
  decideGroupDeletion,
  decideMember,
} from '../../projections/group-changes.ts';
import { userByName } from '../../projections/users.ts';
import type { Log } from '../shared/log.ts';
import { AccountError, keyUsedDifferently } from './account-error.ts';
import { detail } from '../words/details.ts';
import type { UserKeys } from './users.ts';
import type { OnBehalf, UserStream } from './user-stream.ts';

/** A name for some users. Administrators make them; whoever shares names one instead of each member. */
export interface Groups {
  /** In the order in which they were made. */
  listGroups(): Group[];
  findGroup(id: string): Group | undefined;
  /** Ids of the groups that a user is in. */
  groupsOf(userId: string): string[];
  /** @throws {AccountError} `NAME_TAKEN`, `TOO_MANY_NAMES`, `KEY_USED_DIFFERENTLY`; a repetition answers with the group it made */
  createGroup(wanted: { name: string; claim: string | null }, onBehalf: OnBehalf): Promise<Group>;
  /** What is left out stays. @throws {AccountError} `UNKNOWN_GROUP`, `NAME_TAKEN` */
  changeGroup(
    id: string,
    wanted: { name?: string | undefined; claim?: string | null | undefined },
    onBehalf: OnBehalf,
  ): Promise<Group>;
  /** Adds or removes a member, by user name. @throws {AccountError} `UNKNOWN_GROUP`, `UNKNOWN_USER`, `TOO_MANY_NAMES` */
  setMember(
    id: string,
    member: { username: string; isMember: boolean },
    onBehalf: OnBehalf,
  ): Promise<Group>;
  /** What was shared with it ends, and nothing can read its name any more. @throws {AccountError} `UNKNOWN_GROUP` */
  deleteGroup(id: string, onBehalf: OnBehalf): Promise<void>;
}

type GroupParts = { stream: UserStream; keys: UserKeys; log: Pick<Log, 'info'> };

export function groupAdministration({ stream, keys, log }: GroupParts): Groups {
  const { users } = stream;
  const report = (what: string, groupId: string, { by }: OnBehalf): void =>
    log.info({ category: 'security', group_id: groupId, by }, what);
  const there = (id: string): Group => {
    const group = users.groups.get(id);
    if (!group) throw new AccountError('UNKNOWN_GROUP', detail('group-not-found'));
    return group;
  };

  return {
    listGroups: () => [...users.groups.values()],
    findGroup: (id) => users.groups.get(id),
    groupsOf: (userId) => groupsOfUser(users, userId),
    async createGroup(wanted, onBehalf) {
      const made = ulid();
      const [fact] = await stream.change(onBehalf, decideGroup(made, wanted));
      if (fact?.type !== 'group.created') throw keyUsedDifferently();
      const { group_id: id } = fact.data;
      const group = there(id);
      if (id !== made && !(await isMadeBy(stream, fact.version, wanted)))
        throw keyUsedDifferently();
      report('group created', id, onBehalf);
      return group;
    },
    async changeGroup(id, wanted, onBehalf) {
      await stream.change(onBehalf, decideGroupChange(id, wanted));
      report('group changed', id, onBehalf);
      return there(id);
    },
    async setMember(id, { username, isMember }, onBehalf) {
      await stream.takeIn();
      const userId = userByName(users, username)?.id;
      if (userId === undefined) throw new AccountError('UNKNOWN_USER', detail('user-not-found'));
      const facts = await stream.change(onBehalf, decideMember(id, userId, isMember));
      for (const { type } of facts) {
        const how = { category: 'security', group_id: id, user_id: userId, by: onBehalf.by };
        log.info(
          how,
          type === 'group.member_added' ? 'group member added' : 'group member removed',
        );
      }
      return there(id);
    },
    async deleteGroup(id, onBehalf) {
      await stream.change(onBehalf, decideGroupDeletion(id));
      await forgetGroup(keys, id);
      report('group deleted', id, onBehalf);
    },
  };
}

/** Whether the group was called so when it was made: it may have another name by now. */
async function isMadeBy(
  stream: UserStream,
  version: number,
  { name, claim }: Parameters<Groups['createGroup']>[0],
): Promise<boolean> {
  const fact = await stream.factAt(version);
  const first = fact?.type === 'group.created' ? fact.content : undefined;
  return first?.name === name && (first.claim ?? null) === claim;
}

/** Destroys what opens a group's name. */
export async function forgetGroup(keys: UserKeys, id: string): Promise<void> {
  const subject = groupSubject(id);
  if (!keys.isErased(subject)) await keys.forget(subject);
}
