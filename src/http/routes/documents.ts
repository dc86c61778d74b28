import { detail } from '../../words/details.ts';
import * as z from 'zod';
import type { Context } from 'koa';
import { recordingById, recordings } from '../../../projections/recordings.ts';
import {
  entriesInFolders,
  type LibraryItem,
  entriesTagged,
  foldName,
  libraryEntries,
  libraryIds,
  libraryOf,
  recordingByFilename,
  isHandedOver,
} from '../../../projections/library.ts';
import { type ReadEntries, entriesInAll, entriesInAny } from '../../../projections/list-page.ts';
import type { KeptLine } from '../../../projections/recording-row.ts';
import { thoseWhoSpeak } from '../../../projections/recording/reading.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Language } from '../../words/params.ts';
import { asSeen, endsByItself } from '../shared-answer.ts';
import { assertNotHeld } from '../holds.ts';
import { entriesWithMe, sharedWith } from '../shared-with-me.ts';
import { ofOwner, ownerIn } from '../of-guest.ts';
import { guest, ownersRight, rightsOf, sees } from '../visible-recording.ts';
import { openSpokenBy } from '../../search/spoken-by.ts';
import { documentBytesMax, readDocument } from '../../documents/space.ts';
import { carryOut, refuseWhenStopped, untilReadable, untilWritten } from '../written.ts';
import { bodyParser, librarySchema, narrowingSchema } from '../body.ts';
import { cachedReads } from '../cached-reads.ts';
import { limits } from '../limits.ts';
import { Problem, notFound } from '../problems.ts';
import { reprocessProblems, reprocessSchema, reprocessed } from './recording-actions.ts';
import { folderOf, foldersMeant, tagsMeant } from '../order-changes.ts';
import { libraryAnswer, statusName } from '../recording-answer.ts';
import { deleteDocument } from '../../documents/write.ts';
import { type DocumentName, documentNames, speakerName } from '../../documents/documents.ts';
import { documentFilesOf, type Recording } from '../../../projections/recording/recording.ts';
import { editDocument } from '../../../projections/recording/edit-document.ts';
import { NotAccepted } from '../../recordings/refusals.ts';
import { comparison } from '../../documents/edit-comparison.ts';
import * as answers from '../openapi/recording-answers.ts';
import type { StoredDocument } from '../../documents/stored-document.ts';
import { perApp, type RouteContext, routesOf } from '../route.ts';
import type { HttpServices, RouteServices } from '../services.ts';

const libraryPages = perApp(({ projections }) =>
  cachedReads<Buffer>(projections, [recordings.name], limits.pagesKeptMax),
);

const openedSpokenBy = perApp(({ storage, projections }) => openSpokenBy({ storage, projections }));

/** Where the library is read from. */
const entriesFor = async (
  services: RouteServices,
  owner: string,
  { kind, speaker, folder, tag }: z.output<typeof narrowingSchema>,
): Promise<ReadEntries> => {
  const { storage } = services;
  const read =
    speaker === undefined
      ? libraryEntries(storage, owner, kind)
      : await openedSpokenBy(services).entriesOf(owner, speaker, kind);
  const ordered = [
    ...(folder === undefined
      ? []
      : [entriesInFolders(storage, owner, foldersMeant(folder, await services.order.of(owner)))]),
    ...tagsMeant(tag).map((one) => entriesTagged(storage, owner, one)),
  ];
  const [first, ...others] = ordered;
  // Whatever is in a folder or has a tag is in the library.
  return first !== undefined && kind === undefined && speaker === undefined
    ? entriesInAll([first, ...others])
    : entriesInAll([read, ...ordered]);
};

/** A page of what others share with the caller, or of that and their own. */
async function sharedPage(
  services: RouteServices,
  caller: Caller,
  query: z.output<typeof librarySchema>,
) {
  const { userId: owner } = caller;
  const { kind, speaker, folder, tag } = query;
  const name = speaker === undefined ? undefined : foldName(speaker);
  const fits = ({ core, said }: KeptLine) =>
    (kind === undefined || core.kind === kind) &&
    (name === undefined ||
      thoseWhoSpeak(said?.speakers ?? []).some((one) => foldName(one.name ?? one.label) === name));
  // Tags are their owner's: with one, nothing of others is in it.
  const theirs = tag === undefined ? [await entriesWithMe(services, caller, { folder, fits })] : [];
  const own = query.shared === 'all' ? [await entriesFor(services, owner, query)] : [];
  const read = entriesInAny([...own, ...theirs]);
  const near =
    query.around === undefined ? undefined : await recordingById(services.storage, query.around);
  const whose = near && (await rightsOf(services, caller, near)) ? near.owner : owner;
  const page = await libraryOf(services.storage, whose, query, read);
  const personal = await services.order.of(owner);
  const { folders } = await sharedWith(services, owner);
  const inShared = new Set(folders.map((one) => one.folder));
  const { 'ui.language': uiLanguage } = services.settings();
  const transcripts = await Promise.all(
    page.rows.map(async (one) => {
      if (one.owner === owner)
        return [{ ...ownItem(services, one, uiLanguage), folder: folderOf(one, personal) }];
      const right = await rightsOf(services, caller, one);
      // Withdrawn since the list was read.
      if (!right) return [];
      return [
        {
          ...asSeen(
            services,
            { row: one, right },
            { ...libraryAnswer(one, uiLanguage), filename: null },
          ),
          folder: one.folder !== null && inShared.has(one.folder) ? one.folder : null,
        },
      ];
    }),
  );
  return {
    transcripts: transcripts.flat(),
    next_cursor: page.nextCursor,
    previous_cursor: page.previousCursor,
  };
}

const ownItem = (services: HttpServices, row: LibraryItem, uiLanguage: Language) =>
  asSeen(services, { row, right: ownersRight }, libraryAnswer(row, uiLanguage));

const route = routesOf({ tag: 'Transcripts' });

/** The documents in the caller's space, or in that of `guest`: to read, to send back after editing them, to delete. */
export const documentRoutes = [
  route('get', '/transcripts', {
    id: 'listTranscripts',
    summary: 'Recordings with documents, newest first',
    query: librarySchema,
    answers: {
      200: {
        description: 'A page.',
        json: z.object({
          transcripts: z.array(answers.libraryItem),
          next_cursor: answers.nextCursor,
          previous_cursor: z
            .string()
            .nullable()
            .describe('`before` of the page above; null: this is the first'),
        }),
      },
    },
    async run({ ctx, query, caller }, services) {
      const { userId: owner } = caller;
      const { 'ui.language': uiLanguage } = services.settings();
      if (query.shared !== 'mine') return await sharedPage(services, caller, query);
      // As it was asked, and as bytes, which need no encoding.
      const key = `${uiLanguage} ${owner}?${ctx.querystring}`;
      let isEnding = false;
      const pageNow = async () => {
        const read = await entriesFor(services, owner, query);
        const page = await libraryOf(services.storage, owner, query, read);
        const personal = await services.order.of(owner);
        isEnding = page.rows.some(endsByItself);
        const transcripts = page.rows.map((one) => ({
          ...ownItem(services, one, uiLanguage),
          folder: folderOf(one, personal),
        }));
        const { nextCursor: next_cursor, previousCursor: previous_cursor } = page;
        return Buffer.from(JSON.stringify({ transcripts, next_cursor, previous_cursor }));
      };
      return await libraryPages(services)(key, pageNow, () => !isEnding);
    },
  }),
  route('get', '/library/ids', {
    id: 'listTranscriptIds',
    summary: 'Which recordings with documents fit, newest first',
    query: narrowingSchema,
    answers: {
      200: {
        description: `Their ids, at most ${limits.libraryIdsMax}.`,
        json: z.object({
          recording_ids: z.array(z.string()),
          all: z.boolean().describe('false: there are more'),
        }),
      },
    },
    async run({ query, caller: { userId: owner } }, services) {
      const { libraryIdsMax: most } = limits;
      const read = await entriesFor(services, owner, query);
      const ids = await libraryIds(read, { ...query, limit: most + 1 });
      return { recording_ids: ids.slice(0, most), all: ids.length <= most };
    },
  }),
  // Before reading: a document called `reprocess` is read by GET, this is POST only.
  route('post', '/transcripts/{filename}/reprocess', {
    id: 'reprocessTranscript',
    summary: 'Processes the document’s recording again',
    query: ofOwner,
    description: 'The old version stays until the new one is complete.',
    body: { json: reprocessSchema, optional: true },
    answers: { 202: answers.going },
    problems: ['not-accepted', ...reprocessProblems],
    command: true,
    async run({ ctx, params: { filename }, query, body, caller }, services) {
      const owner = ownerIn(query, caller);
      const id = await recordingOfDocument(services, owner, filename);
      return await reprocessed(services, ctx.state, id, body, async () => ({ owner }));
    },
  }),
  route('get', '/transcripts/{filename}', {
    id: 'readDocument',
    summary: 'One document',
    description: 'To administrators: their own, else that of `guest` at this path.',
    query: ofOwner,
    headers: [{ name: 'If-None-Match', description: 'An `ETag`: 304 while it is the same.' }],
    answers: {
      200: {
        description: 'The document.',
        media: ['text/markdown'],
        headers: { ETag: 'Names this version of the document.' },
      },
      304: { description: 'Not changed since.' },
    },
    problems: ['too-large'],
    async run({ ctx, params: { filename }, query, caller }, services) {
      // Only reading looks for it there by itself: a command that comes again must not fall on another document.
      let document = await ownDocument(services, ownerIn(query, caller), filename);
      if (!document && sees(caller, guest))
        if ((await recordingByFilename(services.storage, guest, filename)) !== undefined)
          document = await ownDocument(services, guest, filename);
      if (!document) throw notFound();
      ctx.set('ETag', `"${document.sha256}"`);
      ctx.set('Cache-Control', 'private, no-cache');
      if (!ctx.fresh) return document.bytes;
      ctx.status = 304;
      return undefined;
    },
  }),
  route('put', '/transcripts/{filename}', {
    id: 'editDocument',
    summary: 'Takes an edited document',
    query: ofOwner,
    description:
      'Changes that can be assigned by block ids become corrections of the transcript, changed lines and checked tasks ' +
      'of the summary its edits; with anything else the whole is kept as their own version, and `own` says so.',
    headers: [
      { name: 'If-Match', description: '`ETag` of the document that was edited.', required: true },
    ],
    body: { mediaType: 'text/markdown', description: 'The whole document.' },
    answers: {
      200: {
        description: 'Taken.',
        json: z.object({
          ...answers.accepted.shape,
          corrections: z.number().int().describe('how many passages were corrected'),
          lines: z.number().int().describe('how many lines of the summary were edited'),
          own: z.boolean(),
        }),
        headers: { ETag: 'Names the document as it is now.' },
      },
    },
    problems: ['not-accepted'],
    command: true,
    async run({ ctx, params: { filename }, query, caller }, services) {
      const owner = ownerIn(query, caller);
      return await takeEdited(ctx, services, { owner, by: caller.userId }, filename);
    },
  }),
  route('delete', '/transcripts/{filename}', {
    id: 'deleteDocument',
    summary: 'Deletes a document, with an index all three; the recording stays',
    query: ofOwner,
    answers: { 204: { description: 'It is gone.' } },
    problems: ['not-accepted', 'on-hold'],
    command: true,
    async run({ params: { filename }, query, caller, onBehalf }, services) {
      const owner = ownerIn(query, caller);
      const space = await services.spaceOf(owner);
      // Also refuses a path that leaves the space, with the same answer as reading it.
      const present = await ownDocument(services, owner, filename);
      const recordingId = await recordingByFilename(services.storage, owner, filename);
      if (recordingId === undefined) {
        if (!present) throw notFound();
        await deleteDocument(space, filename);
        return;
      }
      refuseWhenStopped(services);
      const { recording, state } = await services.recordingService.read(recordingId);
      const document = documentIn(recording, filename);
      if (!document) throw new NotAccepted('documents.deleted', state, []);
      if (!present) throw notFound();
      const row = await recordingById(services.storage, recordingId);
      if (row) assertNotHeld(services, row);
      const { recordingService } = services;
      await untilReadable(
        services,
        await recordingService.deleteDocuments(recordingId, [document], onBehalf),
      );
    },
  }),
];

/** @throws {Problem} 404, also for a path that leaves the space, with the same answer as reading it */
async function recordingOfDocument(
  { storage, spaceOf }: HttpServices,
  userId: string,
  filename: string,
): Promise<string> {
  if (!(await readDocument(await spaceOf(userId), filename))) throw notFound();
  const recordingId = await recordingByFilename(storage, userId, filename);
  if (recordingId === undefined) throw notFound(detail('document-not-of-recording'));
  return recordingId;
}

async function takeEdited(
  ctx: RouteContext,
  services: HttpServices,
  { owner, by }: { owner: string; by: string },
  filename: string,
) {
  const recordingId = await recordingOfDocument(services, owner, filename);
  const space = await services.spaceOf(owner);
  const present = await readDocument(space, filename);
  if (!present) throw notFound();
  const markdown = await markdownBody(ctx);
  const seen = ctx.get('If-Match');
  if (seen !== `"${present.sha256}"`) {
    const said = detail(seen === '' ? 'if-match-missing' : 'document-changed');
    throw new Problem('changed-meanwhile', { said });
  }
  refuseWhenStopped(services);
  const { recording, state } = await services.recordingService.read(recordingId);
  const document = documentIn(recording, filename);
  if (document === undefined) throw new NotAccepted('document.edited', state, []);
  if (document === null) throw notFound(detail('document-not-of-recording'));
  const there = present.bytes.toString('utf8');
  const compare = await comparison(recordingId, document, { markdown, there });
  const given = { document, markdown, replaces: present.sha256 };
  const decision = editDocument(given, compare, speakerName, by);
  const { facts } = await carryOut(services, ctx.state, recordingId, decision);
  const row = await untilWritten(services, recordingId);
  const written = await readDocument(space, filename);
  if (written) ctx.set('ETag', `"${written.sha256}"`);
  return {
    recording_id: recordingId,
    status: statusName(row?.state ?? state),
    corrections: facts.filter(({ type }) => type === 'turn.edited').length,
    lines: facts.reduce((count, fact) => {
      if (fact.type === 'summary.edited') return count + fact.data.edits.length;
      return fact.type === 'task.checked' ? count + 1 : count;
    }, 0),
    own: facts.some((fact) => fact.type === 'document.edited' && fact.data.own),
  };
}

/** Which of the present documents a file is: null when none; undefined while there are none. */
function documentIn(recording: Recording, filename: string): DocumentName | null | undefined {
  const { published: source } = recording.sources;
  const { saved, named } = source ? documentFilesOf(recording, source) : {};
  const paths = named?.content && saved?.content?.paths;
  return paths && (documentNames.find((name) => sameName(paths[name], filename)) ?? null);
}

const textOnly = {
  text: true,
  textLimit: documentBytesMax,
  json: false,
  urlencoded: false,
  multipart: false,
};

/**
 * A document in a user's space; undefined where there is none, or its recording was handed over and it has not moved yet.
 * @throws {ConfinementError}, {OversizedDocument}
 */
async function ownDocument(
  { storage, spaceOf }: Pick<HttpServices, 'storage' | 'spaceOf'>,
  userId: string,
  filename: string,
): Promise<StoredDocument | undefined> {
  const document = await readDocument(await spaceOf(userId), filename);
  return document && (await isHandedOver(storage, userId, filename)) ? undefined : document;
}

/** The same name may be written with composed or with decomposed accents. */
const sameName = (a: string, b: string): boolean => a.normalize('NFC') === b.normalize('NFC');

/** @throws {Problem} 413, 415 */
async function markdownBody(ctx: Context): Promise<string> {
  if (ctx.is('text/markdown', 'text/plain') === false) {
    throw new Problem('unsupported-media', {
      said: detail('content-type-needed', { type: 'text/markdown' }),
    });
  }
  await bodyParser()(textOnly)(ctx, async () => {});
  const { body } = ctx.request;
  return typeof body === 'string' ? body : '';
}
