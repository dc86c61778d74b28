import { startingWith } from './list-page.ts';
import { latest } from './passes.ts';
import type { Projection, ProjectionStorage } from './projection.ts';
import {
  foldRecording,
  recordingRow,
  secondsBetween,
  type KeptRecording,
} from './recording-fold.ts';
import type { RecordingRow } from './recording-row.ts';
import { allBut, keysOfRecording } from './recordings.ts';

/** What `GET /status` says of a user's recordings, as far as facts tell; HTTP adds what is going on right now. */
export type StatusView = {
  status: 'IDLE' | 'RECORDING' | 'TRANSCRIBING' | 'AWAITING_SPEAKERS' | 'ERROR';
  /** The recording that runs: the one from a device of the host's if there are several. */
  recording: RecordingNow | null;
  /** All that run. */
  recordings: RecordingNow[];
  processing: Pick<RecordingRow, 'recording_id' | 'state' | 'since' | 'running'>[];
  speakers_pending: {
    recording_id: string;
    title: string | null;
    speakers: RecordingRow['suggestions'];
  }[];
  errors: ({ recording_id: string } & NonNullable<RecordingRow['error']>)[];
  /** Of the last fact that may have changed any of this; 0: none yet. */
  position: number;
};

export type RecordingNow = Pick<
  RecordingRow,
  'recording_id' | 'kind' | 'started_at' | 'device' | 'title'
> & {
  /** Seconds, without pauses. */
  duration: number;
  paused: boolean;
};

/**
 * What needs a user's attention. Rows: `r/<id>` the recording; `s/<owner>/<status>/<id>` (1) those
 * that are not idle; `p/<owner>` position of the last fact of any recording of theirs.
 */
export const status: Projection = {
  name: 'status',
  version: 2,
  interests: new Set(allBut('utterance.recognised')),
  keys: keysOfRecording,
  apply(rows, fact) {
    const key = keysOfRecording(fact)[0];
    if (key === undefined) return;
    const before = rows.get<KeptRecording>(key);
    const after = foldRecording(before, fact);
    if (!after) return;
    rows.set(key, after);
    const { recording_id, owner, status } = after.core;
    rows.set(`p/${owner}`, fact.position);
    const was = before?.core.status ?? 'idle';
    const wasOf = before?.core.owner ?? owner;
    if (wasOf !== owner) rows.set(`p/${wasOf}`, fact.position);
    if (was === status && wasOf === owner) return;
    if (was !== 'idle') rows.delete(`s/${wasOf}/${was}/${recording_id}`);
    if (status !== 'idle') rows.set(`s/${owner}/${status}/${recording_id}`, 1);
  },
};

/** Of each kind at most this many are told; which status it is does not depend on it. */
const toldMax = 200;

/** A user's status at a moment (for how long a recording has been running). */
export async function statusOf(
  storage: ProjectionStorage,
  owner: string,
  now: Date = new Date(),
): Promise<StatusView> {
  // The position first: what is read after it may be newer, and is then told once more, never missed.
  const position = (await storage.get<number>(status.name, `p/${owner}`)) ?? 0;
  const inState = (state: RecordingRow['status']) => keptIn(storage, owner, state);
  const recording = await inState('recording');
  const failed = await inState('error');
  const awaiting = await inState('awaiting-speakers');
  const transcribing = await inState('transcribing');
  const recordings = recording.map((kept) => recordingNow(kept, now));
  return {
    status: first(recording, failed, awaiting, transcribing),
    recording: recordings.find(({ device }) => device !== null) ?? recordings[0] ?? null,
    recordings,
    processing: transcribing.map(({ core: { recording_id, state, since, running } }) => ({
      recording_id,
      state,
      since,
      running,
    })),
    speakers_pending: awaiting.map((kept) => ({
      recording_id: kept.core.recording_id,
      title: latest(kept.passes).title,
      speakers: recordingRow(kept).suggestions,
    })),
    errors: failed.flatMap(({ core: { recording_id, error } }) =>
      error ? [{ recording_id, ...error }] : [],
    ),
    position,
  };
}

function first(
  recording: readonly unknown[],
  failed: readonly unknown[],
  awaiting: readonly unknown[],
  transcribing: readonly unknown[],
): StatusView['status'] {
  if (recording.length > 0) return 'RECORDING';
  if (failed.length > 0) return 'ERROR';
  if (awaiting.length > 0) return 'AWAITING_SPEAKERS';
  return transcribing.length > 0 ? 'TRANSCRIBING' : 'IDLE';
}

async function keptIn(
  storage: ProjectionStorage,
  owner: string,
  state: RecordingRow['status'],
): Promise<KeptRecording[]> {
  const prefix = `s/${owner}/${state}/`;
  const keys: string[] = [];
  const newest = { ...startingWith(prefix), reverse: true, limit: toldMax };
  for await (const [key] of storage.range(status.name, newest)) {
    keys.push(`r/${key.slice(prefix.length)}`);
  }
  const kept = (await storage.getMany(status.name, keys)) as (KeptRecording | undefined)[];
  // Who has moved on since the list was read is told in its new state, or will be.
  return kept.filter((one) => one !== undefined && one.core.status === state) as KeptRecording[];
}

function recordingNow(kept: KeptRecording, now: Date): RecordingNow {
  const { recording_id, kind, started_at, device, state } = kept.core;
  const { seconds, runningSince } = kept.clock;
  const running = runningSince === null ? 0 : secondsBetween(runningSince, now.toISOString());
  return {
    recording_id,
    kind,
    started_at,
    device,
    title: kept.passes.shown.title,
    duration: seconds + running,
    paused: state === 'recording.paused',
  };
}
