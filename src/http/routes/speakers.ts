import * as z from 'zod';
import type { RecordingRow } from '../../../projections/recording-row.ts';
import { nameSpeakers, skipSpeakers } from '../../../projections/recording/decide.ts';
import { statusOf } from '../../../projections/recordings.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { carryOut, refuseWhenStopped } from '../written.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import { jsonBody } from '../body.ts';
import { Problem } from '../problems.ts';
import type { AddRoutes, Caller, HttpServices } from '../services.ts';
import { statusName } from '../recording-answer.ts';
import { visibleRecording } from '../visible-recording.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import * as answers from '../openapi/recording-answers.ts';

/** `POST /speakers`: ends the pause of a meeting by names, or without. */
export const speakersRoutes: AddRoutes = (router, services) => {
  router.post('/speakers', async (ctx) => {
    const { recording_id, speakers, skip } = await jsonBody(ctx, speakersSchema);
    const types = ['speakers.named', 'speakers.skipped'] as const;
    const done = await doneBefore(services, ctx.state, { types, recordingId: recording_id });
    if (done) {
      ctx.body = { status: statusName(done.state), recording_id: done.recordingId };
      return;
    }
    const row = await waitingRecording(services, callerOf(ctx.state), recording_id);
    const decision = skip ? skipSpeakers : nameSpeakers(speakers);
    const accepted = await carryOut(services, ctx.state, row.recording_id, decision);
    ctx.body = { status: statusName(accepted.state), recording_id: row.recording_id };
  });
};

const speakersSchema = z
  .strictObject({
    recording_id: z.string().max(64).optional(),
    speakers: z
      .record(
        z.string().max(64),
        z
          .string()
          .max(200)
          .nullable()
          .transform((name) => (name ?? '').normalize('NFC').replaceAll(/\s+/g, ' ').trim()),
      )
      .default({}),
    skip: z.boolean().default(false),
  })
  .refine(({ speakers, skip }) => !skip || Object.keys(speakers).length === 0, {
    path: ['skip'],
    message: 'either names or `skip`, not both',
  });

/** The recording that is meant: the one that is named, else the only one that waits. */
async function waitingRecording(
  services: HttpServices,
  caller: Caller,
  recordingId: string | undefined,
): Promise<RecordingRow> {
  if (recordingId !== undefined) return visibleRecording(services, caller, recordingId);
  refuseWhenStopped(services);
  const { speakers_pending } = await statusOf(services.storage, caller.userId);
  const ids = speakers_pending.map(({ recording_id }) => recording_id);
  if (ids.length === 0) throw new Problem('nobody-waiting', 'No recording of yours waits.');
  if (ids.length > 1) {
    throw new Problem('several-waiting', 'Say which one by `recording_id`.', {
      members: { recording_ids: ids },
    });
  }
  return visibleRecording(services, caller, ids[0]!);
}

/** Who spoke in a meeting. */
export const speakersOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/speakers',
    id: 'nameSpeakers',
    tag: 'Speakers',
    summary: 'Ends the pause of a meeting by names, or without',
    description:
      'An empty or missing name keeps the label. Without `recording_id` only when exactly one waits.',
    body: { kind: 'json', schema: speakersSchema, optional: true },
    answers: { 200: answers.done },
    problems: ['not-found', 'not-accepted', 'nobody-waiting', 'several-waiting'],
    command: true,
  },
];
