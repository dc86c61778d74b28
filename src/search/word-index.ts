import SearchableMap from 'minisearch/SearchableMap';
import { foldWord, wordsOf } from '../shared/folded-words.ts';

/** What is searched of a transcript. */
export type Searchable = {
  id: string;
  /** With the name of the file it came from. */
  title: string;
  speakers: string;
  text: string;
  summary: string;
};

/** The words of one user's transcripts, in memory. Holds no texts. */
export interface WordIndex {
  /** Puts a transcript in, in the place of what was there of it. */
  put(transcript: Searchable): void;
  /** It is not found any more; its words leave the memory within a second. */
  remove(id: string): void;
  /**
   * Ids and the (folded) words of theirs that were meant, best first.
   * @param fits those that may be found at all; default: all
   * @param headings looks at titles and names alone
   */
  find(
    words: readonly string[],
    limit: number,
    fits?: (id: string) => boolean,
    headings?: boolean,
  ): Matched[];
  /** Ids of those in which all of these (folded) words are, as they are, in no order that says anything. */
  having(words: readonly string[]): string[];
  /** Pairs of a word and a transcript it is in: what takes the memory, about 10 bytes each (measured). */
  readonly size: number;
}

/** `words` is worked out when it is asked for. */
export type Matched = { id: string; readonly words: string[] };

/** From this length on a word may be the beginning of another, or be misspelt, in the last place sooner. */
const prefixFrom = { last: 2, any: 3 };
const oneTypoFrom = 5;
const twoTyposFrom = 9;

/**
 * All words of a question must be in a transcript. Ranked by BM25+ (Lv and Zhai, 2011), as MiniSearch does, whose
 * tree of words this is; its own lists of transcripts take five times the memory.
 */
export function wordIndex(): WordIndex {
  const terms: Terms = { words: new Map(), tree: new SearchableMap() };
  const index: Index = { terms, documents: [], numbers: new Map(), size: 0 };
  let lengths = 0;
  let sweeping: NodeJS.Timeout | undefined;
  const remove = (id: string): void => {
    const number = index.numbers.get(id);
    const document = number === undefined ? undefined : index.documents[number];
    if (number === undefined || !document) return;
    index.numbers.delete(id);
    index.documents[number] = undefined;
    index.size -= document.words;
    lengths -= document.length;
    // One look at all words for all that goes meanwhile: a thousand may be deleted together.
    sweeping ??= setTimeout(() => {
      sweeping = undefined;
      sweep(index);
    }, sweepAfterMs).unref();
  };

  return {
    put(transcript) {
      const { id } = transcript;
      remove(id);
      const number = index.documents.length;
      if (number > numberMax) throw new RangeError('Too many transcripts were put into one index.');
      const { said, length } = saidIn(transcript);
      for (const [word, mention] of said) add(terms, word, number * 256 + mention);
      index.documents.push({ id, length, words: said.size });
      index.numbers.set(id, number);
      index.size += said.size;
      lengths += length;
    },
    remove,
    find(words, limit, fits, headings = false) {
      const last = words.length - 1;
      const meanLength = lengths / Math.max(1, index.numbers.size);
      const ask = (prefixes: (word: string, at: number) => boolean, typos: boolean): Matched[] => {
        const meant = words.map((word, at) =>
          wordsMeant(terms, word, prefixes(word, at), typos ? editsOf(word) : 0),
        );
        return search(index, meant, meanLength, { limit, fits, headings });
      };
      const near = ask((word, at) => at === last && word.length >= prefixFrom.last, false);
      const asBeginnings = (word: string) => word.length >= prefixFrom.any;
      // Wider questions cost more and find what narrow ones found as well; a word that was found is not misspelt.
      const wide = near.length >= limit ? near : ask(asBeginnings, false);
      const found = wide.length > 0 ? wide : ask(asBeginnings, true);
      const ids = new Set(near.map(({ id }) => id));
      return [...near, ...found.filter(({ id }) => !ids.has(id))].slice(0, limit);
    },
    having(words) {
      const meant = words.map((word) => wordsMeant(terms, word, false, 0));
      const all = { limit: Infinity, fits: undefined, headings: false };
      return search(index, meant, lengths / Math.max(1, index.numbers.size), all).map(
        ({ id }) => id,
      );
    },
    get size() {
      return index.size;
    },
  };
}

const sweepAfterMs = 1000;

type Index = {
  terms: Terms;
  /** By their number, in the order they were put in; undefined: removed. */
  documents: (Document | undefined)[];
  numbers: Map<string, number>;
  size: number;
};
/** `length`: how many words are said in it; `words`: how many different ones it has. */
type Document = { id: string; length: number; words: number };
/** The tree has the same words: for beginnings and typos. To find the very word there takes ten times as long. */
type Terms = { words: Map<string, Mentions>; tree: SearchableMap<Mentions> };
/**
 * Where a word is: for each transcript, by its number, `number * 256 + mention`. A mention is how often it is
 * said (up to 63), whether it is in the title and whether in the names. As numbers of 32 bits beside V8's heap.
 */
type Mentions = { entries: Uint32Array; count: number };

const saidMax = 63;
const inTitle = 64;
const inNames = 128;
const numberMax = 2 ** 24 - 1;

/** What a word counts more in a title and in names. */
const boosts = { title: 3, names: 2 };
/** Of BM25+: how soon saying a word again counts less, how much length does, what a word counts at least. */
const [k, b, delta] = [1.2, 0.7, 0.5];

function saidIn({ title, speakers, text, summary }: Searchable) {
  const said = new Map<string, number>();
  let length = 0;
  for (const spoken of [text, summary]) {
    for (const { word } of wordsOf(spoken)) {
      const folded = foldWord(word);
      if (folded === '') continue;
      length += 1;
      said.set(folded, Math.min(saidMax, (said.get(folded) ?? 0) + 1));
    }
  }
  for (const [place, flag] of [
    [title, inTitle],
    [speakers, inNames],
  ] as const) {
    for (const { word } of wordsOf(place)) {
      const folded = foldWord(word);
      if (folded !== '') said.set(folded, (said.get(folded) ?? 0) | flag);
    }
  }
  return { said, length };
}

function add(terms: Terms, word: string, entry: number): void {
  let mentions = terms.words.get(word);
  if (!mentions) {
    mentions = { entries: new Uint32Array(1), count: 0 };
    const own = copied(word);
    terms.words.set(own, mentions);
    terms.tree.set(own, mentions);
  }
  if (mentions.count === mentions.entries.length) {
    const grown = new Uint32Array(Math.ceil(mentions.count * 1.5));
    grown.set(mentions.entries);
    mentions.entries = grown;
  }
  mentions.entries[mentions.count] = entry;
  mentions.count += 1;
}

/** V8 keeps a longer part of a text as a place in it: the index would hold all texts. */
const copied = (word: string): string => Buffer.from(word, 'utf16le').toString('utf16le');

/** Takes out what is left of removed transcripts. */
function sweep({ terms, documents }: Index): void {
  for (const [word, mentions] of terms.words) {
    const { entries, count } = mentions;
    let kept = 0;
    for (const entry of entries.subarray(0, count)) {
      if (documents[entry >>> 8]) entries[kept++] = entry;
    }
    mentions.count = kept;
    if (kept > 0) continue;
    terms.words.delete(word);
    terms.tree.delete(word);
  }
}

/** A word that may be meant by one of a question, and how much it counts. */
type Meant = { word: string; mentions: Mentions; weight: number };

/** The weights are MiniSearch's. */
function wordsMeant({ words, tree }: Terms, word: string, prefix: boolean, edits: number): Meant[] {
  const meant = new Map<string, Meant>();
  const exact = words.get(word);
  if (exact) meant.set(word, { word, mentions: exact, weight: 1 });
  for (const [term, mentions] of prefix ? tree.atPrefix(word) : []) {
    if (term === word) continue;
    const weight = (0.375 * term.length) / (term.length + 0.3 * (term.length - word.length));
    meant.set(term, { word: term, mentions, weight });
  }
  for (const [term, [mentions, distance]] of edits > 0 ? tree.fuzzyGet(word, edits) : []) {
    if (meant.has(term)) continue;
    const weight = (0.45 * term.length) / (term.length + distance);
    meant.set(term, { word: term, mentions, weight });
  }
  return [...meant.values()];
}

/** @param meant for each word of the question */
function search(
  { documents, numbers }: Index,
  meant: readonly Meant[][],
  meanLength: number,
  {
    limit,
    fits,
    headings,
  }: { limit: number; fits: ((id: string) => boolean) | undefined; headings: boolean },
): Matched[] {
  const scores = new Float64Array(documents.length);
  /** How many words of the question were found, as long as none was missing. */
  const matched = new Uint8Array(documents.length);
  for (const [at, words] of meant.entries()) {
    for (const { mentions, weight } of words) {
      const { entries, count } = mentions;
      // Removed ones are counted until they are swept out.
      const others = Math.max(0, numbers.size - count);
      const rarity = weight * Math.log(1 + (others + 0.5) / (count + 0.5));
      for (const entry of entries.subarray(0, count)) {
        if (headings && (entry & (inTitle | inNames)) === 0) continue;
        const number = entry >>> 8;
        const [document, before] = [documents[number], matched[number]];
        if (!document || (before !== at && before !== at + 1)) continue;
        matched[number] = at + 1;
        const score = rarity * countOf(entry, document.length / meanLength);
        scores[number] = (scores[number] ?? 0) + score;
      }
    }
  }
  return documents
    .flatMap((document, number) => {
      if (!document || matched[number] !== meant.length || fits?.(document.id) === false) return [];
      return { id: document.id, number, score: scores[number] ?? 0 };
    })
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ id, number }) => ({
      id,
      get words() {
        return meant.flat().flatMap(({ word, mentions }) => (isIn(mentions, number) ? word : []));
      },
    }));
}

/** What an entry counts in a transcript of that length, against the mean one. */
function countOf(entry: number, length: number): number {
  const said = entry & saidMax;
  const often = said === 0 ? 0 : delta + (said * (k + 1)) / (said + k * (1 - b + b * length));
  const once = delta + 1;
  return (
    often +
    (entry & inTitle ? boosts.title * once : 0) +
    (entry & inNames ? boosts.names * once : 0)
  );
}

/** Numbers only grow, so entries are in their order. */
function isIn({ entries, count }: Mentions, number: number): boolean {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((entries[middle] ?? 0) >>> 8 < number) from = middle + 1;
    else to = middle;
  }
  return from < count && (entries[from] ?? 0) >>> 8 === number;
}

function editsOf(word: string): number {
  if (word.length >= twoTyposFrom) return 2;
  return word.length >= oneTypoFrom ? 1 : 0;
}
