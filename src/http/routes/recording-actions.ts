import * as z from 'zod';
import { fieldFault } from '../../words/field-faults.ts';
import { isDeepStrictEqual } from 'node:util';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import type { RecordingFactOf } from '../../../events/facts/recording.ts';
import { type DecideRecording, reprocess } from '../../../projections/recording/decide.ts';
import { heldBy } from '../../../projections/recording/holds.ts';
import { trySpeechModel } from '../../doctor/try-servers.ts';
import { carryOut, refuseWhenStopped, untilReadable } from '../written.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import { languageSchema, templateIdSchema, outOfOrder, speakersInOrder } from '../body.ts';
import { assertNotHeld } from '../holds.ts';
import { wrong } from '../../shared/in-words.ts';
import { Problem, invalid } from '../problems.ts';
import type { HttpServices } from '../services.ts';
import type { State } from '../state.ts';
import { statusName } from '../recording-answer.ts';
import { assertTemplate } from '../templates.ts';
import { visibleRecording } from '../visible-recording.ts';
import * as answers from '../openapi/recording-answers.ts';
import { type Route, routesOf } from '../route.ts';

const nothing = z.strictObject({});
const speakersSchema = z.number().int().min(1).max(20);

/** Body of the two reprocess routes. What is left out stays as it was. */
export const reprocessSchema = z
  .strictObject({
    from: z
      .enum(['summary', 'language-model', 'diarize', 'speech-to-text'])
      .default('language-model')
      .describe(
        '`summary`: it alone, as `length` and `language` want it; `diarize`: the speakers of a meeting are told apart again',
      ),
    language: languageSchema.optional().describe('that was spoken; with `from: summary` its own'),
    length: z.enum(['shorter', 'longer']).optional().describe('with `from: summary`'),
    template: templateIdSchema
      .nullable()
      .optional()
      .describe('of the summary, now and later; null: that of the folder, or by kind, again'),
    speakers: speakersSchema.nullable().optional().describe('exactly so many people speak'),
    speakers_min: speakersSchema.optional().describe('at least so many, without `speakers`'),
    speakers_max: speakersSchema.optional().describe('at most so many, without `speakers`'),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'speech model of this run alone, with `from: speech-to-text`: of `GET /models`, or of the configured server',
      ),
  })
  .refine(speakersInOrder, outOfOrder)
  .refine(({ from, length }) => length === undefined || from === 'summary', {
    error: wrong('only-with-summary'),
    path: ['length'],
  });

/** Why it may be refused to process again. */
export const reprocessProblems = ['no-language-model', 'unavailable'] as const;

const route = routesOf({ tag: 'Recordings' });

/** What a person can want of one recording: one fact each. Whether it may be, the machine says. */
export const recordingCommandRoutes = [
  plain('pause', 'pauseRecording', 'Pauses a running recording', 'recording.paused'),
  plain('resume', 'resumeRecording', 'Goes on with a paused recording', 'recording.resumed'),
  route('post', '/recordings/{id}/stop', {
    id: 'stopRecording',
    summary: 'Ends a recording, whatever device or browser records it',
    description:
      'A browser that records it is told, and sends what it still has. Where its end takes longer than ten seconds, ' +
      '`status` is still `RECORDING`: it ends by itself.',
    body: { json: nothing, optional: true },
    answers: { 200: answers.done },
    problems: ['not-recording', 'busy'],
    command: true,
    async run({ ctx, params: { id: recordingId }, caller, onBehalf }, services) {
      const types = ['audio.captured', 'capture.interrupted'] as const;
      const done = await doneBefore(services, ctx.state, { types, recordingId });
      if (!done) {
        const { device } = await visibleRecording(services, caller, recordingId);
        refuseWhenStopped(services);
        const { captures } = services;
        await (device === null ? captures.browser : captures).stop(recordingId, onBehalf);
        await untilReadable(services, { recordingId, position: await services.store.head() });
      }
      const { state } = await visibleRecording(services, caller, recordingId);
      return { recording_id: recordingId, status: statusName(state) };
    },
  }),
  plain(
    'discard',
    'discardRecording',
    'Ends a running recording and erases it',
    'recording.discarded',
  ),
  plain(
    'cancel',
    'cancelProcessing',
    'Ends the processing and keeps the audio',
    'processing.cancelled',
  ),
  plain('retry', 'retryStage', 'Tries the failed stage again', 'retry.requested'),
  plain('clear', 'clearError', 'Clears the error: what there is stays as it is', 'error.cleared'),
  route('post', '/recordings/{id}/reprocess', {
    id: 'reprocessRecording',
    summary: 'Processes the recording again',
    body: { json: reprocessSchema, optional: true },
    answers: { 202: answers.going },
    problems: reprocessProblems,
    command: true,
    async run({ ctx, params: { id }, body, caller }, services) {
      const visible = () => visibleRecording(services, caller, id);
      return await reprocessed(services, ctx.state, id, body, visible);
    },
  }),
];

/** A command that is one fact without anything in it. */
function plain(verb: string, id: string, summary: string, type: PlainFact['type']): Route {
  // What is tried again goes on after the answer.
  const discards = type === 'recording.discarded';
  const answer = type === 'retry.requested' ? { 202: answers.going } : { 200: answers.done };
  return route('post', `/recordings/{id}/${verb}`, {
    id,
    summary,
    body: { json: nothing, optional: true },
    answers: answer,
    ...(discards && { problems: ['on-hold'] }),
    command: true,
    async run({ ctx, params: { id: recordingId }, caller }, services) {
      const done = await doneBefore(services, ctx.state, { types: [type], recordingId });
      if (!done) {
        const row = await visibleRecording(services, caller, recordingId);
        if (discards) assertNotHeld(services, row);
      }
      const decision: DecideRecording = (recording) =>
        (discards && heldBy(recording, Date.now())) || [{ type, data: {} }];
      const { state } = done ?? (await carryOut(services, ctx.state, recordingId, decision));
      return { recording_id: recordingId, status: statusName(state) };
    },
  });
}

type PlainFact = RecordingFactOf<
  | 'recording.paused'
  | 'recording.resumed'
  | 'recording.discarded'
  | 'processing.cancelled'
  | 'retry.requested'
  | 'error.cleared'
>;

/**
 * Processes a recording again, and answers what both routes that do so answer.
 * @param visible says whose it is; called unless the same was asked before
 * @throws {Problem} for a speech model that cannot be asked for, before anything is begun
 */
export async function reprocessed(
  services: HttpServices,
  state: State,
  recordingId: string,
  wanted: z.output<typeof reprocessSchema>,
  visible: () => Promise<{ owner: string }>,
) {
  const asks = (fact: LoggedFact) =>
    fact.type === 'reprocessing.requested' && isDeepStrictEqual(fact.data, wanted);
  const types = ['reprocessing.requested'] as const;
  const done = await doneBefore(services, state, { types, recordingId, asks });
  if (!done) {
    const { owner } = await visible();
    await assertModel(services, wanted);
    await assertTemplate(services, owner, wanted.template);
  }
  const { hasLanguageModel } = services;
  const decision = reprocess(wanted, { hasLanguageModel: hasLanguageModel() });
  const { state: now } = done ?? (await carryOut(services, state, recordingId, decision));
  return { recording_id: recordingId, status: statusName(now) };
}

async function assertModel(
  { config, models, log }: HttpServices,
  { model, from }: RecordingFactOf<'reprocessing.requested'>['data'],
): Promise<void> {
  if (model === undefined) return;
  if (from !== 'speech-to-text') {
    throw invalid([{ path: 'model', fault: fieldFault('model-only-for-speech') }]);
  }
  const deps = { modelsDir: models.folders, log };
  const trial = await trySpeechModel(model, config.settings(), deps);
  if (!trial.ok && trial.models) throw invalid([{ path: 'model', fault: trial.said }]);
  if (!trial.ok) throw new Problem('unavailable', { said: trial.said });
}
