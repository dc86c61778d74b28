import * as z from 'zod';
import { kindSchema } from '../../../events/facts/recording.ts';
import { retentionTerms } from '../../../events/facts/retention.ts';
import { entriesInFolders, entriesTagged, countedEntries } from '../../../projections/library.ts';
import {
  type Folder,
  type Named,
  changeFolder,
  changeTag,
  createFolder,
  createTag,
  deleteInOrder,
} from '../../../projections/personal.ts';
import { takenFromAll } from '../../order/taken-from.ts';
import { languageSchema, shortNameSchema as orderName, templateIdSchema } from '../body.ts';
import { changedIn, made } from '../made.ts';
import { folderWithMe } from '../openapi/access-answers.ts';
import * as answers from '../openapi/order-answers.ts';
import { foldersWithMe } from '../shared-with-me.ts';
import { type RouteRequest, routesOf } from '../route.ts';
import type { HttpServices } from '../services.ts';
import { assertTemplate } from '../templates.ts';
import { refuseWhenStopped, untilReadable } from '../written.ts';
import pLimit from 'p-limit';
import type { ReadEntries } from '../../../projections/list-page.ts';
import { limits } from '../limits.ts';

/** What a recording is that begins in a folder, where no other is given. */
const beginning = {
  kind: kindSchema.nullable().optional(),
  language: languageSchema.optional().describe('null: as heard'),
  retention: retentionTerms
    .nullable()
    .optional()
    .describe('how long what is in it is kept; null: as the rest of theirs'),
  template: templateIdSchema.nullable().optional().describe('null: by kind'),
};

const route = routesOf({ tag: 'Order' });

/** Folders and tags of the caller. */
export const orderRoutes = [
  route('get', '/folders', {
    id: 'listFolders',
    summary: 'The caller’s folders, by name, with how many recordings are in them',
    answers: {
      200: {
        description: 'All of them.',
        json: z.object({
          folders: z.array(z.object({ ...answers.folderNamed.shape, ...answers.counted })),
          none: z.object(answers.counted).describe('recordings that are in no folder'),
          with_me: z.array(folderWithMe).describe('folders that others share with the caller'),
        }),
      },
    },
    async run({ caller: { userId: owner } }, services) {
      const { order, storage } = services;
      const { folders, deletedFolders } = await order.of(owner);
      const named = byName(folders);
      const [none, ...counts] = await countedLists([
        entriesInFolders(storage, owner, [null, ...deletedFolders]),
        ...named.map(({ id }) => entriesInFolders(storage, owner, [id])),
      ]);
      return {
        folders: named.map((one, at) => ({ ...folderShown(one), ...counts[at]! })),
        none: none!,
        with_me: await foldersWithMe(services, owner),
      };
    },
  }),
  route('post', '/folders', {
    id: 'createFolder',
    summary: 'Makes a folder',
    body: { json: z.strictObject({ name: orderName, ...beginning }) },
    answers: { 201: { description: 'The folder.', json: answers.folderNamed } },
    problems: ['name-taken', 'too-many-names'],
    command: true,
    async run(
      { body: { name, kind = null, language = null, template = null, retention = null }, onBehalf },
      services,
    ) {
      await assertTemplate(services, onBehalf.by, template);
      const folder = { name, kind, language, template, retention };
      const { by } = onBehalf;
      const id = await made(services, by, onBehalf, (one) => createFolder({ id: one, ...folder }));
      return await folderAfter(services, by, id);
    },
  }),
  route('patch', '/folders/{folder}', {
    id: 'changeFolder',
    summary: 'Gives a folder another name, or says what a recording is that begins in it',
    body: { json: z.strictObject({ name: orderName.optional(), ...beginning }) },
    answers: { 200: { description: 'The folder as it is now.', json: answers.folderNamed } },
    problems: ['name-taken'],
    command: true,
    async run({ params: { folder: id }, body, onBehalf }, services) {
      await assertTemplate(services, onBehalf.by, body.template);
      await changedIn(services, onBehalf.by, onBehalf, changeFolder(id, body));
      return await folderAfter(services, onBehalf.by, id);
    },
  }),
  route('delete', '/folders/{folder}', {
    id: 'deleteFolder',
    summary: 'Deletes a folder; its recordings stay, in no folder',
    answers: { 204: { description: 'It is gone.' } },
    problems: ['not-accepted'],
    command: true,
    run: async ({ params: { folder: id }, onBehalf }, services) =>
      await removed(services, { id, kind: 'folder' }, onBehalf),
  }),
  route('get', '/tags', {
    id: 'listTags',
    summary: 'The caller’s tags, by name, with how many recordings have them',
    answers: {
      200: {
        description: 'All of them.',
        json: z.object({
          tags: z.array(z.object({ ...answers.tagNamed.shape, ...answers.counted })),
        }),
      },
    },
    async run({ caller: { userId: owner } }, { order, storage }) {
      const tags = byName((await order.of(owner)).tags);
      const counts = await countedLists(tags.map(({ id }) => entriesTagged(storage, owner, id)));
      return { tags: tags.map((one, at) => ({ ...one, ...counts[at]! })) };
    },
  }),
  route('post', '/tags', {
    id: 'createTag',
    summary: 'Makes a tag',
    body: { json: z.strictObject({ name: orderName, colour: answers.colour.default(1) }) },
    answers: { 201: { description: 'The tag.', json: answers.tagNamed } },
    problems: ['name-taken', 'too-many-names'],
    command: true,
    async run({ body, onBehalf }, services) {
      const { by } = onBehalf;
      const id = await made(services, by, onBehalf, (one) => createTag({ id: one, ...body }));
      return (await services.order.of(by)).tags.get(id);
    },
  }),
  route('patch', '/tags/{tag}', {
    id: 'changeTag',
    summary: 'Gives a tag another name or colour',
    body: {
      json: z.strictObject({ name: orderName.optional(), colour: answers.colour.optional() }),
    },
    answers: { 200: { description: 'The tag as it is now.', json: answers.tagNamed } },
    problems: ['name-taken'],
    command: true,
    async run({ params: { tag: id }, body, onBehalf }, { order }) {
      await changedIn({ order }, onBehalf.by, onBehalf, changeTag(id, body));
      return (await order.of(onBehalf.by)).tags.get(id);
    },
  }),
  route('delete', '/tags/{tag}', {
    id: 'deleteTag',
    summary: 'Deletes a tag, and takes it from all recordings',
    answers: { 204: { description: 'It is gone.' } },
    problems: ['not-accepted'],
    command: true,
    run: async ({ params: { tag: id }, onBehalf }, services) =>
      await removed(services, { id, kind: 'tag' }, onBehalf),
  }),
];

const byName = <T extends Named>(there: ReadonlyMap<string, T>): T[] =>
  [...there.values()].sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));

const folderShown = ({ access, retentionAt: _at, ...folder }: Folder) => ({
  ...folder,
  shared: access.length,
});

async function folderAfter({ order }: Pick<HttpServices, 'order'>, owner: string, id: string) {
  const folder = (await order.of(owner)).folders.get(id);
  return folder && folderShown(folder);
}

/** First from each recording, so that none is left with what is not there. */
async function removed(
  services: HttpServices,
  { id, kind }: { id: string; kind: 'folder' | 'tag' },
  onBehalf: RouteRequest['onBehalf'],
): Promise<void> {
  const owner = onBehalf.by;
  const { folders, tags } = await services.order.of(owner);
  if ((kind === 'folder' ? folders : tags).has(id)) {
    refuseWhenStopped(services);
    const last = await takenFromAll(services, { owner, id, kind }, onBehalf);
    if (last) await untilReadable(services, last);
  }
  await changedIn(services, owner, onBehalf, deleteInOrder(`${kind}s`, id));
  void services.refreshing.look();
}

/** How many recordings a list has; `more` than were counted. */
type CountedList = { recordings: number; more: boolean };

/** Lists that are counted at once, for all requests together. */
const atOnce = pLimit(8);

/**
 * Counts lists, each up to `countedMax`. However many there are and whatever they hold, so many keys are read together at
 * most: each list is counted up to its share, then those that have more share the same again.
 */
export async function countedLists(lists: readonly ReadEntries[]): Promise<CountedList[]> {
  const shareOf = (most: number): number =>
    Math.min(limits.countedMax, Math.floor(limits.countedTogetherMax / Math.max(1, most)));
  const count = (read: ReadEntries, most: number): Promise<CountedList> =>
    atOnce(async () => {
      const found = await countedEntries(read, most + 1);
      return { recordings: Math.min(found, most), more: found > most };
    });
  const share = shareOf(lists.length);
  const counted = await Promise.all(lists.map((read) => count(read, share)));
  const larger = shareOf(counted.filter(({ more }) => more).length);
  if (larger <= share) return counted;
  return await Promise.all(
    lists.map(async (read, at) => {
      const one = counted[at]!;
      return one.more ? await count(read, larger) : one;
    }),
  );
}
