import * as z from 'zod';
import { type Grant, type Grantee, accessRoles } from '../../../events/facts/access.ts';
import { shareFolder, unshareFolder } from '../../../projections/personal.ts';
import { folderGrants } from '../../../projections/access.ts';
import { grantAccess, withdrawAccess } from '../../../projections/recording/access.ts';
import type { Caller } from '../../accounts/caller.ts';
import { detail } from '../../words/details.ts';
import { fieldFault } from '../../words/field-faults.ts';
import { wrong } from '../../shared/in-words.ts';
import { changedIn } from '../made.ts';
import { Problem, invalid, notFound } from '../problems.ts';
import { linkAnswer, linksShown, report } from './links.ts';
import { time } from '../openapi/activity-answers.ts';
import { type RouteRequest, routesOf } from '../route.ts';
import type { HttpServices, RouteServices } from '../services.ts';
import { looksShown } from '../looked.ts';
import { guest, seenRecording, visibleRecording } from '../visible-recording.ts';
import { carryOut, refuseWhenStopped, untilReadable } from '../written.ts';

const grantAnswer = z.object({
  to: z.string().describe('`u-` and the id of a user, or `g-` and the id of a group'),
  name: z.string().nullable().describe('null: there is no such user or group any more'),
  role: z.enum(accessRoles).describe('`correct` may correct, too'),
  audio: z.boolean().describe('whether they can hear it, too'),
});
const recordingAccess = z.object({
  grants: z.array(
    grantAnswer.extend({ by_folder: z.boolean().describe('by the folder that it is in') }),
  ),
  links: z.array(linkAnswer).describe('also those that are over; for its owner alone'),
  seen: z
    .array(
      z.object({
        who: z.string().describe('`u-` and the id of a user, or `l-` and the id of a link'),
        name: z.string().nullable().describe('null: there is no such user or link any more'),
        opened: z.int().describe('how often it was read; at most once a minute counts'),
        heard: z.int(),
        exported: z.int(),
        last_at: time,
      }),
    )
    .describe('who looked within 400 days, the last first; for its owner alone'),
});
const folderAccess = z.object({ grants: z.array(grantAnswer) });

const named = z.string().min(1).max(200);
const grantSchema = z
  .strictObject({
    user: named.optional().describe('a user’s name or id'),
    group: named.optional().describe('a group’s name or id'),
    role: z.enum(accessRoles).default('read'),
    audio: z.boolean().default(false),
  })
  .refine(({ user, group }) => (user === undefined) !== (group === undefined), {
    path: ['user'],
    message: wrong('field-empty'),
  });

const route = routesOf({ tag: 'Recordings' });
const folderRoute = routesOf({ tag: 'Order' });
const nothing = { 204: { description: 'They have it no more, from the next request on.' } };

/** With whom recordings and folders are shared. Only their owner gives access; whoever got it may give it back. */
export const accessRoutes = [
  route('get', '/recordings/{id}/access', {
    id: 'readAccess',
    summary: 'With whom a recording is shared',
    answers: { 200: { description: 'Everybody who may read it.', json: recordingAccess } },
    run: async ({ params: { id }, caller }, services) =>
      await shownAccess(services, caller, id, 'correct'),
  }),
  route('put', '/recordings/{id}/access', {
    id: 'giveAccess',
    summary: 'Shares a recording with a user or a group, or changes what they may do',
    description:
      'Nobody is told. Whoever has access can keep a copy of the text: deleting the recording does not reach it.',
    body: { json: grantSchema },
    answers: { 200: { description: 'Everybody who may read it now.', json: recordingAccess } },
    problems: ['unknown-user', 'sharing-off', 'too-many-names'],
    command: true,
    async run({ ctx, params: { id }, body, caller }, services) {
      const { owner } = await visibleRecording(services, caller, id);
      const grant = await grantIn(services, body, owner);
      await carryOut(services, ctx.state, id, grantAccess(grant));
      report(services, 'access given', { recording_id: id, to: grant.to, by: caller.userId });
      return await shownAccess(services, caller, id, 'owner');
    },
  }),
  route('delete', '/recordings/{id}/access/{to}', {
    id: 'withdrawAccess',
    summary: 'Shares a recording with a user or a group no more; `me` gives one’s own access back',
    answers: nothing,
    command: true,
    async run({ ctx, params: { id, to }, caller }, services) {
      const isOwn = to === 'me';
      const { row } = await seenRecording(services, caller, id, isOwn ? 'read' : 'owner');
      const who = isOwn ? (`u-${caller.userId}` as const) : (to as Grantee);
      if (!row.access.some((one) => one.to === who))
        throw notFound(isOwn ? detail('shared-through-others') : undefined);
      await carryOut(services, ctx.state, id, withdrawAccess(who));
      report(services, 'access withdrawn', { recording_id: id, to: who, by: caller.userId });
    },
  }),
  folderRoute('get', '/folders/{folder}/access', {
    id: 'readFolderAccess',
    summary: 'With whom one of the caller’s folders is shared',
    answers: { 200: { description: 'Everybody who may read what is in it.', json: folderAccess } },
    run: async ({ params, caller }, services) =>
      await shownFolder(services, caller.userId, params.folder),
  }),
  folderRoute('put', '/folders/{folder}/access', {
    id: 'giveFolderAccess',
    summary: 'Shares what is in a folder, now and later, with a user or a group',
    body: { json: grantSchema },
    answers: { 200: { description: 'Everybody who may read it now.', json: folderAccess } },
    problems: ['unknown-user', 'sharing-off', 'too-many-names', 'not-accepted'],
    command: true,
    async run({ params: { folder }, body, caller, onBehalf }, services) {
      const owner = caller.userId;
      await shownFolder(services, owner, folder);
      const grant = await grantIn(services, body, owner);
      await changeFolder(services, owner, onBehalf, shareFolder(folder, grant));
      report(services, 'folder access given', { folder, to: grant.to, by: owner });
      return await shownFolder(services, owner, folder);
    },
  }),
  folderRoute('delete', '/folders/{folder}/access/{to}', {
    id: 'withdrawFolderAccess',
    summary: 'Shares a folder with a user or a group no more; `me` gives one’s own access back',
    answers: nothing,
    problems: ['not-accepted'],
    command: true,
    async run({ params: { folder, to }, caller, onBehalf }, services) {
      const isOwn = to === 'me';
      const who = isOwn ? (`u-${caller.userId}` as const) : (to as Grantee);
      const [given] = isOwn ? await folderGrants(services.storage, folder, [who]) : [];
      const owner = isOwn ? given?.owner : caller.userId;
      if (owner === undefined) throw notFound(detail('shared-through-others'));
      const present = (await services.order.of(owner)).folders.get(folder);
      if (!present?.access.some((one) => one.to === who)) throw notFound();
      await changeFolder(services, owner, onBehalf, unshareFolder(folder, who));
      report(services, 'folder access withdrawn', { folder, to: who, by: caller.userId });
    },
  }),
];

/** @throws {Problem} what was refused */
async function changeFolder(
  services: RouteServices,
  owner: string,
  onBehalf: RouteRequest['onBehalf'],
  decide: ReturnType<typeof shareFolder>,
): Promise<void> {
  refuseWhenStopped(services);
  const decided = await changedIn(services, owner, onBehalf, decide);
  const position = decided.at(-1)?.position;
  if (position !== undefined) await untilReadable(services, { position });
}

async function shownAccess(
  services: RouteServices,
  caller: Caller,
  id: string,
  needs: 'correct' | 'owner',
) {
  const { row, right } = await seenRecording(services, caller, id, needs);
  const isOwn = right.role === 'owner';
  const folder =
    row.folder === null ? undefined : (await services.order.of(row.owner)).folders.get(row.folder);
  return {
    grants: [
      ...grantsShown(services, row.access).map((one) => ({ ...one, by_folder: false })),
      ...grantsShown(services, folder?.access ?? []).map((one) => ({ ...one, by_folder: true })),
    ],
    links: isOwn ? await linksShown(services, row) : [],
    seen: isOwn ? await looksShown(services, row) : [],
  };
}

async function shownFolder(services: HttpServices, owner: string, id: string) {
  const folder = (await services.order.of(owner)).folders.get(id);
  if (!folder) throw notFound();
  return { grants: grantsShown(services, folder.access) };
}

/** Grants with the names of users and groups. */
export const grantsShown = ({ accounts }: HttpServices, grants: readonly Grant[]) =>
  grants.map(({ to, role, audio }) => ({ to, name: nameOf(accounts, to), role, audio }));

function nameOf(accounts: HttpServices['accounts'], to: Grantee): string | null {
  const id = to.slice(2);
  return to.startsWith('u-') ? accounts.nameOf(id) : (accounts.findGroup(id)?.name ?? null);
}

/** @throws {Problem} nobody of that name, or sharing is off */
async function grantIn(
  { accounts, settings }: HttpServices,
  { user, group, role, audio }: z.output<typeof grantSchema>,
  owner: string,
): Promise<Grant> {
  if (!settings()['sharing.users']) throw new Problem('sharing-off');
  if (owner === guest) throw new Problem('sharing-off', { said: detail('guest-not-shared') });
  await accounts.takeIn();
  if (group !== undefined) {
    const found =
      accounts.findGroup(group) ?? accounts.listGroups().find(({ name }) => name === group);
    if (!found) throw new Problem('unknown-user');
    return { to: `g-${found.id}`, role, audio };
  }
  const id =
    user !== undefined && accounts.isUser(user) ? user : accounts.findUser(user ?? '')?.userId;
  if (id === undefined) throw new Problem('unknown-user');
  if (id === owner) throw invalid([{ path: 'user', fault: fieldFault('is-the-owner') }]);
  return { to: `u-${id}`, role, audio };
}
