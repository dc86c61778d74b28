import { forgetLooks } from '../../storage/access-log.ts';
import { detail } from '../../words/details.ts';
import { fieldFault } from '../../words/field-faults.ts';
import type { Erased } from '../../recordings/erasure.ts';
import { peopleSchema } from '../../recordings/people-given.ts';
import { wrong } from '../../shared/in-words.ts';
import * as z from 'zod';
import { kindSchema } from '../../../events/facts/recording.ts';
import {
  changeRecording,
  eraseUnlessHeld,
  nameVoices,
  renameSpeakers,
  restoreVersion,
  type DecideRecording,
} from '../../../projections/recording/decide.ts';
import type { OrderChanges } from '../../../projections/recording/order.ts';
import { localTime } from '../../shared/time.ts';
import { isIn } from '../../../machines/states.ts';
import { carryOut, refuseWhenStopped, untilReadable, untilWritten } from '../written.ts';
import { folderOf, isOrderGiven, orderSchema, orderWanted } from '../order-changes.ts';
import { readerOf } from '../middleware/authenticate.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import type { Reader } from '../readers-language.ts';
import { languageSchema, momentSchema, nameSchema, numberIn, titleSchema } from '../body.ts';
import { Problem, invalid, notFound } from '../problems.ts';
import { assertNotHeld, holdSchema } from '../holds.ts';
import { seenBy } from '../if-match.ts';
import { recordingLine } from '../recording-answer.ts';
import type { HttpServices, RouteServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import { asSeen } from '../shared-answer.ts';
import {
  type Needs,
  type Right,
  type SeenRecording,
  guest,
  isEnough,
  notYours,
  ownersRight,
  recordingInView,
  rightsOf,
  seenRecording,
  visibleOrLeft,
} from '../visible-recording.ts';
import { wordlessRecordingById } from '../../../projections/recordings.ts';
import { copiesLeft } from '../openapi/erased-answer.ts';
import * as answers from '../openapi/recording-answers.ts';
import { type RouteRequest, routesOf } from '../route.ts';

const recordingSchema = z
  .strictObject({
    title: titleSchema.refine((title) => title !== '', wrong('field-empty')).optional(),
    kind: kindSchema.optional(),
    language: languageSchema.optional(),
    people: peopleSchema
      .optional()
      .describe(
        'names of all who may be heard; while it is recorded, and while it waits for its speakers',
      ),
    started_at: momentSchema.optional().describe('when it began'),
    ...orderSchema.shape,
    hold: holdSchema.optional(),
    owner: z.string().max(64).optional().describe('a user’s name or id; by an administrator'),
  })
  .describe('What is left out stays as it is.');

const route = routesOf({ tag: 'Recordings' });

/** What people change of a recording afterwards. Each change is facts; the documents follow. */
export const recordingChangeRoutes = [
  route('patch', '/recordings/{id}', {
    id: 'changeRecording',
    summary:
      'Says what a recording is called, what kind it is, what was spoken, who may be heard, when it began, where it is put, whose it is',
    description:
      'File names stay; an old title becomes an alias. An administrator hands a recording over: its ' +
      'documents move to the other space. What a deleted user left takes `owner` alone, and is answered without words. ' +
      'They also protect any recording from deletion (`hold` alone), or lift that.',
    body: { json: recordingSchema },
    answers: { 200: answers.changed },
    problems: ['not-admin'],
    command: true,
    async run({ ctx, params: { id }, body, caller }, services) {
      const row = await rowToChange(services, caller, id, body);
      const { owner } = row;
      const right = await rightsOf(services, caller, row);
      const words = right !== null;
      if (right && !isProtection(body, caller)) assertMayChange(services, { row, right }, body);
      const isPut = isOrderGiven(body);
      const order = isPut ? orderWanted(body, await services.order.of(owner)) : {};
      const decision = recordingChange(body, { isAdmin: caller.isAdmin, words, order }, services);
      const moves = isPut || body.owner !== undefined;
      if (moves) await services.refreshing.note(id);
      const { facts } = await carryOut(services, ctx.state, id, decision);
      if (moves) void services.refreshing.look();
      for (const { type, data } of facts) {
        if (type !== 'recording.handed_over') continue;
        // Who looked before is not for the new owner.
        await forgetLooks(services.kept, id);
        const how = { recording_id: id, from: owner, to: data.owner, by: caller.userId };
        services.log.info({ category: 'security', ...how }, 'recording handed over');
      }
      return await lineWhenWritten(services, { caller, reader: readerOf(ctx) }, id, words);
    },
  }),
  route('patch', '/recordings/{id}/speakers', {
    id: 'renameSpeakers',
    tag: 'Speakers',
    summary: 'Changes names afterwards: the documents are written again without any engine',
    description:
      'An empty name takes a name away. While a meeting is recorded the labels are those of its voices (`VOICE_1`): these ' +
      'names are suggestions when it waits for its speakers. Where a summary mentions a name that goes, it is replaced if it is certain who is ' +
      'meant (`names-replaced` in `notes`); with a language model the summary is then made again, as another version.',
    headers: [
      {
        name: 'If-Match',
        description:
          '`speakers_revision` or `ETag` of `GET /recordings/{id}`: 412 when the labels are those of another transcript by now.',
      },
    ],
    body: { json: z.strictObject({ speakers: z.record(z.string().max(64), nameSchema) }) },
    answers: { 200: answers.changed },
    command: true,
    run: async (asked, services) =>
      await carryOutChange(
        asked,
        services,
        ({ role }) => {
          const { speakers } = asked.body;
          const renamed = renameSpeakers(speakers, {
            // Voices are remembered for whose recording it is, by nobody else.
            remember: role === 'owner' && services.settings()['speakers.profiles'],
            hasLanguageModel: services.hasLanguageModel(),
            seen: seenBy(asked),
          });
          const voiced = nameVoices(speakers);
          return (recording, state) =>
            isIn(state, 'recording') ? voiced(recording) : renamed(recording);
        },
        'correct',
      ),
  }),
  route('post', '/recordings/{id}/versions/{version}/restore', {
    id: 'restoreVersion',
    summary: 'Switches back to an earlier version, which becomes the newest',
    body: { json: z.strictObject({}), optional: true },
    answers: { 200: answers.changed },
    command: true,
    run: async (asked, services) =>
      await carryOutChange(asked, services, async () => {
        const version = numberIn(asked.params.version);
        const isRepeated = await doneBefore(services, asked.ctx.state, {
          types: ['version.restored'],
          recordingId: asked.params.id,
          asks: (fact) => fact.type === 'version.restored' && fact.data.version === version,
        });
        return isRepeated ? () => [] : restoreVersion(version);
      }),
  }),
  route('delete', '/recordings/{id}', {
    id: 'eraseRecording',
    summary: 'Erases a recording: documents, audio and every word of it, for good',
    description: 'Whatever is done with it is cancelled first.',
    answers: {
      204: { description: 'Nothing of it can be read any more.' },
      200: {
        description:
          'The same, but for copies in notes folders; paths below `notes.vault`, the owner’s own folder, or both.',
        json: z.object(copiesLeft),
      },
    },
    problems: ['on-hold'],
    command: true,
    async run({ params: { id }, caller, onBehalf }, services) {
      const erased = await erasedFor(services, caller, id, onBehalf);
      await untilReadable(services, erased);
      const { left, away } = erased;
      return left.length + away.length > 0 ? { left, away } : undefined;
    },
  }),
];

/** Erases a recording, unless it is protected. @throws as `visibleOrLeft` */
export async function erasedFor(
  services: RouteServices,
  caller: Caller,
  id: string,
  onBehalf: RouteRequest['onBehalf'],
): Promise<Erased> {
  assertNotHeld(services, await visibleOrLeft(services, caller, id));
  refuseWhenStopped(services);
  const erased = await services.recordingService.erase(id, onBehalf, eraseUnlessHeld(Date.now()));
  const how = { recording_id: id, by: caller.userId };
  services.log.info({ category: 'security', ...how }, 'recording erased');
  return erased;
}

/** Gives a command, waits for the documents, and returns the recording as it is then. */
export async function carryOutChange(
  { ctx, params: { id }, caller }: RouteRequest<'/{id}'>,
  services: HttpServices,
  decisionOf: (right: Right) => DecideRecording | Promise<DecideRecording>,
  needs: Needs = 'owner',
) {
  const { right } = await seenRecording(services, caller, id, needs);
  await carryOut(services, ctx.state, id, await decisionOf(right));
  return await lineWhenWritten(services, { caller, reader: readerOf(ctx) }, id, true);
}

async function lineWhenWritten(
  services: HttpServices,
  { caller, reader }: { caller: Caller; reader: Reader },
  id: string,
  words: boolean,
) {
  const { recordingService, settings, storage } = services;
  const row = await untilWritten(services, id);
  if (!row) throw notFound();
  const shown = words ? row : ((await wordlessRecordingById(storage, id)) ?? row);
  const line = recordingLine(shown, recordingService.activity(id), {
    uiLanguage: settings()['ui.language'],
    reader,
  });
  const folder = folderOf(shown, await services.order.of(shown.owner));
  // Whoever gave it away, or lost it meanwhile, still gets the answer to what they did.
  const present = await rightsOf(services, caller, row);
  const right = present ?? (caller.isAdmin ? ownersRight : noRight);
  return asSeen(services, { row, right }, { ...line, folder });
}

const noRight: Right = { role: 'read', audio: false };

/** Administrators protect any recording from deletion, without a word of it. */
const isHoldAlone = (body: object): boolean => Object.keys(body).join() === 'hold';

/** What an administrator may do with any recording. */
const isProtection = (body: object, { isAdmin }: Pick<Caller, 'isAdmin'>): boolean =>
  isAdmin && isHoldAlone(body);

const rowToChange = async (services: HttpServices, caller: Caller, id: string, body: object) =>
  isProtection(body, caller)
    ? await recordingInView(services, caller, id)
    : await visibleOrLeft(services, caller, id, 'read');

/** What a user may change of a note that is somebody else’s. */
const correctable: ReadonlySet<string> = new Set(['title', 'people']);

/** @throws {Problem} 403 naming the fields that are the owner’s; nothing is changed then */
function assertMayChange(
  services: HttpServices,
  { row, right }: SeenRecording,
  body: object,
): void {
  if (right.role === 'owner') return;
  if (!isEnough(right, 'correct')) throw notYours(services, row.owner);
  const fields = Object.keys(body).filter((field) => !correctable.has(field));
  if (fields.length > 0) throw notYours(services, row.owner, fields);
}

/** What a deleted user left gets another owner, and is not changed otherwise. @throws {Problem} */
function recordingChange(
  { owner, started_at, ...wanted }: z.output<typeof recordingSchema>,
  { isAdmin, words, order }: { isAdmin: boolean; words: boolean; order: OrderChanges },
  { accounts }: HttpServices,
): DecideRecording {
  const changesMore = started_at !== undefined || Object.keys(wanted).length > 0;
  if (!words && !isHoldAlone(wanted) && (owner === undefined || changesMore)) {
    throw notFound(detail('owner-deleted'));
  }
  if (owner !== undefined && !isAdmin) {
    throw new Problem('not-admin', { said: detail('handover-admin-only') });
  }
  const ownerId = owner === undefined ? undefined : userId(accounts, owner);
  const { title, kind, language, people, hold } = wanted;
  const localStart = onWall(started_at);
  return changeRecording({
    title,
    kind,
    language,
    people,
    localStart,
    hold,
    owner: ownerId,
    ...order,
  });
}

/** A user's id, or their name. */
function userId(accounts: HttpServices['accounts'], wanted: string): string {
  if (wanted === guest) return guest;
  const user = accounts
    .listUsers()
    .find(({ userId, username }) => userId === wanted || username === wanted);
  if (user) return user.userId;
  throw invalid([{ path: 'owner', fault: fieldFault('not-a-user') }]);
}

/** A moment on the server's wall clock. */
const onWall = (moment: string | undefined): string | undefined =>
  moment === undefined ? undefined : localTime(new Date(moment));
