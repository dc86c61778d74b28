import * as z from 'zod';
import { kindSchema } from '../../../events/facts/recording.ts';
import {
  changeRecording,
  nameVoices,
  renameSpeakers,
  restoreVersion,
} from '../../../projections/recording/decide.ts';
import { transcriptOf } from '../../../projections/transcripts.ts';
import { localTime } from '../../shared/time.ts';
import { isIn } from '../../../machines/states.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { carryOut, commandOf, refuseWhenStopped, untilReadable, untilWritten } from '../written.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import {
  jsonBody,
  languageSchema,
  momentSchema,
  nameSchema,
  numberIn,
  titleSchema,
} from '../body.ts';
import { Problem, invalid, notFound } from '../problems.ts';
import { recordingLine } from '../recording-answer.ts';
import type { AddRoutes, HttpServices } from '../services.ts';
import { guest, sees, visibleOrLeft, visibleRecording } from '../visible-recording.ts';
import { wordlessRecordingById } from '../../../projections/recordings.ts';
import {
  type DecisionOf,
  type Request,
  setTurnsTag,
  turnEdit,
  turnEdits,
  turnMerge,
  turnSplit,
} from './turns.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import * as answers from '../openapi/recording-answers.ts';

/** What people change of a recording afterwards. Each change is facts; the documents follow. */
export const recordingChangeRoutes: AddRoutes = (router, services) => {
  /** Gives the command, waits for the documents, and answers with the recording as it is then. */
  const change =
    (decisionOf: DecisionOf, { isOfTurns = false, ofLeft = false } = {}) =>
    async (ctx: Request) => {
      const caller = callerOf(ctx.state);
      const find = ofLeft ? visibleOrLeft : visibleRecording;
      const { recording_id: id, owner } = await find(services, caller, ctx.params['id']!);
      const words = sees(caller, owner);
      if (!words) await assertHandingOver(ctx);
      const { facts } = await carryOut(services, ctx.state, id, await decisionOf(ctx, services));
      for (const { type, data } of facts) {
        if (type !== 'recording.handed_over') continue;
        const how = { recording_id: id, from: owner, to: data.owner, by: caller.userId };
        services.log.info({ category: 'security', ...how }, 'recording handed over');
      }
      const row = await untilWritten(services, id);
      if (!row) throw notFound();
      if (isOfTurns) setTurnsTag(ctx, await transcriptOf(services.storage, id));
      const { recordingService, settings, storage } = services;
      const shown = words ? row : ((await wordlessRecordingById(storage, id)) ?? row);
      ctx.body = recordingLine(shown, recordingService.activity(id), settings()['ui.language']);
    };

  router.patch('/recordings/:id', change(recordingChange, { ofLeft: true }));
  router.patch('/recordings/:id/utterances', change(turnEdits, { isOfTurns: true }));
  router.patch('/recordings/:id/utterances/:index', change(turnEdit, { isOfTurns: true }));
  router.post('/recordings/:id/utterances/:index/split', change(turnSplit, { isOfTurns: true }));
  router.post('/recordings/:id/utterances/:index/merge', change(turnMerge, { isOfTurns: true }));
  router.patch('/recordings/:id/speakers', change(newNames));
  router.post('/recordings/:id/versions/:version/restore', change(restoring));

  router.delete('/recordings/:id', async (ctx) => {
    const caller = callerOf(ctx.state);
    const { recording_id: id } = await visibleOrLeft(services, caller, ctx.params['id']!);
    refuseWhenStopped(services);
    const metadata = { by: caller.userId, command: commandOf(ctx.state) };
    const erased = await services.recordingService.erase(id, metadata);
    const how = { recording_id: id, by: caller.userId };
    services.log.info({ category: 'security', ...how }, 'recording erased');
    await untilReadable(services, erased);
    // What stays in the vault is named.
    if (erased.left.length > 0) ctx.body = { left: erased.left };
    else ctx.status = 204;
  });
};

const recordingChange: DecisionOf = async (ctx, { accounts }) => {
  const { owner, started_at, ...wanted } = await jsonBody(ctx, recordingSchema);
  if (owner !== undefined && !callerOf(ctx.state).isAdmin) {
    throw new Problem('not-admin', 'Only an administrator hands a recording over.');
  }
  const ownerId = owner === undefined ? undefined : userId(accounts, owner);
  return changeRecording({ ...wanted, localStart: onWall(started_at), owner: ownerId });
};

const newNames: DecisionOf = async (ctx, { settings, hasLanguageModel }) => {
  const { speakers } = await jsonBody(ctx, namesSchema);
  const remember = settings()['speakers.profiles'];
  const renamed = renameSpeakers(speakers, { remember, hasLanguageModel: hasLanguageModel() });
  const voiced = nameVoices(speakers);
  return (recording, state) => (isIn(state, 'recording') ? voiced(recording) : renamed(recording));
};

const restoring: DecisionOf = async (ctx, services) => {
  await jsonBody(ctx, z.strictObject({}));
  const version = numberIn(ctx.params['version']!);
  const isRepeated = await doneBefore(services, ctx.state, {
    types: ['version.restored'],
    recordingId: ctx.params['id'],
    asks: (fact) => fact.type === 'version.restored' && fact.data.version === version,
  });
  return isRepeated ? () => [] : restoreVersion(version);
};

/** What a deleted user left gets another owner, and is not changed otherwise. @throws {Problem} 404 */
async function assertHandingOver(ctx: Request): Promise<void> {
  const { owner, ...rest } = await jsonBody(ctx, recordingSchema);
  if (owner === undefined || Object.keys(rest).length > 0) {
    throw notFound('What a deleted user left can be handed over or erased, and not changed.');
  }
}

/** A user's id, or their name. */
function userId(accounts: HttpServices['accounts'], wanted: string): string {
  if (wanted === guest) return guest;
  const user = accounts
    .listUsers()
    .find(({ userId, username }) => userId === wanted || username === wanted);
  if (user) return user.userId;
  throw invalid([{ path: 'owner', message: 'is not a user' }]);
}

/** A moment on the server's wall clock. */
const onWall = (moment: string | undefined): string | undefined =>
  moment === undefined ? undefined : localTime(new Date(moment));

const recordingSchema = z
  .strictObject({
    title: titleSchema.refine((title) => title !== '', 'must not be empty').optional(),
    kind: kindSchema.optional(),
    language: languageSchema.optional(),
    started_at: momentSchema.optional().describe('when it began'),
    owner: z.string().max(64).optional().describe('a user’s name or id; by an administrator'),
  })
  .describe('What is left out stays as it is.');

const namesSchema = z.strictObject({
  speakers: z.record(z.string().max(64), nameSchema),
});

/** What people change of recordings afterwards. */
export const changeOperations: readonly Operation[] = [
  {
    method: 'patch',
    path: '/recordings/{id}',
    id: 'changeRecording',
    tag: 'Recordings',
    summary:
      'Says what a recording is called, what kind it is, what was spoken, when it began, whose it is',
    description:
      'File names stay; an old title becomes an alias. An administrator hands a recording over: its ' +
      'documents move to the other space. What a deleted user left takes `owner` alone, and is answered without words.',
    body: { kind: 'json', schema: recordingSchema },
    answers: { 200: answers.changed },
    problems: ['not-found', 'not-accepted', 'not-admin'],
    command: true,
  },
  {
    method: 'patch',
    path: '/recordings/{id}/speakers',
    id: 'renameSpeakers',
    tag: 'Speakers',
    summary: 'Changes names afterwards: the documents are written again without any engine',
    description:
      'An empty name takes a name away. While a meeting is recorded the labels are those of its voices (`VOICE_1`): these ' +
      'names are suggestions when it waits for its speakers. Where a summary mentions a name that goes, it is replaced if it is certain who is ' +
      'meant (`names-replaced` in `notes`); with a language model the summary is then made again, as another version.',
    body: { kind: 'json', schema: namesSchema },
    answers: { 200: answers.changed },
    problems: ['not-found', 'not-accepted'],
    command: true,
  },
  {
    method: 'post',
    path: '/recordings/{id}/versions/{version}/restore',
    id: 'restoreVersion',
    tag: 'Recordings',
    summary: 'Switches back to an earlier version, which becomes the newest',
    body: { kind: 'json', schema: z.strictObject({}), optional: true },
    answers: { 200: answers.changed },
    problems: ['not-found', 'not-accepted'],
    command: true,
  },
  {
    method: 'delete',
    path: '/recordings/{id}',
    id: 'eraseRecording',
    tag: 'Recordings',
    summary: 'Erases a recording: documents, audio and every word of it, for good',
    description: 'Whatever is done with it is cancelled first.',
    answers: {
      204: { description: 'Nothing of it can be read any more.' },
      200: {
        description: 'The same, but for copies in the vault that a person changed: they stay.',
        json: z.object({
          left: z.array(z.string()).describe('paths below the vault (`notes.vault`)'),
        }),
      },
    },
    problems: ['not-found', 'not-accepted'],
    command: true,
  },
];
