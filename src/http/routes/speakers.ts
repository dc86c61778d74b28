import * as z from 'zod';
import { wrong } from '../../shared/in-words.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import {
  type DecideRecording,
  nameSpeakers,
  postponeSpeakers,
  skipSpeakers,
} from '../../../projections/recording/decide.ts';
import { waitingForSpeakers } from '../../../projections/recordings.ts';
import { people, peopleNamed } from '../../../projections/people.ts';
import { unlikeVoices } from '../../recordings/known-voices.ts';
import { carryOut, refuseWhenStopped, upToDate } from '../written.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import { nameSchema } from '../body.ts';
import { Problem } from '../problems.ts';
import type { HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import { statusName } from '../recording-answer.ts';
import { type SeenRecording, seenRecording } from '../visible-recording.ts';
import * as answers from '../openapi/recording-answers.ts';
import { routesOf } from '../route.ts';

const speakersSchema = z
  .strictObject({
    recording_id: z.string().max(64).optional(),
    speakers: z
      .record(
        z.string().max(64),
        nameSchema.nullable().transform((name) => name ?? ''),
      )
      .default({}),
    revision: z
      .string()
      .max(64)
      .optional()
      .describe('of what was asked: 412 when the labels are those of another transcript by now'),
    skip: z.boolean().default(false),
    later: z.boolean().default(false).describe('it stays waiting, and leaves `speakers_pending`'),
  })
  .refine(
    ({ speakers, skip, later }) =>
      Number(Object.keys(speakers).length > 0) + Number(skip) + Number(later) <= 1,
    { path: ['skip'], message: wrong('one-of-names-skip-later') },
  );

const named = answers.accepted.extend({
  unlike: z
    .array(
      z.object({
        label: z.string(),
        name: z.string(),
        sounds_like: z.string().nullable().describe('another person you named'),
      }),
    )
    .describe(
      'voices that do not sound like those you gave that name before: kept apart from them',
    ),
});

/** Ends the pause of a meeting by names, or without; or puts it off. */
export const speakersRoutes = [
  routesOf({ tag: 'Speakers' })('post', '/speakers', {
    id: 'nameSpeakers',
    summary: 'Ends the pause of a meeting by names, or without; or puts it off',
    description:
      'An empty name keeps the label; so does a missing one, unless a correction named that speaker. Two labels of ' +
      'one name are one person. With `later` it stays waiting and leaves the queue. Without `recording_id` only when ' +
      'exactly one waits; 409 when it does not wait any more: of two that name, the first wins.',
    body: { json: speakersSchema, optional: true },
    answers: { 200: { description: 'Done.', json: named } },
    problems: ['not-found', 'not-yours', 'not-accepted', 'nobody-waiting', 'several-waiting'],
    command: true,
    async run({ ctx, body: { recording_id, ...wanted }, caller }, services) {
      const types = ['speakers.named', 'speakers.skipped', 'speakers.postponed'] as const;
      const asks = (fact: LoggedFact) => isAnswer(fact, wanted);
      const expected = { types, recordingId: recording_id, asks };
      const done = await doneBefore(services, ctx.state, expected);
      if (done) {
        const unlike = await unlikeIn(services, caller, done.recordingId);
        return { status: statusName(done.state), recording_id: done.recordingId, unlike };
      }
      const { row, right } = await waitingRecording(services, caller, recording_id);
      const id = row.recordingId;
      // Voices are remembered for whose recording it is, by nobody else.
      const remember = right.role === 'owner' && services.settings()['speakers.profiles'];
      const decision = decisionOf(wanted, remember);
      const { state } = await carryOut(services, ctx.state, id, decision);
      return {
        status: statusName(state),
        recording_id: id,
        unlike: await unlikeIn(services, caller, id),
      };
    },
  }),
];

/** What is not known in time is not said: the names are kept. */
async function unlikeIn(
  services: HttpServices,
  { userId }: Caller,
  id: string,
): Promise<z.output<typeof named>['unlike']> {
  const { storage, settings, log } = services;
  if (!settings()['speakers.profiles']) return [];
  try {
    await upToDate(services, people.name);
    const known = await peopleNamed(storage, userId, { voices: true });
    const own = known.flatMap(({ confirmations }) => confirmations);
    const model = own.find(({ recordingId }) => recordingId === id)?.voices[0]?.embedding_model;
    if (model === undefined) return [];
    const comparable = await peopleNamed(storage, userId, { voices: true, model });
    return unlikeVoices(comparable, id).map(({ label, name, soundsLike }) => ({
      label,
      name,
      sounds_like: soundsLike,
    }));
  } catch (error) {
    log.warn({ err: error, recordingId: id }, 'named voices cannot be compared with earlier ones');
    return [];
  }
}

type Wanted = Omit<z.output<typeof speakersSchema>, 'recording_id'>;

/**
 * Whether a fact is what a request asks for. It also has the names that were there before; those of one that is erased
 * may have been any.
 */
function isAnswer(fact: LoggedFact, { speakers, skip, later }: Wanted): boolean {
  if (skip || later) return fact.type === (skip ? 'speakers.skipped' : 'speakers.postponed');
  if (fact.type !== 'speakers.named') return false;
  const names = fact.content?.names;
  return !names || Object.entries(speakers).every(([label, name]) => (names[label] ?? '') === name);
}

const decisionOf = (
  { speakers, revision: seen, skip, later }: Wanted,
  remember: boolean,
): DecideRecording => {
  if (later) return postponeSpeakers;
  return skip ? skipSpeakers : nameSpeakers(speakers, { remember, seen });
};

/** The recording that is meant: the one that is named, else the only one that waits. */
async function waitingRecording(
  services: HttpServices,
  caller: Caller,
  recordingId: string | undefined,
): Promise<SeenRecording> {
  if (recordingId !== undefined)
    return await seenRecording(services, caller, recordingId, 'correct');
  refuseWhenStopped(services);
  const waiting = await waitingForSpeakers(services.storage, caller.userId);
  // Those that were put off are asked for only where none else waits.
  const asked = waiting.filter(({ postponed }) => !postponed);
  const ids = (asked.length > 0 ? asked : waiting).map(({ recordingId }) => recordingId);
  const [id, ...others] = ids;
  if (id === undefined) throw new Problem('nobody-waiting');
  if (others.length > 0) {
    throw new Problem('several-waiting', { members: { recording_ids: ids } });
  }
  return await seenRecording(services, caller, id);
}
