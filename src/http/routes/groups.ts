import * as z from 'zod';
import type { Group } from '../../../projections/groups.ts';
import { shortNameSchema } from '../body.ts';
import { toRead } from '../middleware/ready.ts';
import { routesOf } from '../route.ts';
import type { HttpServices } from '../services.ts';
import { managed } from './users.ts';

const id = z.string();
const name = z.string();
const groupAnswer = z.object({
  id,
  name,
  claim: z.string().nullable().describe('what a sign-on provider calls it; null: chosen here'),
  members: z.array(z.string()).describe('user names, by name'),
});
const claim = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]*$/u)
  .nullable();

const shared = { tag: 'Users', needs: toRead } as const;
const reading = routesOf({ ...shared, access: 'admin' });
const changing = routesOf({ ...shared, access: 'admin', asksPassword: true });

/** Administrators make groups, everybody names them when sharing. */
export const groupRoutes = [
  reading('get', '/groups', {
    id: 'listGroups',
    summary: 'All groups with their members, by name',
    answers: {
      200: { description: 'All of them.', json: z.object({ groups: z.array(groupAnswer) }) },
    },
    run: (_, services) => ({
      groups: byName(services.accounts.listGroups()).map((group) => shown(services, group)),
    }),
  }),
  changing('post', '/groups', {
    id: 'createGroup',
    summary: 'Makes a group without members',
    body: { json: z.strictObject({ name: shortNameSchema, claim: claim.default(null) }) },
    answers: { 201: { description: 'The group.', json: groupAnswer } },
    problems: ['name-taken', 'too-many-names', 'not-found'],
    command: true,
    run: async ({ body, onBehalf }, services) =>
      shown(services, await services.accounts.createGroup(body, onBehalf)),
  }),
  changing('patch', '/groups/{group}', {
    id: 'changeGroup',
    summary: 'Gives a group another name, or says what a sign-on provider calls it',
    body: {
      json: z.strictObject({ name: shortNameSchema.optional(), claim: claim.optional() }),
    },
    answers: { 200: { description: 'The group as it is now.', json: groupAnswer } },
    problems: ['name-taken'],
    command: true,
    run: async ({ params, body, onBehalf }, services) =>
      shown(services, await services.accounts.changeGroup(params.group, body, onBehalf)),
  }),
  changing('delete', '/groups/{group}', {
    id: 'deleteGroup',
    summary: 'Deletes a group: what was shared with it ends, its members stay users',
    answers: { 204: { description: 'It is gone.' } },
    command: true,
    run: async ({ params, onBehalf }, { accounts }) =>
      await accounts.deleteGroup(params.group, onBehalf),
  }),
  changing('put', '/groups/{group}/members/{name}', {
    id: 'addMember',
    summary: 'Adds a user to a group, who sees at once what is shared with it',
    answers: { 200: { description: 'The group as it is now.', json: groupAnswer } },
    problems: ['too-many-names', 'built-in-user'],
    command: true,
    run: async ({ params, onBehalf }, services) =>
      shown(
        services,
        await services.accounts.setMember(params.group, member(params.name, true), onBehalf),
      ),
  }),
  changing('delete', '/groups/{group}/members/{name}', {
    id: 'removeMember',
    summary: 'Removes a user from a group, who sees what is shared with it no more',
    answers: { 200: { description: 'The group as it is now.', json: groupAnswer } },
    problems: ['built-in-user'],
    command: true,
    run: async ({ params, onBehalf }, services) =>
      shown(
        services,
        await services.accounts.setMember(params.group, member(params.name, false), onBehalf),
      ),
  }),
  routesOf(shared)('get', '/directory', {
    id: 'directory',
    summary: 'Whom one can share with: the other users who can log in, and groups',
    description:
      'With `sharing.directory` off no users are listed, who are then named exactly, and only groups that one is in. ' +
      'With `sharing.users` off nobody is listed.',
    answers: {
      200: {
        description: 'By name.',
        json: z.object({
          users: z.array(z.object({ id, name })),
          groups: z.array(z.object({ id, name, members: z.int().describe('how many') })),
        }),
      },
    },
    async run({ caller: { userId } }, { accounts, settings }) {
      await accounts.takeIn();
      const { 'sharing.users': isOn, 'sharing.directory': isListed } = settings();
      const own = new Set(accounts.groupsOf(userId));
      const users = accounts
        .listUsers()
        .filter((user) => !user.disabled && user.userId !== userId)
        .map((user) => ({ id: user.userId, name: user.username }));
      const groups = accounts
        .listGroups()
        .filter((group) => isListed || own.has(group.id))
        .map((group) => ({ id: group.id, name: group.name, members: group.members.size }));
      return {
        users: isOn && isListed ? byName(users) : [],
        groups: isOn ? byName(groups) : [],
      };
    },
  }),
];

const byName = <T extends { id: string; name: string }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));

const member = (name: string, isMember: boolean) => ({ username: managed(name), isMember });

function shown({ accounts }: Pick<HttpServices, 'accounts'>, group: Group) {
  const members = accounts
    .listUsers()
    .filter(({ userId }) => group.members.has(userId))
    .map(({ username }) => username)
    .toSorted((a, b) => a.localeCompare(b));
  return { id: group.id, name: group.name, claim: group.claim, members };
}
