import MiniSearch from 'minisearch';
import { foldWord, wordsOf } from './fold-word.ts';

/** What is searched of a transcript. */
export type Searchable = {
  id: string;
  title: string;
  speakers: string;
  text: string;
  summary: string;
};

/** The words of one user's transcripts, in memory. Holds no texts. */
export interface WordIndex {
  /** Puts a transcript in, in the place of what was there of it. */
  put(transcript: Searchable): void;
  remove(id: string): void;
  /** Ids and the (folded) words of theirs that were meant, best first. */
  find(words: readonly string[], limit: number): { id: string; words: string[] }[];
  /** Pairs of a word and a transcript it is in: what takes the memory, about 45 bytes each (measured). */
  readonly size: number;
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
