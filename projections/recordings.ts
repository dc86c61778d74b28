import { isRecordingFact } from '../events/facts/catalogue.ts';
import { recordingFactTypes } from '../events/facts/recording.ts';
import { isErased } from './recording/digest.ts';
import { audioLists, libraryLists } from './library.ts';
import { type PageRequest, newestFirst, startingWith, timeKey } from './list-page.ts';
import type { Projection, ProjectionStorage, Row, Rows } from './runner/projection.ts';
import {
  type KeptRecording,
  foldRecording,
  keptOwner,
  keptStart,
  recordingRow,
  secondsBetween,
  wordlessRow,
} from './recording-fold.ts';
import {
  type RecordingRow,
  recordingIn,
  recordingKey,
  recordingsName,
  sealOfRecording,
} from './recording-row.ts';
import { dropTexts, setText } from './texts.ts';

/**
 * Every recording: what it says, and the lists it is in. Rows, those with (s) sealed with its key:
 * - `r/<id>` (s) the recording; its state and lists' order stay readable without the key
 * - `t/<id>/…` (s) its texts, see `texts.ts`
 * - `o/<owner>/<started at>/<id>`, `s/<owner>/<status>/<started at>/<id>` lists; `u/<id>` those in which
 *   something is going on; `l/…`, `f/…`, `a/…` the library, see `library.ts`; all without words in their keys
 * - `p/<owner>` position of the last fact of any recording of theirs
 */
export const recordings: Projection = {
  name: recordingsName,
  version: 11,
  interests: recordingFactTypes,
  keys: (fact) => recordingIn(fact).keys,
  apply(rows, fact) {
    const { id, keys } = recordingIn(fact);
    if (id === undefined || !isRecordingFact(fact)) return;
    const key = keys[0]!;
    const before = rows.get<KeptRecording>(key);
    const after = foldRecording(before, fact);
    if (!after) return;
    rows.set(key, after);
    if (before) dropTexts(rows, before, after);
    setText(rows, after, fact);
    const owners = new Set([keptOwner(after), keptOwner(before ?? after)]);
    if (fact.type !== 'utterance.recognised')
      for (const owner of owners) rows.set(`p/${owner}`, fact.position);
    relist(rows, before, after, isErased(fact));
  },
  seal: sealOfRecording,
};

/** The recording; after its erasure a skeleton without any text, in the state `idle.erased`. */
export async function recordingById(
  storage: ProjectionStorage,
  recordingId: string,
): Promise<RecordingRow | undefined> {
  const kept = await storage.get<KeptRecording>(recordingsName, recordingKey(recordingId));
  return kept && recordingRow(kept);
}

/** The same without what was said and written: no title, name, file or message. */
export async function wordlessRecordingById(
  storage: ProjectionStorage,
  recordingId: string,
): Promise<RecordingRow | undefined> {
  const kept = await storage.get<KeptRecording>(recordingsName, recordingKey(recordingId));
  return kept && wordlessRow(kept);
}

/**
 * A user's recordings, newest first; erased ones are not listed.
 * @throws {InvalidCursor}, {RangeError} see `newestFirst`.
 */
export async function recordingsOf(
  storage: ProjectionStorage,
  owner: string,
  {
    status,
    words = true,
    ...page
  }: PageRequest & {
    status?: RecordingRow['status'] | undefined;
    /** Whether with what was said and written. */
    words?: boolean;
  } = {},
): Promise<{ rows: RecordingRow[]; next_cursor: string | null }> {
  const prefix = status === undefined ? `o/${owner}/` : `s/${owner}/${status}/`;
  const { entries, next_cursor } = await newestFirst(storage, recordingsName, prefix, page);
  const kept = await recordingsListed(
    storage,
    entries.map(({ key }) => key),
  );
  return { rows: kept.map(words ? recordingRow : wordlessRow), next_cursor };
}

/** What is kept of the recordings that these entries of a list (`<time>/<id>`) name; without those erased since. */
export async function recordingsListed(
  storage: ProjectionStorage,
  entries: readonly string[],
): Promise<KeptRecording[]> {
  const keys = entries.map((entry) => recordingKey(entry.slice(entry.indexOf('/') + 1)));
  const kept = await storage.getMany<KeptRecording>(recordingsName, keys);
  return kept.filter((one) => one !== undefined);
}

/**
 * Ids of recordings in which something is going on: recording or transcribing. What a restart takes up.
 * @param after only those behind this one
 */
export async function* unsettledRecordings(
  storage: ProjectionStorage,
  after = '',
): AsyncGenerator<string, void, void> {
  const { lt } = startingWith('u/');
  // No id begins with another one.
  for await (const [key] of storage.range(recordingsName, {
    gte: `u/${after && `${after}/`}`,
    lt,
  })) {
    yield key.slice('u/'.length);
  }
}

/** Whose recordings are and in which state, of those that are known. */
export async function standingOfRecordings(
  storage: ProjectionStorage,
  recordingIds: readonly string[],
): Promise<ReadonlyMap<string, { owner: string; state: string }>> {
  const kept = await storage.getMany<KeptRecording>(recordingsName, recordingIds.map(recordingKey));
  return new Map(
    kept.flatMap((one, index) =>
      one ? [[recordingIds[index]!, { owner: keptOwner(one), state: one.core.state }]] : [],
    ),
  );
}

/** Ids of recordings that ended in an error, of all users. Reads a key a recording. */
export async function* failedRecordings(
  storage: ProjectionStorage,
): AsyncGenerator<string, void, void> {
  for await (const [key] of storage.range(recordingsName, startingWith('s/'))) {
    const parts = key.split('/');
    if (parts[2] === 'error') yield parts.at(-1)!;
  }
}

const erasedState = 'idle.erased';

/** Whether everything that decides which lists a recording is in is the same. */
const inSameLists = (a: KeptRecording, b: KeptRecording): boolean =>
  a.core.status === b.core.status &&
  keptOwner(a) === keptOwner(b) &&
  a.core.kind === b.core.kind &&
  a.counted.startedAt === b.counted.startedAt &&
  a.core.files === b.core.files &&
  (a.core.state === b.core.state || (a.core.state !== erasedState && b.core.state !== erasedState));

/** What `GET /status` says of a user's recordings, as far as facts say; HTTP adds what is going on right now. */
export type StatusView = {
  status: 'IDLE' | 'RECORDING' | 'TRANSCRIBING' | 'AWAITING_SPEAKERS' | 'ERROR';
  /** The recording that runs: the one from a device of the host's if there are several. */
  recording: RecordingNow | null;
  /** All that run. */
  recordings: RecordingNow[];
  processing: AtWork[];
  /** Meetings that wait to be asked about; those put off are not among them. */
  speakers_pending: (Pick<
    RecordingRow,
    'recording_id' | 'title' | 'source' | 'started_at' | 'since'
  > & { speakers: RecordingRow['suggestions'] })[];
  errors: (Pick<RecordingRow, 'recording_id' | 'title' | 'source' | 'started_at'> &
    NonNullable<RecordingRow['error']>)[];
  /** Of the last fact that may have changed any of this; 0: none yet. */
  position: number;
};

/** What names a recording that is worked on, and what runs. */
export type AtWork = Pick<
  RecordingRow,
  'recording_id' | 'kind' | 'title' | 'source' | 'started_at' | 'state' | 'since' | 'running'
>;

export type RecordingNow = Pick<
  RecordingRow,
  'recording_id' | 'kind' | 'started_at' | 'device' | 'title'
> & {
  /** Seconds, without pauses. */
  duration: number;
  paused: boolean;
};

/** Of each kind at most this many are listed; which status it is does not depend on it. */
const listedMax = 200;

/** A user's status at a moment (for how long a recording has been running). */
export async function statusOf(
  storage: ProjectionStorage,
  owner: string,
  now: Date = new Date(),
): Promise<StatusView> {
  // The position first: what is read after it may be newer, and is then sent once more, never missed.
  const position = (await storage.get<number>(recordingsName, `p/${owner}`)) ?? 0;
  const inState = (state: RecordingRow['status']) => keptIn(storage, owner, state);
  const recording = await inState('recording');
  const failed = await inState('error');
  const awaiting = (await inState('awaiting-speakers')).filter(({ core }) => !core.postponed);
  const transcribing = await inState('transcribing');
  const recordings = recording.map((kept) => recordingNow(kept, now));
  return {
    status: first(recording, failed, awaiting, transcribing),
    recording: recordings.find(({ device }) => device !== null) ?? recordings[0] ?? null,
    recordings,
    processing: transcribing.map(recordingRow).map(atWork),
    speakers_pending: awaiting
      .map(recordingRow)
      .map(({ recording_id, title, source, started_at, since, suggestions }) => ({
        recording_id,
        title,
        source,
        started_at,
        since,
        speakers: suggestions,
      })),
    errors: failed
      .map(recordingRow)
      .flatMap(({ recording_id, title, source, started_at, error }) =>
        error ? [{ recording_id, title, source, started_at, ...error }] : [],
      ),
    position,
  };
}

/** A user's meetings that wait for their speakers, newest first; at most `listedMax`. */
export async function waitingForSpeakers(
  storage: ProjectionStorage,
  owner: string,
): Promise<{ recording_id: string; postponed: boolean }[]> {
  const kept = await keptIn(storage, owner, 'awaiting-speakers');
  return kept.map(({ core: { recording_id, postponed } }) => ({ recording_id, postponed }));
}

/** Brings the lists up to what became of a recording. */
function relist(
  rows: Rows,
  before: KeptRecording | undefined,
  after: KeptRecording,
  erased: boolean,
): void {
  // Most facts leave a recording where it is, and writing out keys takes longer than all else here.
  if (before && !erased && inSameLists(before, after)) return;
  const was = before ? listsOf(before) : new Map<string, Row>();
  const is = erased ? new Map<string, Row>() : listsOf(after);
  for (const key of was.keys()) if (!is.has(key)) rows.delete(key);
  for (const [key, row] of is) if (!was.has(key)) rows.set(key, row);
}

/** The lists a recording is in: keys and what is there. */
function listsOf(kept: KeptRecording): Map<string, Row> {
  const { recording_id, status, state } = kept.core;
  if (state === erasedState) return new Map();
  const owner = keptOwner(kept);
  const place = timeKey(keptStart(kept), recording_id);
  const lists = new Map<string, Row>([
    [`o/${owner}/${place}`, 1],
    [`s/${owner}/${status}/${place}`, 1],
    ...libraryLists(kept),
    ...audioLists(kept),
  ]);
  if (status === 'recording' || status === 'transcribing') lists.set(`u/${recording_id}`, 1);
  return lists;
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
  const newest = { ...startingWith(prefix), reverse: true, limit: listedMax };
  for await (const [key] of storage.range(recordingsName, newest)) {
    entries.push(key.slice(prefix.length));
  }
  const kept = await recordingsListed(storage, entries);
  // One that moved on since the list was read is in another list, or will be.
  return kept.filter((one) => one.core.status === state);
}

const atWork = (row: RecordingRow): AtWork => {
  const { recording_id, kind, title, source, started_at, state, since, running } = row;
  return { recording_id, kind, title, source, started_at, state, since, running };
};

function recordingNow(kept: KeptRecording, now: Date): RecordingNow {
  const { recording_id, kind, device, state } = kept.core;
  const { seconds, runningSince } = kept.clock;
  const running = runningSince === null ? 0 : secondsBetween(runningSince, now.toISOString());
  return {
    recording_id,
    kind,
    started_at: keptStart(kept),
    device,
    title: recordingRow(kept).title,
    duration: seconds + running,
    paused: state === 'recording.paused',
  };
}
