import MiniSearch from 'minisearch';
import { setImmediate } from 'node:timers/promises';
import type { ProjectionStorage } from '../../projections/projection.ts';
import { recordingById } from '../../projections/recordings.ts';
import { libraryOf, transcriptOf } from '../../projections/transcripts.ts';
import { foldWord, wordsOf } from './words.ts';

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
      text: transcript.blocks.map(({ text }) => text).join('\n'),
      summary: [row.abstract ?? '', transcript.summary ?? ''].join('\n'),
    };
  }
}

/** From this length on a word may be the beginning of another, or be misspelt, in the last place sooner. */
const prefixFrom = { last: 2, any: 3 };
const oneTypoFrom = 5;
const twoTyposFrom = 9;

export function wordIndex(): WordIndex {
  const sizes = new Map<string, number>();
  let size = 0;
  const index = new MiniSearch<Searchable>({
    fields: ['title', 'speakers', 'text', 'summary'],
    tokenize: (text) => Array.from(wordsOf(text), ({ word }) => foldWord(word)),
    processTerm: (term) => term,
    // What was removed is forgotten at once, not some time: it may have been erased.
    autoVacuum: { minDirtCount: 1, minDirtFactor: 0, batchSize: 1000, batchWait: 10 },
  });
  const remove = (id: string) => {
    if (!sizes.has(id)) return;
    size -= sizes.get(id)!;
    sizes.delete(id);
    index.discard(id);
  };

  return {
    put(transcript) {
      const { id, title, speakers, text, summary } = transcript;
      remove(id);
      index.add(transcript);
      const words = new Set<string>();
      for (const part of [title, speakers, text, summary]) {
        for (const { word } of wordsOf(part)) words.add(word);
      }
      sizes.set(id, words.size);
      size += words.size;
    },
    remove,
    find(words, limit) {
      const last = words.length - 1;
      const ask = (prefixes: (word: string, at: number) => boolean, typos: boolean) =>
        index
          .search(words.join(' '), {
            tokenize: (text) => text.split(' '),
            combineWith: 'AND',
            boost: { title: 3, speakers: 2 },
            prefix: prefixes,
            fuzzy: typos ? editsOf : false,
          })
          .slice(0, limit);
      const near = ask((word, at) => at === last && word.length >= prefixFrom.last, false);
      // The wider question costs more and finds what the narrow one found as well.
      const found =
        near.length >= limit ? near : ask((word) => word.length >= prefixFrom.any, true);
      const ids = new Set(near.map(({ id }) => String(id)));
      return [...near, ...found.filter(({ id }) => !ids.has(String(id)))]
        .slice(0, limit)
        .map(({ id, match }) => ({ id: String(id), words: Object.keys(match) }));
    },
    get size() {
      return size;
    },
  };
}

const editsOf = (word: string): number | false => {
  if (word.length >= twoTyposFrom) return 2;
  return word.length >= oneTypoFrom ? 1 : false;
};

/** What is searched of a transcript. */
type Searchable = {
  id: string;
  title: string;
  speakers: string;
  text: string;
  summary: string;
};

/** The words of one user's transcripts, in memory. Holds no texts. */
interface WordIndex {
  /** Puts a transcript in, in the place of what was there of it. */
  put(transcript: Searchable): void;
  remove(id: string): void;
  /** Ids and the (folded) words of theirs that were meant, best first. */
  find(words: readonly string[], limit: number): { id: string; words: string[] }[];
  /** Pairs of a word and a transcript it is in: what takes the memory, about 45 bytes each (measured). */
  readonly size: number;
}
