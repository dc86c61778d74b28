import type { Context } from 'koa';
import * as z from 'zod';
import { isDeepStrictEqual } from 'node:util';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import type { RecordingFact, RecordingFactOf } from '../../../events/facts/recording.ts';
import { recordings } from '../../../projections/recordings.ts';
import { reprocess, type DecideRecording } from '../../../projections/recording/decide.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { trySpeechModel } from '../../doctor/try-servers.ts';
import { carryOut, commandOf, refuseWhenStopped } from '../written.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import { jsonBody, languageSchema } from '../body.ts';
import { limits } from '../limits.ts';
import { Problem, type ProblemType, invalid } from '../problems.ts';
import type { AddRoutes, HttpServices } from '../services.ts';
import type { State } from '../state.ts';
import { statusName } from '../recording-answer.ts';
import { visibleRecording } from '../visible-recording.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import * as answers from '../openapi/recording-answers.ts';

/** What a person can want of one recording: one fact each. Whether it may be, the machine says. */
export const recordingCommandRoutes: AddRoutes = (router, services) => {
  const append = async (
    ctx: Context & { state: State; params: Record<string, string> },
    type: RecordingFact['type'],
    decisionFrom: () => Promise<DecideRecording>,
    status: number,
    asks?: (fact: LoggedFact) => Promise<boolean>,
  ): Promise<void> => {
    const id = ctx.params['id']!;
    const expected = { types: [type], recordingId: id, ...(asks ? { asks } : {}) };
    const done = await doneBefore(services, ctx.state, expected);
    if (!done) await visibleRecording(services, callerOf(ctx.state), id);
    const { state } = done ?? (await carryOut(services, ctx.state, id, await decisionFrom()));
    ctx.status = status;
    ctx.body = { recording_id: id, status: statusName(state) };
  };

  for (const [verb, { fact, status }] of Object.entries(plainCommands)) {
    router.post(`/recordings/:id/${verb}`, async (ctx) => {
      await append(
        ctx,
        fact.type,
        async () => {
          await jsonBody(ctx, nothing);
          return () => [fact];
        },
        status,
      );
    });
  }
  router.post('/recordings/:id/stop', async (ctx) => {
    const caller = callerOf(ctx.state);
    const recordingId = ctx.params['id']!;
    const types = ['audio.captured', 'capture.interrupted'] as const;
    const done = await doneBefore(services, ctx.state, { types, recordingId });
    if (!done) {
      const { device } = await visibleRecording(services, caller, recordingId);
      await jsonBody(ctx, nothing);
      refuseWhenStopped(services);
      const { captures } = services;
      const by = { by: caller.userId, command: commandOf(ctx.state) };
      await (device === null ? captures.browser : captures).stop(recordingId, by);
      await services.projections.applied(recordings.name, await services.store.head(), {
        timeoutMs: limits.readYourWritesMs,
      });
    }
    const { state } = await visibleRecording(services, caller, recordingId);
    ctx.body = { recording_id: recordingId, status: statusName(state) };
  });
  router.post('/recordings/:id/reprocess', async (ctx) => {
    const wanted = async () => reprocessingOf(await jsonBody(ctx, reprocessSchema));
    await append(
      ctx,
      'reprocessing.requested',
      async () => await reprocessing(services, await wanted()),
      202,
      async (fact) => isReprocessing(fact, await wanted()),
    );
  });
};

const nothing = z.strictObject({});

/** 202 where work goes on after the answer. */
const plainCommands: Record<string, { fact: RecordingFact; status: 200 | 202 }> = {
  pause: { fact: { type: 'recording.paused', data: {} }, status: 200 },
  resume: { fact: { type: 'recording.resumed', data: {} }, status: 200 },
  discard: { fact: { type: 'recording.discarded', data: {} }, status: 200 },
  cancel: { fact: { type: 'processing.cancelled', data: {} }, status: 200 },
  retry: { fact: { type: 'retry.requested', data: {} }, status: 202 },
  clear: { fact: { type: 'error.cleared', data: {} }, status: 200 },
};

/** Body of the two reprocess routes. What is left out stays as it was. */
export const reprocessSchema = z.strictObject({
  from: z
    .enum(['language-model', 'diarize', 'speech-to-text'])
    .default('language-model')
    .describe('`diarize`: the speakers of a meeting are told apart again'),
  language: languageSchema.optional(),
  speakers: z.number().int().min(1).max(20).nullable().optional(),
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'speech model of this run alone, with `from: speech-to-text`: of `GET /models`, or of the configured server',
    ),
});

/** What of the body is in the fact. */
export const reprocessingOf = ({
  from,
  language,
  speakers,
  model,
}: z.output<typeof reprocessSchema>): Reprocessing => ({
  from,
  ...(language === undefined ? {} : { language }),
  ...(speakers === undefined ? {} : { speakers }),
  ...(model === undefined ? {} : { model }),
});

/**
 * The decision to process again.
 * @throws {Problem} for a speech model that cannot be asked for, before anything is begun
 */
export async function reprocessing(
  { config, models, log, hasLanguageModel }: HttpServices,
  wanted: Reprocessing,
): Promise<DecideRecording> {
  const { model, from } = wanted;
  if (model !== undefined) {
    if (from !== 'speech-to-text')
      throw invalid([{ path: 'model', message: 'is for a run from speech-to-text' }]);
    const deps = { modelsDir: models.folders, log };
    const trial = await trySpeechModel(model, config.settings(), deps);
    if (!trial.ok && trial.models) throw invalid([{ path: 'model', message: trial.detail }]);
    if (!trial.ok) throw new Problem('unavailable', trial.detail);
  }
  return reprocess(wanted, { hasLanguageModel: hasLanguageModel() });
}

type Reprocessing = RecordingFactOf<'reprocessing.requested'>['data'];

/** Whether a fact asks for the same as a request. */
export const isReprocessing = (fact: LoggedFact, wanted: Reprocessing): boolean =>
  fact.type === 'reprocessing.requested' && isDeepStrictEqual(fact.data, wanted);

/** Why it may be refused to process again. */
export const reprocessProblems = [
  'not-found',
  'not-accepted',
  'no-language-model',
  'unavailable',
] as const satisfies readonly ProblemType[];

const command = (
  verb: string,
  id: string,
  summary: string,
  status: 200 | 202 = 200,
): Operation => ({
  method: 'post',
  path: `/recordings/{id}/${verb}`,
  id,
  tag: 'Recordings',
  summary,
  body: { kind: 'json', schema: nothing, optional: true },
  answers: { [status]: status === 200 ? answers.done : answers.going },
  problems: ['not-found', 'not-accepted'],
  command: true,
});

/** What a person can want of one recording. */
export const recordingCommandOperations: readonly Operation[] = [
  command('pause', 'pauseRecording', 'Pauses a running recording'),
  command('resume', 'resumeRecording', 'Goes on with a paused recording'),
  {
    ...command('stop', 'stopRecording', 'Ends a recording, whatever device or browser records it'),
    description: 'A browser that records it is told, and sends what it still has.',
    problems: ['not-found', 'not-recording'],
  },
  command('discard', 'discardRecording', 'Ends a running recording and erases it'),
  command('cancel', 'cancelProcessing', 'Ends the processing and keeps the audio'),
  command('retry', 'retryStage', 'Tries the failed stage again', 202),
  command('clear', 'clearError', 'Clears the error: what there is stays as it is'),
  {
    ...command('reprocess', 'reprocessRecording', 'Processes the recording again', 202),
    body: { kind: 'json', schema: reprocessSchema, optional: true },
    problems: reprocessProblems,
  },
];
