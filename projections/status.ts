import { startingWith } from './list-page.ts';
import { draft } from './recording/reading.ts';
import type { ProjectionStorage } from './projection.ts';
import { digestIn, recordingRow, secondsBetween, type KeptRecording } from './recording-fold.ts';
import { recordingsName } from './recording-keys.ts';
import type { RecordingRow } from './recording-row.ts';
import { recordingsListed } from './recordings.ts';

/** Until those who ask for it by name ask for `recordings`. */
export { recordings as status } from './recordings.ts';

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

/** Of each kind at most this many are told; which status it is does not depend on it. */
const toldMax = 200;

/** A user's status at a moment (for how long a recording has been running). */
export async function statusOf(
  storage: ProjectionStorage,
  owner: string,
  now: Date = new Date(),
): Promise<StatusView> {
  // The position first: what is read after it may be newer, and is then told once more, never missed.
  const position = (await storage.get<number>(recordingsName, `p/${owner}`)) ?? 0;
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
      title: draft(digestIn(kept)).title,
      speakers: recordingRow(kept).suggestions,
    })),
    errors: failed
      .map(recordingRow)
      .flatMap(({ recording_id, error }) => (error ? [{ recording_id, ...error }] : [])),
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
  const entries: string[] = [];
  const newest = { ...startingWith(prefix), reverse: true, limit: toldMax };
  for await (const [key] of storage.range(recordingsName, newest)) {
    entries.push(key.slice(prefix.length));
  }
  const kept = await recordingsListed(storage, entries);
  // One that moved on since the list was read is in another list, or will be.
  return kept.filter((one) => one.core.status === state);
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
    title: recordingRow(kept).title,
    duration: seconds + running,
    paused: state === 'recording.paused',
  };
}
