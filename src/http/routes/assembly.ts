import { ulid } from 'ulid';
import * as z from 'zod';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import { type RecordingFactOf, recordingOf } from '../../../events/facts/recording.ts';
import {
  cutRecording,
  joinRecording,
  removePassage,
} from '../../../projections/recording/assembling.ts';
import type { RecordingRow } from '../../../projections/recording-row.ts';
import type { DecideRecording } from '../../../projections/recording/decide.ts';
import { fieldFault } from '../../words/field-faults.ts';
import { countOpen } from '../open-links.ts';
import { invalid } from '../problems.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import { recordedBehind } from '../continued.ts';
import { type Route, routesOf } from '../route.ts';
import type { HttpServices } from '../services.ts';
import type { State } from '../state.ts';
import { visibleRecording } from '../visible-recording.ts';
import { carryOut, loggedAt, refuseWhenStopped, untilReadable, untilWritten } from '../written.ts';
import { mayRecordHere, recordingProblems } from './devices.ts';
import { toggleSchema } from './toggle.ts';

/** Who may be recorded of it, and with what: as `POST /toggle` takes it. */
const continueSchema = toggleSchema.pick({
  language: true,
  people: true,
  title: true,
  recorder: true,
});

const second = z.number().min(0).max(10_000_000);

const made = z.object({
  recording_id: z.string(),
  into: z
    .string()
    .nullable()
    .describe('id of the recording that comes of it, which is there within moments; null: none'),
});
const going = { 202: { description: 'It is being done.', json: made } };
const notYet =
  'While the browser or recorder still sends audio of a recording that has ended, the answer is `not-accepted`, and says so.';

const route = routesOf({ tag: 'Recordings' });

/** Makes recordings of parts of others. All of it is carried over: audio, passages, corrections, names, side notes. */
export const assemblyRoutes: Route[] = [
  route('post', '/recordings/{id}/join', {
    id: 'joinRecording',
    summary: 'Puts another recording behind this one, or before it, by their times',
    description:
      'The other one stays until it is deleted. Whoever this one is shared with, also by its folder or a link, can read ' +
      'the other in it: where there are any, `shared` says that this is meant. ' +
      notYet,
    body: {
      json: z.strictObject({
        with: z.string().min(1).max(64),
        shared: z.boolean().default(false).describe('others may read what is joined'),
      }),
    },
    answers: going,
    problems: ['disk-full'],
    command: true,
    async run({ ctx, params: { id }, body, caller }, services) {
      const visible = async () => {
        const row = await visibleRecording(services, caller, id);
        await visibleRecording(services, caller, body.with);
        if (!body.shared && (await isRead(services, row)))
          throw invalid([{ path: 'shared', fault: fieldFault('read-by-others') }]);
        return joinRecording((await services.recordingService.read(body.with)).recording);
      };
      const asks = isLike('recording.joined', (data) => data.with === body.with);
      const of = [id, body.with];
      return await assembled(services, ctx.state, {
        id,
        of,
        type: 'recording.joined',
        asks,
        visible,
      });
    },
  }),
  route('post', '/recordings/{id}/continue', {
    id: 'continueRecording',
    summary: 'Goes on recording behind an ended recording, from a device of the server',
    description:
      'What is recorded is a recording of its own until it has documents; then it comes behind this one, which has its ' +
      'corrections, names and side notes still. A browser says the same by `continues` of `audio.start`. Whoever this ' +
      'one is shared with can read in it what is recorded.',
    body: { json: continueSchema, optional: true },
    answers: {
      200: {
        description: 'It is being recorded.',
        json: z.object({
          recording_id: z.string().nullable().describe('of what is being recorded'),
          continues: z.string(),
        }),
      },
    },
    problems: recordingProblems,
    command: true,
    async run({ ctx, params: { id }, body, caller, onBehalf: { command } }, services) {
      const row = await visibleRecording(services, caller, id);
      refuseWhenStopped(services);
      const asks = isLike('recording.started', (data) => data.continues === id);
      const before = await doneBefore(services, ctx.state, { types: ['recording.started'], asks });
      if (before) return { recording_id: before.recordingId, continues: id };
      // What is recorded comes behind it by being joined.
      const joined = { type: 'recording.joined', data: { with: id, absorbs: true } } as const;
      await services.recordingService.assertPossible(id, joined);
      const mayRecord = await mayRecordHere(ctx, services, caller);
      const owner = caller.userId;
      const { recorder, language } = body;
      const { recordingId, position } = await services.toggle(
        { owner, trigger: 'api', command, mayRecord },
        { action: 'start', language, device: recorder, ...recordedBehind(row, body) },
      );
      await untilReadable(services, { recordingId, position });
      return { recording_id: recordingId, continues: id };
    },
  }),
  route('post', '/recordings/{id}/cut', {
    id: 'cutRecording',
    summary: 'Makes what comes after a second a recording of its own',
    description: notYet,
    body: { json: z.strictObject({ at: second.describe('seconds of the recording') }) },
    answers: going,
    problems: ['disk-full'],
    command: true,
    async run({ ctx, params: { id }, body, caller }, services) {
      const visible = async () => {
        await visibleRecording(services, caller, id);
        return cutRecording(body.at, ulid());
      };
      const asks = isLike('recording.cut', (data) => data.at === body.at);
      return await assembled(services, ctx.state, { id, type: 'recording.cut', asks, visible });
    },
  }),
  route('post', '/recordings/{id}/remove', {
    id: 'removePassage',
    summary: 'Removes what was said from one second to another; its audio becomes silence',
    description:
      'Not of one that is protected. It stays encrypted in the log until the recording is deleted. With `for_good` the rest becomes another recording ' +
      'under the same file names, and this one is deleted. ' +
      notYet,
    body: {
      json: z.strictObject({ from: second, to: second, for_good: z.boolean().default(false) }),
    },
    answers: going,
    problems: ['disk-full', 'on-hold'],
    command: true,
    async run({ ctx, params: { id }, body, caller }, services) {
      const { from, to, for_good } = body;
      const visible = async () => {
        await visibleRecording(services, caller, id);
        return removePassage({ from, to, into: for_good ? ulid() : undefined }, Date.now());
      };
      const asks = isLike(
        'passage.removed',
        (data) => data.from === from && (data.into !== undefined) === for_good,
      );
      return await assembled(services, ctx.state, { id, type: 'passage.removed', asks, visible });
    },
  }),
];

/** Whether others than its owner read a recording: by itself, by its folder, or by a link. */
async function isRead(services: HttpServices, row: RecordingRow): Promise<boolean> {
  if (row.access.length > 0 || countOpen(row.links) > 0) return true;
  const { folders } = await services.order.of(row.owner);
  return row.folder !== null && (folders.get(row.folder)?.access.length ?? 0) > 0;
}

type AssemblyType = 'recording.started' | 'recording.joined' | 'recording.cut' | 'passage.removed';

const isLike =
  <T extends AssemblyType>(type: T, isSame: (data: RecordingFactOf<T>['data']) => boolean) =>
  (fact: LoggedFact): boolean =>
    fact.type === type && isSame(fact.data as RecordingFactOf<T>['data']);

/** Gives the command, unless it was given before, and waits a moment for what comes of it. */
async function assembled(
  services: HttpServices,
  state: State,
  {
    id,
    of = [id],
    type,
    asks,
    visible,
  }: {
    id: string;
    /** Recordings whose audio it is made of. */
    of?: readonly string[];
    type: AssemblyType;
    asks(fact: LoggedFact): boolean;
    visible(): Promise<DecideRecording>;
  },
): Promise<z.input<typeof made>> {
  const before = await doneBefore(services, state, { types: [type], recordingId: id, asks });
  const decided = async () => await withRoomFor(services, of, visible);
  const { position } = before ?? (await carryOut(services, state, id, await decided(), 'assemble'));
  await untilWritten(services, id);
  return { recording_id: id, into: await resultAt(services, position) };
}

/** As long as the parts are there, what is made of them takes about as much once more. @throws {DiskFull} */
async function withRoomFor(
  { disk, recordingService }: HttpServices,
  of: readonly string[],
  visible: () => Promise<DecideRecording>,
): Promise<DecideRecording> {
  const decide = await visible();
  let bytes = 0;
  for (const id of of) {
    const { recording } = await recordingService.read(id);
    bytes += recording.files.audio?.bytes ?? 0;
  }
  await disk.admit(bytes);
  return decide;
}

/** The recording that the fact at a position of the log leads to. */
async function resultAt({ store }: HttpServices, position: number): Promise<string | null> {
  const fact = await loggedAt(store, position);
  if (!fact || recordingOf(fact.stream) === undefined) return null;
  const isCut = fact.type === 'recording.cut' || fact.type === 'passage.removed';
  return (isCut && fact.data.into) || null;
}
