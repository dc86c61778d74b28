import { recordingFacts, type RecordingFactType } from '../events/facts/recording.ts';
import { isErased } from './recording/digest.ts';
import { libraryLists } from './library.ts';
import { newestFirst, startingWith, timeKey, type PageRequest } from './list-page.ts';
import type { Projection, ProjectionStorage, Row, Rows } from './projection.ts';
import { foldRecording, recordingRow, type KeptRecording } from './recording-fold.ts';
import { recordingIn, recordingKey, recordingsName, sealOfRecording } from './recording-keys.ts';
import type { RecordingRow } from './recording-row.ts';
import { dropTexts, setText } from './texts.ts';

/**
 * Every recording: what it says, and the lists it is in. Rows, those with (s) sealed with its key:
 * - `r/<id>` (s) the recording; its state and lists' order stay readable without the key
 * - `t/<id>/…` (s) its texts, see `texts.ts`
 * - `o/<owner>/<started at>/<id>`, `s/<owner>/<status>/<started at>/<id>` lists; `u/<id>` those in which
 *   something is going on; `l/…`, `f/…` the library, see `library.ts`; all without words in their keys
 * - `p/<owner>` position of the last fact of any recording of theirs
 */
export const recordings: Projection = {
  name: recordingsName,
  version: 4,
  interests: new Set(Object.keys(recordingFacts) as RecordingFactType[]),
  keys: (fact) => recordingIn(fact).keys,
  apply(rows, fact) {
    const { id, keys } = recordingIn(fact);
    if (id === undefined) return;
    const key = keys[0]!;
    const before = rows.get<KeptRecording>(key);
    const after = foldRecording(before, fact);
    if (!after) return;
    rows.set(key, after);
    if (before) dropTexts(rows, before, after);
    setText(rows, after, fact);
    const { owner } = after.core;
    if (fact.type !== 'utterance.recognised') rows.set(`p/${owner}`, fact.position);
    if (before && before.core.owner !== owner) rows.set(`p/${before.core.owner}`, fact.position);
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
  const { entries, next_cursor } = await newestFirst(storage, recordingsName, prefix, page);
  const kept = await recordingsListed(
    storage,
    entries.map(({ key }) => key),
  );
  return { rows: kept.map(recordingRow), next_cursor };
}

/** What is kept of the recordings that these entries of a list (`<time>/<id>`) name; without those erased since. */
export async function recordingsListed(
  storage: ProjectionStorage,
  entries: readonly string[],
): Promise<KeptRecording[]> {
  const keys = entries.map((entry) => recordingKey(entry.slice(entry.indexOf('/') + 1)));
  const kept = (await storage.getMany(recordingsName, keys)) as (KeptRecording | undefined)[];
  return kept.filter((one) => one !== undefined);
}

/** Ids of recordings in which something is going on: recording or transcribing. What a restart takes up. */
export async function* unsettledRecordings(
  storage: ProjectionStorage,
): AsyncGenerator<string, void, void> {
  for await (const [key] of storage.range(recordingsName, startingWith('u/'))) {
    yield key.slice('u/'.length);
  }
}

/** How many recordings there are of each status, of all users. Reads a key a recording. */
export async function recordingsByStatus(
  storage: ProjectionStorage,
): Promise<Record<RecordingRow['status'], number>> {
  const counts = { idle: 0, recording: 0, transcribing: 0, 'awaiting-speakers': 0, error: 0 };
  for await (const [key] of storage.range(recordingsName, startingWith('s/'))) {
    counts[key.split('/')[2] as RecordingRow['status']] += 1;
  }
  return counts;
}

const erasedState = 'idle.erased';

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

/** Whether everything that decides which lists a recording is in is the same. */
const inSameLists = (a: KeptRecording, b: KeptRecording): boolean =>
  a.core.status === b.core.status &&
  a.core.owner === b.core.owner &&
  a.core.kind === b.core.kind &&
  a.core.started_at === b.core.started_at &&
  a.core.files === b.core.files &&
  (a.core.state === b.core.state || (a.core.state !== erasedState && b.core.state !== erasedState));

/** The lists a recording is in: keys and what is there. */
function listsOf({ core }: KeptRecording): Map<string, Row> {
  const { recording_id, owner, started_at, status, state } = core;
  if (state === erasedState) return new Map();
  const place = timeKey(started_at, recording_id);
  const lists = new Map<string, Row>([
    [`o/${owner}/${place}`, 1],
    [`s/${owner}/${status}/${place}`, 1],
    ...libraryLists(core),
  ]);
  if (status === 'recording' || status === 'transcribing') lists.set(`u/${recording_id}`, 1);
  return lists;
}
