import { type RecordingFactType, recordingFacts, recordingOf } from '../events/facts/recording.ts';
import type { LoggedFact } from '../events/facts/catalogue.ts';
import { type PageRequest, newestFirst, startingWith, timeKey } from './list-page.ts';
import type { Projection, ProjectionStorage, Rows } from './projection.ts';
import { isErased } from './erased.ts';
import { type KeptRecording, foldRecording, recordingRow } from './recording-fold.ts';
import type { RecordingRow } from './recording-row.ts';

/**
 * Every recording. Rows: `r/<id>` the recording; `o/<owner>/<started at>/<id>` and
 * `s/<owner>/<status>/<started at>/<id>` (1) lists; `u/<id>` (1) those in which something is going on.
 */
export const recordings: Projection = {
  name: 'recordings',
  version: 2,
  // An utterance changes nothing but the transcript, and there are more of them than of all others.
  interests: new Set(allBut('utterance.recognised')),
  keys: keysOfRecording,
  apply(rows, fact) {
    const key = keysOfRecording(fact)[0];
    if (key === undefined) return;
    const before = rows.get<KeptRecording>(key);
    const after = foldRecording(before, fact);
    if (!after) return;
    rows.set(key, after);
    relist(rows, before, after, isErased(fact));
  },
};

/** The recording; after its erasure a skeleton without any text, in the state `idle.erased`. */
export async function recordingById(
  storage: ProjectionStorage,
  recordingId: string,
): Promise<RecordingRow | undefined> {
  const kept = await storage.get<KeptRecording>(recordings.name, `r/${recordingId}`);
  return kept && recordingRow(kept);
}

/**
 * A user's recordings, newest first; erased ones are not listed.
 * @throws {InvalidCursor}, {RangeError} see `newestFirst`.
 */
export async function recordingsOf(
  storage: ProjectionStorage,
  owner: string,
  { status, ...page }: PageRequest & { status?: RecordingRow['status'] | undefined } = {},
): Promise<{ rows: RecordingRow[]; next_cursor: string | null }> {
  const prefix = status === undefined ? `o/${owner}/` : `s/${owner}/${status}/`;
  const { entries, next_cursor } = await newestFirst(storage, recordings.name, prefix, page);
  const keys = entries.map(({ key }) => `r/${key.slice(key.indexOf('/') + 1)}`);
  return { rows: await rowsAt(storage, keys), next_cursor };
}

/** Ids of recordings in which something is going on: recording or transcribing. What a restart takes up. */
export async function* unsettledRecordings(
  storage: ProjectionStorage,
): AsyncGenerator<string, void, void> {
  for await (const [key] of storage.range(recordings.name, startingWith('u/'))) {
    yield key.slice('u/'.length);
  }
}

/** How many recordings there are of each status, of all users. Reads a key a recording. */
export async function recordingsByStatus(
  storage: ProjectionStorage,
): Promise<Record<RecordingRow['status'], number>> {
  const counts = { idle: 0, recording: 0, transcribing: 0, 'awaiting-speakers': 0, error: 0 };
  for await (const [key] of storage.range(recordings.name, startingWith('s/'))) {
    counts[key.split('/')[2] as RecordingRow['status']] += 1;
  }
  return counts;
}

/** Types of facts in a recording's stream, without some. */
export function allBut(...types: readonly RecordingFactType[]): RecordingFactType[] {
  const all = Object.keys(recordingFacts) as RecordingFactType[];
  return all.filter((type) => !types.includes(type));
}

/** Key of the recording that a fact belongs to. */
export function keysOfRecording({ stream }: LoggedFact): readonly string[] {
  // A recording's facts mostly follow each other, and are asked about several times each.
  if (stream === lastAsked.stream) return lastAsked.keys;
  const id = recordingOf(stream);
  lastAsked = { stream, keys: id === undefined ? [] : [`r/${id}`] };
  return lastAsked.keys;
}

let lastAsked: { stream: string; keys: readonly string[] } = { stream: '', keys: [] };
const erasedState = 'idle.erased';

async function rowsAt(
  storage: ProjectionStorage,
  keys: readonly string[],
): Promise<RecordingRow[]> {
  const kept = (await storage.getMany(recordings.name, keys)) as (KeptRecording | undefined)[];
  // One that is gone was erased since the list was read.
  return kept.flatMap((one) => (one ? [recordingRow(one)] : []));
}

/** Brings the lists up to a recording's new status and owner. */
function relist(
  rows: Rows,
  before: KeptRecording | undefined,
  after: KeptRecording,
  erased: boolean,
): void {
  // Most facts leave a recording where it is, and writing out keys takes longer than all else here.
  if (before && !erased && inSameLists(before, after)) return;
  const was = before ? listsOf(before) : [];
  const is = erased ? [] : listsOf(after);
  for (const key of was) if (!is.includes(key)) rows.delete(key);
  for (const key of is) if (!was.includes(key)) rows.set(key, 1);
}

/** Whether everything that decides which lists a recording is in is the same. */
const inSameLists = ({ core: a }: KeptRecording, { core: b }: KeptRecording): boolean =>
  a.status === b.status &&
  a.owner === b.owner &&
  a.started_at === b.started_at &&
  (a.state === b.state || (a.state !== erasedState && b.state !== erasedState));

/** Keys of the lists a recording is in. */
function listsOf({ core }: KeptRecording): string[] {
  const { recording_id, owner, started_at, status, state } = core;
  if (state === erasedState) return [];
  const place = timeKey(started_at, recording_id);
  const unsettled = status === 'recording' || status === 'transcribing';
  return [
    `o/${owner}/${place}`,
    `s/${owner}/${status}/${place}`,
    ...(unsettled ? [`u/${recording_id}`] : []),
  ];
}
