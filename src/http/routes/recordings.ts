import { detail } from '../../words/details.ts';
import { wrong } from '../../shared/in-words.ts';
import * as z from 'zod';
import { isIn } from '../../../machines/states.ts';
import { entriesOfOrder } from '../../../projections/library.ts';
import { entriesInAny } from '../../../projections/list-page.ts';
import { recordingById, recordingsOf } from '../../../projections/recordings.ts';
import { transcriptOf } from '../../../projections/texts.ts';
import { readerOf } from '../middleware/authenticate.ts';
import { narrowingSchema, pageSchema, positionSchema } from '../body.ts';
import { folderOf, foldersMeant, tagsMeant } from '../order-changes.ts';
import type { Reader } from '../readers-language.ts';
import { Problem, notFound } from '../problems.ts';
import {
  factAnswer,
  factsPage,
  recordingAnswer,
  recordingLine,
  topLevelState,
} from '../recording-answer.ts';
import {
  ownersRight,
  recordingInView,
  rightsOf,
  sees,
  seesLeft,
  visibleOrLeft,
  visibleRecording,
} from '../visible-recording.ts';
import { noteLook } from '../looked.ts';
import { asSeen } from '../shared-answer.ts';
import { setTurnsTag } from './turns.ts';
import type { HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import { recordingAt } from '../../recordings/recording-at.ts';
import { recordingOf } from '../../../events/facts/recording.ts';
import { factPage } from '../openapi/fact-answers.ts';
import * as answers from '../openapi/recording-answers.ts';
import { routesOf } from '../route.ts';
import type { Origin } from '../../../projections/recording/origins.ts';
import { originsAnswer } from '../origins.ts';

const readSchema = z.object({
  at: positionSchema
    .removeDefault()
    .optional()
    .describe('a position of the log: the recording as it was then'),
});

const recordingListSchema = z.strictObject({
  ...pageSchema.shape,
  status: z
    .string()
    .transform((name, context) => {
      const state = topLevelState(name);
      if (state !== undefined) return state;
      context.addIssue({
        code: 'custom',
        message: wrong('not-a-status'),
      });
      return z.NEVER;
    })
    .optional(),
  owner: z.string().max(64).optional(),
  folder: narrowingSchema.shape.folder,
  tag: narrowingSchema.shape.tag,
});

const eventsSchema = z.strictObject({
  after: positionSchema,
  limit: pageSchema.shape.limit,
});

const route = routesOf({ tag: 'Recordings' });

/** Reading recordings: the list, one, and the facts one consists of. */
export const recordingRoutes = [
  route('get', '/recordings', {
    id: 'listRecordings',
    summary: 'The caller’s recordings, also unfinished and failed ones, newest first',
    description:
      '`owner=guest` shows an administrator those of tray and hotkey; the id of a deleted user what they left, without a ' +
      'word: no title, no names, no documents.',
    query: recordingListSchema,
    answers: {
      200: {
        description: 'A page.',
        json: z.object({
          recordings: z.array(answers.recordingLineSchema),
          next_cursor: answers.nextCursor,
        }),
      },
    },
    problems: ['not-admin'],
    async run({ ctx, query: { owner: asked, folder, tag, ...page }, caller }, services) {
      const owner = asked ?? caller.userId;
      if (!seesLeft(services, caller, owner)) {
        throw new Problem('not-admin', { said: detail('recordings-of-others') });
      }
      const words = sees(caller, owner);
      const { storage } = services;
      const personal = await services.order.of(owner);
      const folders = folder === undefined ? [] : [foldersMeant(folder, personal)];
      const within = [
        ...folders.map((ids) =>
          ids.flatMap((id) => entriesOfOrder(storage, owner, { id, kind: 'folder' })),
        ),
        ...tagsMeant(tag).map((id) => entriesOfOrder(storage, owner, { id, kind: 'tag' })),
      ].map(entriesInAny);
      const { rows, nextCursor } = await recordingsOf(storage, owner, { ...page, words, within });
      const { recordingService, settings } = services;
      const answering = { uiLanguage: settings()['ui.language'], reader: readerOf(ctx) };
      return {
        recordings: rows.map((row) => ({
          ...asSeen(
            services,
            { row, right: ownersRight },
            {
              ...recordingLine(row, recordingService.activity(row.recordingId), answering),
              folder: folderOf(row, personal),
            },
          ),
        })),
        next_cursor: nextCursor,
      };
    },
  }),
  route('get', '/recordings/{id}', {
    id: 'readRecording',
    summary: 'One recording with its words',
    description:
      'With `at` as it was at that position of the log, and what was possible then. Administrators see so ' +
      'what became of every recording, without what was said in those of others. What a deleted user left they see ' +
      'without words, too: they hand it over (`owner` of `PATCH`) or erase it.',
    query: readSchema,
    answers: {
      200: {
        description: 'The recording.',
        json: answers.recording,
        headers: { ETag: 'Names what its turns say now: for `If-Match`. Not with `at`.' },
      },
    },
    async run({ ctx, params: { id }, query: { at }, caller }, services) {
      if (at !== undefined) {
        return await earlier(services, { caller, reader: readerOf(ctx) }, id, at);
      }
      const row = await visibleOrLeft(services, caller, id, 'read');
      const { storage, recordingService, settings } = services;
      const right = await rightsOf(services, caller, row);
      if (right) noteLook(services, caller, { row, right }, 'opened');
      const transcript = right ? await transcriptOf(storage, id) : undefined;
      setTurnsTag(ctx, transcript);
      const activities = recordingService.activity(id);
      const answer = recordingAnswer(row, transcript, activities, {
        uiLanguage: settings()['ui.language'],
        reader: readerOf(ctx),
      });
      const isOwn = !right || right.role === 'owner';
      return asSeen(
        services,
        { row, right: right ?? ownersRight },
        {
          ...answer,
          folder: folderOf(row, await services.order.of(row.owner)),
          origins: isOwn ? await namedOrigins(services, caller, row.origins) : [],
        },
      );
    },
  }),
  route('get', '/recordings/{id}/events', {
    id: 'recordingEvents',
    summary: 'The facts a recording consists of',
    query: eventsSchema,
    answers: { 200: { description: 'A page of facts.', json: factPage } },
    async run({ params: { id }, query, caller }, services) {
      await visibleRecording(services, caller, id);
      return await factsPage(services.store, id, { ...query, content: true, wasErased: false });
    },
  }),
  // The log a page at a time, or one recording's facts, for administrators. Content only of the
  // caller's own recordings; of erased ones no digest, length or time of the file.
  routesOf({ tag: 'Watching', access: 'admin' })('get', '/events', {
    id: 'events',
    summary: 'The log, a page at a time',
    description:
      'Content is left out, except that of the caller’s own recordings. Of an erased one `data` says nothing of its file.',
    query: eventsSchema.extend({
      recording: z.ulid().optional().describe('only the facts of this recording'),
    }),
    answers: { 200: { description: 'A page of facts.', json: factPage } },
    async run({ query: { after, limit, recording }, caller: { userId } }, services) {
      const shownOf = async (id: string) => {
        const row = await recordingById(services.storage, id);
        const wasErased = row !== undefined && isIn(row.state, 'idle.erased');
        return { content: row?.owner === userId, wasErased };
      };
      if (recording !== undefined) {
        const shown = await shownOf(recording);
        return await factsPage(services.store, recording, { after, limit, ...shown });
      }
      const known = new Map<string, Awaited<ReturnType<typeof shownOf>>>();
      const events: ReturnType<typeof factAnswer>[] = [];
      let last = after;
      for await (const fact of services.store.readAll({ afterPosition: after, limit })) {
        // What other streams hold as content (password hashes) is never shown, not even to the user.
        const id = recordingOf(fact.stream);
        if (id !== undefined && !known.has(id)) known.set(id, await shownOf(id));
        const shown = id === undefined ? undefined : known.get(id);
        events.push(factAnswer(fact, shown ?? { content: false, wasErased: false }));
        last = fact.position;
      }
      return { events, next_after: events.length < limit ? null : last };
    },
  }),
];

/** As it was; an administrator sees what became of others' recordings, without what was said. */
async function earlier(
  services: HttpServices,
  { caller, reader }: { caller: Caller; reader: Reader },
  id: string,
  at: number,
) {
  const row = await recordingInView(services, caller, id);
  const content = sees(caller, row.owner);
  const then = await recordingAt(services.store, id, { position: at, content });
  if (!then) throw notFound(detail('recording-not-yet'));
  const { position, possible, waits } = then;
  const answer = recordingAnswer(then.row, then.transcript, [], {
    uiLanguage: services.settings()['ui.language'],
    reader,
  });
  return {
    ...asSeen(services, { row: then.row, right: ownersRight }, answer),
    running: then.row.running,
    position,
    possible,
    waits,
  };
}

/** Where a recording comes from, with the titles of those that are there and that the caller may see. */
async function namedOrigins(
  { storage }: Pick<HttpServices, 'storage'>,
  caller: Caller,
  origins: readonly Origin[],
): Promise<ReturnType<typeof originsAnswer>> {
  return await Promise.all(
    originsAnswer(origins).map(async (origin) => {
      const row = await recordingById(storage, origin.recording_id);
      if (!row || !sees(caller, row.owner) || isIn(row.state, 'idle.erased')) return origin;
      return { ...origin, title: row.title ?? row.source ?? '' };
    }),
  );
}
