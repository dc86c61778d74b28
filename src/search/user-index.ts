import { setImmediate } from 'node:timers/promises';
import type { ProjectionStorage } from '../../projections/projection.ts';
import { recordingById } from '../../projections/recordings.ts';
import { libraryOf, transcriptOf } from '../../projections/transcripts.ts';
import { blocksOf } from '../export/export-input.ts';
import { wordIndex, type Searchable, type WordIndex } from './word-index.ts';

/** One user's index, made from the rows of the projections and kept up with them. */
export type UserIndex = {
  readonly words: WordIndex;
  /** Whether every transcript found room. */
  complete(): boolean;
  /** Something of a recording has changed; it is looked at again before the next search. */
  changed(recordingId: string): void;
  /** It is gone, at once and for good. */
  erased(recordingId: string): void;
  /** Takes in what has changed. One call at a time. */
  refresh(): Promise<void>;
  /** Reads everything; once, before the first search. @throws AbortError */
  build(signal: AbortSignal): Promise<void>;
};

/** Changes that may wait; beyond them making the index anew is less work. */
const changesMax = 2000;

/** @param hasRoom whether another transcript may be taken in */
export function userIndex(
  owner: string,
  storage: ProjectionStorage,
  hasRoom: () => boolean,
): UserIndex {
  const words = wordIndex();
  const dirty = new Set<string>();
  const gone = new Set<string>();
  let leftOut = false;
  let everything = false;

  return {
    words,
    complete: () => !leftOut,
    changed(recordingId) {
      if (dirty.size < changesMax) dirty.add(recordingId);
      else everything = true;
    },
    erased(recordingId) {
      gone.add(recordingId);
      words.remove(recordingId);
    },
    async refresh() {
      if (everything) {
        everything = false;
        dirty.clear();
        await readAll(new AbortController().signal);
      }
      for (const recordingId of dirty) {
        dirty.delete(recordingId);
        await takeIn(recordingId);
      }
    },
    build: (signal) => readAll(signal),
  };

  /** Newest first: when there is no more room, the oldest are left out. */
  async function readAll(signal: AbortSignal): Promise<void> {
    let cursor: string | undefined;
    do {
      const { rows, next_cursor } = await libraryOf(storage, owner, { limit: 200, cursor });
      for (const { recording_id } of rows) {
        signal.throwIfAborted();
        await takeIn(recording_id);
        // Others want to be served meanwhile.
        await setImmediate();
      }
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined && !leftOut);
  }

  async function takeIn(recordingId: string): Promise<void> {
    const transcript = await searchable(recordingId);
    if (gone.has(recordingId)) return;
    words.remove(recordingId);
    if (!transcript) return;
    if (hasRoom()) words.put(transcript);
    else leftOut = true;
  }

  /** Undefined: there is nothing of it to be found by this user. */
  async function searchable(recordingId: string): Promise<Searchable | undefined> {
    const row = await recordingById(storage, recordingId);
    if (!row || row.owner !== owner || row.documents === null) return undefined;
    const transcript = await transcriptOf(storage, recordingId);
    if (!transcript) return undefined;
    return {
      id: recordingId,
      title: row.title ?? '',
      speakers: row.speakers.map(({ name }) => name ?? '').join(' '),
      text: blocksOf(transcript)
        .map(({ text }) => text)
        .join('\n'),
      summary: [row.abstract ?? '', transcript.summary ?? ''].join('\n'),
    };
  }
}
