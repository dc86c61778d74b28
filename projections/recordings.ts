import { isRecordingFact } from '../events/facts/catalogue.ts';
import { recordingFactTypes } from '../events/facts/recording.ts';
import { isErased } from './recording/digest.ts';
import { audioLists, libraryLists } from './library.ts';
import { sharedLists } from './shared-lists.ts';
import {
  type PageRequest,
  type ReadEntries,
  entriesInAll,
  entriesOf,
  newestFirst,
  startingWith,
  timeKey,
} from './list-page.ts';
import type { Projection, ProjectionStorage, Row, Rows } from './runner/projection.ts';
import { foldRecording, secondsBetween } from './recording-fold.ts';
import {
  type KeptDigest,
  type KeptLine,
  type ListedRecording,
  type RecordingRow,
  digestKey,
  joined,
  keptRecording,
  linesOf,
  listed,
  pendingRevision,
  recordingIn,
  recordingKey,
  recordingRow,
  recordingsName,
  sealOfRecording,
  wordlessRow,
} from './recording-row.ts';
import { dropTexts, setText } from './texts.ts';
import { keepLinkText } from './link-texts.ts';

/**
 * Every recording: what it says, and the lists it is in. Rows, those with (s) sealed with its key:
 * - `r/<id>` (s) what lists show of the recording; its state and lists' order stay readable without the key
 * - `d/<id>` (s) the facts of it that count, without their long texts
 * - `t/<id>/…` (s) its texts, see `texts.ts`
 * - `o/<owner>/<started at>/<id>`, `s/<owner>/<status>/<started at>/<id>` lists; `u/<id>` those in which
 *   something is going on; `l/…`, `i/…`, `g/…`, `f/…`, `b/…`, `a/…` the library, see `library.ts`; `w/…` what is shared, see `shared-lists.ts`; all without words in their keys
 * - `h/<owner>/…` what is, or was until a day, protected from deletion; `m/<owner>/…` what has audio
 * - `p/<owner>` position of the last fact of any recording of theirs
 */
export const recordings: Projection = {
  name: recordingsName,
  version: 31,
  interests: recordingFactTypes,
  keys: (fact) => recordingIn(fact).keys,
  apply(rows, fact) {
    const { id } = recordingIn(fact);
    if (id === undefined || !isRecordingFact(fact)) return;
    const digest = rows.get<KeptDigest>(digestKey(id));
    const before = joined(rows.get<KeptLine>(recordingKey(id)), digest);
    const after = foldRecording(before, fact);
    if (!after) return;
    const { counted, facts, ...line } = after;
    rows.set(recordingKey(id), line);
    if (counted !== digest?.counted || facts !== digest.facts)
      rows.set(digestKey(id), { counted, facts });
    if (before) dropTexts(rows, before, after);
    setText(rows, after, fact);
    keepLinkText(rows, { before, after }, fact);
    const owners = new Set([after.core.owner, (before ?? after).core.owner]);
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
  const kept = await keptRecording(storage, recordingId);
  return kept && recordingRow(kept);
}

/** The same without what was said and written: no title, name, file or message. */
export async function wordlessRecordingById(
  storage: ProjectionStorage,
  recordingId: string,
): Promise<RecordingRow | undefined> {
  const kept = await keptRecording(storage, recordingId);
  return kept && wordlessRow(kept);
}

/** A user's recordings, newest first; erased ones are not listed. @throws as `newestFirst` */
export async function recordingsOf(
  storage: ProjectionStorage,
  owner: string,
  {
    status,
    words = true,
    within = [],
    ...page
  }: PageRequest & {
    status?: RecordingRow['status'] | undefined;
    /** Lists that have them, too. */
    within?: readonly ReadEntries[];
    /** Whether with what was said and written. */
    words?: boolean;
  } = {},
): Promise<{ rows: ListedRecording[]; nextCursor: string | null }> {
  const prefix = status === undefined ? `o/${owner}/` : `s/${owner}/${status}/`;
  const { entries, nextCursor } = await newestFirst(
    entriesInAll([entriesOf(storage, recordingsName, prefix), ...within]),
    page,
  );
  const lines = await linesOf(storage, entries);
  const shown = words ? lines : lines.map(({ core, clock }) => ({ core, clock }));
  return { rows: await listed(storage, shown, words), nextCursor };
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
  const kept = await storage.getMany<KeptLine>(recordingsName, recordingIds.map(recordingKey));
  return new Map(
    kept.flatMap((one) => {
      if (!one) return [];
      const { recordingId, owner, state } = one.core;
      return [[recordingId, { owner, state }]];
    }),
  );
}

/** Recordings that ended in an error, of all users, and in which. Reads of each user one key besides. */
export async function* failedRecordings(
  storage: ProjectionStorage,
): AsyncGenerator<{ recordingId: string; error: FailureOf }, void, void> {
  for (let lists = startingWith('s/'); ;) {
    let own: string | undefined;
    for await (const [key] of storage.range(recordingsName, { ...lists, limit: 1 }))
      own = `s/${key.split('/')[1]}/`;
    if (own === undefined) return;
    for await (const [key] of storage.range(recordingsName, startingWith(`${own}error/`))) {
      const [line] = await linesOf(storage, [`/${key.split('/').at(-1)}`]);
      if (line?.core.error) yield { recordingId: line.core.recordingId, error: line.core.error };
    }
    lists = { ...lists, gte: startingWith(own).lt };
  }
}

type FailureOf = NonNullable<KeptLine['core']['error']>;

const erasedState = 'idle.erased';

/** Whether everything that decides which lists a recording is in is the same. */
const inSameLists = ({ core: a }: KeptLine, { core: b }: KeptLine): boolean =>
  a.status === b.status &&
  a.owner === b.owner &&
  a.kind === b.kind &&
  a.startedAt === b.startedAt &&
  a.files === b.files &&
  a.folder === b.folder &&
  a.tags === b.tags &&
  a.access === b.access &&
  a.hold === b.hold &&
  a.hasAudio === b.hasAudio &&
  (a.state === b.state || (a.state !== erasedState && b.state !== erasedState));

/** What `GET /status` says of a user's recordings, as far as facts say; HTTP adds what is going on right now. */
export type StatusView = {
  status: 'IDLE' | 'RECORDING' | 'TRANSCRIBING' | 'AWAITING_SPEAKERS' | 'ERROR';
  /** The recording that runs: the one from a device of the host's if there are several. */
  recording: RecordingNow | null;
  /** All that run. */
  recordings: RecordingNow[];
  processing: AtWork[];
  /** Meetings that wait to be asked about; those put off are not among them. */
  speakersPending: (Pick<
    RecordingRow,
    'recordingId' | 'title' | 'source' | 'startedAt' | 'since'
  > & { speakers: RecordingRow['suggestions']; revision: RecordingRow['pendingRevision'] })[];
  errors: (Pick<RecordingRow, 'recordingId' | 'title' | 'source' | 'startedAt'> &
    NonNullable<RecordingRow['error']>)[];
  /** Of the last fact that may have changed any of this; 0: none yet. */
  position: number;
};

/** What names a recording that is worked on, and what runs. */
export type AtWork = Pick<
  RecordingRow,
  'recordingId' | 'kind' | 'title' | 'source' | 'startedAt' | 'state' | 'since' | 'running'
>;

export type RecordingNow = Pick<
  RecordingRow,
  'recordingId' | 'kind' | 'startedAt' | 'device' | 'title'
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
  const [recording, failed, waiting, transcribing] = await Promise.all([
    inState('recording'),
    inState('error'),
    inState('awaiting-speakers'),
    inState('transcribing'),
  ]);
  const awaiting = waiting.filter(({ core }) => !core.postponed);
  const all = await listed(storage, [...recording, ...failed, ...awaiting, ...transcribing]);
  const rows = new Map(all.map((row) => [row.recordingId, row]));
  const shown = (lines: KeptLine[]) =>
    lines.flatMap(({ core }) => rows.get(core.recordingId) ?? []);
  const digests = await storage.getMany<KeptDigest>(
    recordingsName,
    awaiting.map(({ core }) => digestKey(core.recordingId)),
  );
  const revisions = new Map(
    awaiting.map(({ core }, at) => [core.recordingId, digests[at] && pendingRevision(digests[at])]),
  );
  const recordings = recording.map((line) =>
    recordingNow(line, rows.get(line.core.recordingId)?.title ?? null, now),
  );
  return {
    status: first(recording, failed, awaiting, transcribing),
    recording: recordings.find(({ device }) => device !== null) ?? recordings[0] ?? null,
    recordings,
    processing: shown(transcribing).map(atWork),
    speakersPending: shown(awaiting).map(
      ({ recordingId, title, source, startedAt, since, suggestions: speakers }) => {
        const revision = revisions.get(recordingId) ?? null;
        return { recordingId, title, source, startedAt, since, speakers, revision };
      },
    ),
    errors: shown(failed).flatMap(({ recordingId, title, source, startedAt, error }) =>
      error ? [{ recordingId, title, source, startedAt, ...error }] : [],
    ),
    position,
  };
}

/** A user's meetings that wait for their speakers, newest first; at most `listedMax`. */
export async function waitingForSpeakers(
  storage: ProjectionStorage,
  owner: string,
): Promise<{ recordingId: string; postponed: boolean }[]> {
  const kept = await keptIn(storage, owner, 'awaiting-speakers');
  return kept.map(({ core: { recordingId, postponed } }) => ({ recordingId, postponed }));
}

/** How many recordings each user has. Reads a key a recording. */
export const recordingsByOwner = (
  storage: ProjectionStorage,
): Promise<ReadonlyMap<string, number>> => countedBy(storage, 'o/');

/** How many recordings there are of each status, of all users. Reads a key a recording. */
export async function recordingsByStatus(
  storage: ProjectionStorage,
): Promise<Record<RecordingRow['status'], number>> {
  const counts = { idle: 0, recording: 0, transcribing: 0, 'awaiting-speakers': 0, error: 0 };
  return { ...counts, ...Object.fromEntries(await countedBy(storage, 's/')) };
}

/** Brings the lists up to what became of a recording. */
function relist(rows: Rows, before: KeptLine | undefined, after: KeptLine, erased: boolean): void {
  // Most facts leave a recording where it is, and writing out keys takes longer than all else here.
  if (before && !erased && inSameLists(before, after)) return;
  const was = before ? listsOf(before) : new Map<string, Row>();
  const is = erased ? new Map<string, Row>() : listsOf(after);
  for (const key of was.keys()) if (!is.has(key)) rows.delete(key);
  for (const [key, row] of is) if (!was.has(key)) rows.set(key, row);
}

/** The lists a recording is in: keys and what is there. */
function listsOf(kept: KeptLine): Map<string, Row> {
  const { recordingId, owner, startedAt, status, state } = kept.core;
  if (state === erasedState) return new Map();
  const place = timeKey(startedAt, recordingId);
  const lists = new Map<string, Row>([
    [`o/${owner}/${place}`, 1],
    [`s/${owner}/${status}/${place}`, 1],
    ...(kept.core.hold === null ? [] : [[`h/${owner}/${place}`, 1] as [string, Row]]),
    ...(kept.core.hasAudio ? [[`m/${owner}/${place}`, 1] as [string, Row]] : []),
    ...libraryLists(kept),
    ...audioLists(kept),
    ...sharedLists(kept),
  ]);
  if (status === 'recording' || status === 'transcribing') lists.set(`u/${recordingId}`, 1);
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
): Promise<KeptLine[]> {
  const prefix = `s/${owner}/${state}/`;
  const entries: string[] = [];
  const newest = { ...startingWith(prefix), reverse: true, limit: listedMax };
  for await (const [key] of storage.range(recordingsName, newest)) {
    entries.push(key.slice(prefix.length));
  }
  const kept = await linesOf(storage, entries);
  // One that moved on since the list was read is in another list, or will be.
  return kept.filter((one) => one.core.status === state);
}

const atWork = (row: ListedRecording): AtWork => {
  const { recordingId, kind, title, source, startedAt, state, since, running } = row;
  return { recordingId, kind, title, source, startedAt, state, since, running };
};

function recordingNow({ core, clock }: KeptLine, title: string | null, now: Date): RecordingNow {
  const { recordingId, kind, device, state, startedAt } = core;
  const { seconds, runningSince } = clock;
  const running = runningSince === null ? 0 : secondsBetween(runningSince, now.toISOString());
  return {
    recordingId,
    kind,
    startedAt,
    device,
    title,
    duration: seconds + running,
    paused: state === 'recording.paused',
  };
}

/** How many entries of a list there are by the part of their keys before time and id. */
async function countedBy(
  storage: ProjectionStorage,
  list: 'o/' | 's/',
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const [key] of storage.range(recordingsName, startingWith(list))) {
    const part = key.split('/').at(-3) ?? '';
    counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  return counts;
}
