import { setImmediate } from 'node:timers/promises';
import { folderOfOthers } from '../../projections/access.ts';
import type { Kind } from '../../events/facts/recording.ts';
import { foldName, idIn, libraryEntries } from '../../projections/library.ts';
import { type ReadEntries, allPages } from '../../projections/list-page.ts';
import { utcTime } from '../shared/time.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { withKnownNames } from '../../projections/recording/written-texts.ts';
import { thoseWhoSpeak } from '../../projections/recording/reading.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { recordingById } from '../../projections/recordings.ts';
import { transcriptOf } from '../../projections/texts.ts';
import type { PassageRows, PassageRow } from '../storage/passage-rows.ts';
import { type VectorIndex, vectorIndex } from './vector-index.ts';
import { type Searchable, type WordIndex, wordIndex } from './word-index.ts';

/** One user's index, made from the rows of the projections and kept up with them. */
export type UserIndex = {
  /** What is indexed so far. */
  readonly words: WordIndex;
  /** What notes are narrowed by, of each that is indexed. */
  readonly about: ReadonlyMap<string, Traits>;
  /** Share of the user's transcripts that are indexed as they are now, 0 to 1. 1: all of them. */
  fraction(): number;
  /** A recording has changed: `catchUp` looks at it again. False when too many changes wait: then make a new index. */
  changed(recordingId: string): boolean;
  /** A recording was put elsewhere: `catchUp` looks at where it is. Its words stay. */
  refiled(recordingId: string): void;
  /** A recording is erased: its words leave at once and for good. */
  erased(recordingId: string): void;
  /** A recording has other passages: `catchUp` reads what they mean. */
  embedded(recordingId: string): void;
  /** What passages mean to a model; undefined where none is known. What they mean to others is forgotten. */
  meant(model: string): VectorIndex | undefined;
  /** Share of what is indexed of which it is known what it means to a model, 0 to 1. */
  fractionMeant(model: string): number;
  /** Bytes that take what passages mean. */
  readonly meantBytes: number;
  /** Whether `catchUp` is at work. */
  busy(): boolean;
  /**
   * Resolves when everything is indexed for which there is room: first what has changed, then the library,
   * newest first. Several callers wait for the same work. @throws what `deps` and the storage throw
   */
  catchUp(): Promise<void>;
};

/** `startedAt`: in UTC, as `utcTime` writes it; `speakers`: names, or labels of those without one, as `foldName` has them. */
export type Traits = {
  kind: Kind;
  startedAt: string;
  speakers: string[];
  folder: string | null;
  tags: readonly string[];
};

/** What a user may read of others; without sharing: nothing. */
export type Readable = {
  /** What a user may do with somebody else's recording; null: not even read it. */
  rightOf(userId: string, row: RecordingRow): Promise<{ audio: boolean } | null>;
  /** The entries of all that others share with a user. */
  entries(userId: string): Promise<ReadEntries>;
  /** Changes when what is shared with a user may be more or less by groups or folders than before. */
  signature(userId: string): Promise<string>;
  /** What the owner of somebody else's is called. */
  nameOf(owner: string): string | null;
};

/** Changes that may wait; beyond them a new index is less work. */
const changesMax = 2000;

export function userIndex(
  owner: string,
  deps: {
    storage: ProjectionStorage;
    readable: Readable;
    /** Null: nothing is found by its meaning. */
    passages: Pick<PassageRows, 'read'> | null;
    /** Whether another transcript may be indexed, and what one means kept. */
    hasRoom(): boolean;
    hasRoomToMean(): boolean;
    /** Throws when the rows are no longer kept. */
    assertRunning(): void;
    /** Runs the first reading of a whole library; few run at a time. */
    limited(work: () => Promise<void>): Promise<void>;
  },
): UserIndex {
  const reading: Reading = { ...deps, owner, ...nothingRead() };
  const { words, about, changed, refiled, embedded, meant, gone, library } = reading;
  let working: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    await takeInChanges(reading);
    if (!library.complete) await deps.limited(() => takeInLibrary(reading));
  };

  return {
    words,
    about,
    fraction() {
      if (library.complete && !reading.leftOut && changed.size === 0) return 1;
      const current = Math.max(0, library.read - changed.size);
      return Math.min(0.99, current / Math.max(1, library.size));
    },
    changed(recordingId) {
      changed.add(recordingId);
      return working !== undefined || changed.size <= changesMax;
    },
    refiled: (recordingId) => void refiled.add(recordingId),
    erased(recordingId) {
      gone.add(recordingId);
      words.remove(recordingId);
      about.delete(recordingId);
      meant.remove(recordingId);
    },
    embedded: (recordingId) => void embedded.add(recordingId),
    meant: (model) => meant.of(model),
    fractionMeant: (model) => meant.fraction(model, about.size),
    get meantBytes() {
      return meant.bytes();
    },
    busy: () => working !== undefined,
    async catchUp() {
      // Again for what has changed between the end of the work and the answer.
      const isBehind = () => changed.size + refiled.size + embedded.size > 0 || !library.complete;
      while (working || isBehind()) {
        await (working ??= work().finally(() => (working = undefined)));
      }
    },
  };
}

/** An index being made. */
type Reading = {
  owner: string;
  storage: ProjectionStorage;
  readable: Readable;
  passages: Pick<PassageRows, 'read'> | null;
  hasRoom(): boolean;
  hasRoomToMean(): boolean;
  assertRunning(): void;
  words: WordIndex;
  about: Map<string, Traits>;
  /** Recordings to be looked at again. */
  changed: Set<string>;
  /** Recordings that may be elsewhere. */
  refiled: Set<string>;
  /** Recordings whose passages may mean something else. */
  embedded: Set<string>;
  meant: Meant;
  /** Erased since this index was begun. */
  gone: Set<string>;
  /** How many transcripts there are, and how many were read. */
  library: { size: number; read: number; complete: boolean };
  /** Whether some did not find room. */
  leftOut: boolean;
};

const nothingRead = () => ({
  words: wordIndex(),
  about: new Map<string, Traits>(),
  changed: new Set<string>(),
  refiled: new Set<string>(),
  embedded: new Set<string>(),
  meant: openMeant(),
  gone: new Set<string>(),
  library: { size: 0, read: 0, complete: false },
  leftOut: false,
});

async function takeInChanges(reading: Reading): Promise<void> {
  for (const recordingId of reading.changed) {
    reading.assertRunning();
    // Before it is read: a change from now on is another one.
    reading.changed.delete(recordingId);
    await takeIn(reading, recordingId);
  }
  for (const recordingId of reading.refiled) {
    reading.assertRunning();
    reading.refiled.delete(recordingId);
    const row = await recordingById(reading.storage, recordingId);
    const { about } = reading;
    const known = about.get(recordingId);
    if (row?.owner === reading.owner && known)
      about.set(recordingId, { ...known, folder: row.folder, tags: row.tags });
    // Its folder may give it to this user, or do so no more.
    else if (row) await takeIn(reading, recordingId);
  }
  for (const recordingId of reading.embedded) {
    reading.embedded.delete(recordingId);
    await takeInMeaning(reading, recordingId);
  }
}

/** Newest first: when the room is used up, the oldest are left out. */
async function takeInLibrary(reading: Reading): Promise<void> {
  const { storage, owner, library } = reading;
  const own = await libraryIds(libraryEntries(storage, owner));
  const recordingIds = [...own, ...(await libraryIds(await reading.readable.entries(owner)))];
  library.size = recordingIds.length;
  for (const recordingId of recordingIds) {
    await takeInChanges(reading);
    if (reading.leftOut) break;
    reading.assertRunning();
    await takeIn(reading, recordingId);
    library.read += 1;
  }
  library.complete = true;
}

async function takeIn(reading: Reading, recordingId: string): Promise<void> {
  const { words, about, gone } = reading;
  const transcript = await searchable(reading, recordingId);
  // Requests are answered between two transcripts.
  await setImmediate();
  if (gone.has(recordingId)) return;
  words.remove(recordingId);
  about.delete(recordingId);
  reading.meant.remove(recordingId);
  if (!transcript) return;
  if (!reading.hasRoom()) {
    reading.leftOut = true;
    return;
  }
  words.put(transcript);
  about.set(recordingId, transcript.about);
  await takeInMeaning(reading, recordingId);
}

/** Of what is indexed by its words: the rights were asked for there. */
async function takeInMeaning(reading: Reading, recordingId: string): Promise<void> {
  const { passages, meant, about, gone } = reading;
  if (!passages || !about.has(recordingId)) return;
  const [row] = await passages.read([recordingId]);
  if (gone.has(recordingId) || !about.has(recordingId)) return;
  meant.remove(recordingId);
  if (row && reading.hasRoomToMean()) meant.put(recordingId, row);
}

/** Ids of a user's recordings with documents, newest first. Keys are enough: 10 000 take some 100 ms. */
async function libraryIds(read: ReadEntries): Promise<string[]> {
  const found: string[] = [];
  for await (const entries of allPages(read)) found.push(...entries.map(idIn));
  return found;
}

/** What can be found of a recording by this user; undefined when nothing can. */
async function searchable(
  { storage, owner, readable }: Pick<Reading, 'storage' | 'owner' | 'readable'>,
  recordingId: string,
): Promise<(Searchable & { about: Traits }) | undefined> {
  const row = await recordingById(storage, recordingId);
  if (!row || row.documents === null) return undefined;
  const isOwn = row.owner === owner;
  if (!isOwn && (await readable.rightOf(owner, row)) === null) return undefined;
  const transcript = await transcriptOf(storage, recordingId);
  if (!transcript) return undefined;
  const speakers = thoseWhoSpeak(row.speakers);
  return {
    id: recordingId,
    about: {
      kind: row.kind,
      startedAt: utcTime(row.startedAt),
      speakers: speakers.map(({ name, label }) => foldName(name ?? label)),
      // Folders and tags are their owner's.
      folder: isOwn ? row.folder : folderOfOthers(row.owner, row.folder),
      tags: isOwn ? row.tags : [],
    },
    title: [row.title ?? '', row.source ?? ''].join('\n'),
    speakers: speakers.map(({ name }) => name ?? '').join(' '),
    text: transcript.blocks.map(({ text }) => text).join('\n'),
    summary: [
      row.abstract ?? '',
      withKnownNames(transcript.summary ?? '', row.speakers),
      ...transcript.sidenotes.map(({ text }) => text),
    ].join('\n'),
  };
}

/** What a user's passages mean, by the model that says so. */
interface Meant {
  put(recordingId: string, row: Pick<PassageRow, 'model' | 'dimensions' | 'vectors'>): void;
  remove(recordingId: string): void;
  /** Undefined where nothing is known. What passages mean to other models is forgotten. */
  of(model: string): VectorIndex | undefined;
  /** Share of so many recordings that is known. */
  fraction(model: string, recordings: number): number;
  bytes(): number;
}

function openMeant(): Meant {
  const indexes = new Map<string, VectorIndex & { dimensions: number }>();
  /** Also those without a passage, in which nothing was said. */
  const models = new Map<string, string>();
  return {
    put(recordingId, { model, dimensions, vectors }) {
      models.set(recordingId, model);
      if (vectors.length === 0) return;
      let index = indexes.get(model);
      if (index?.dimensions !== dimensions) {
        index = Object.assign(vectorIndex(dimensions), { dimensions });
        indexes.set(model, index);
      }
      index.put(recordingId, vectors);
    },
    remove(recordingId) {
      models.delete(recordingId);
      for (const index of indexes.values()) index.remove(recordingId);
    },
    of(model) {
      for (const other of indexes.keys()) if (other !== model) indexes.delete(other);
      return indexes.get(model);
    },
    fraction(model, recordings) {
      if (recordings === 0) return 1;
      let known = 0;
      for (const one of models.values()) if (one === model) known += 1;
      return Math.min(1, known / recordings);
    },
    bytes: () => [...indexes.values()].reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
