/**
 * Puts invented transcripts into one index, ours or bare MiniSearch, asks it questions and prints what that
 * took as JSON. A process for each, with `--expose-gc`, so that its memory is its own.
 * Arguments: `ours` or `bare`, number of transcripts, number of questions.
 */
import MiniSearch from 'minisearch';
import { wordIndex } from '../../src/search/word-index.ts';
import { seeded } from '../support/seeded.ts';
import { said, talk, vocabulary } from './talks.ts';

export type IndexFigures = {
  /** Milliseconds of each question. */
  questions: number[];
  /** Milliseconds to put one transcript in, on average. */
  perTranscriptMs: number;
  /** Of the heap, and of arrays beside it, after a collection. */
  bytes: number;
};

/** What both can do. */
type Index = { put(id: string, text: string): void; find(words: string[]): unknown[] };

const [who, transcripts, questions] = process.argv.slice(2);
const hitsMax = 20;

const random = seeded(1);
console.log(JSON.stringify(measured(who === 'ours' ? ours() : bare())));

function measured(index: Index): IndexFigures {
  const before = memoryUsed();
  let built = 0;
  for (let number = 0; number < Number(transcripts); number += 1) {
    const text = talk(number);
    built += timeOf(() => index.put(`r${number}`, text));
  }
  const bytes = memoryUsed() - before;
  const asked = Array.from({ length: Number(questions) }, question);
  return {
    questions: asked.map((words) => timeOf(() => index.find(words))),
    perTranscriptMs: built / Number(transcripts),
    bytes,
  };
}

function ours(): Index {
  const index = wordIndex();
  return {
    put: (id, text) => index.put({ id, title: 'A talk', speakers: '', text, summary: '' }),
    find: (words) => index.find(words, hitsMax),
  };
}

/** One question that allows what ours allows in two: beginnings of words, and as many typing errors. */
function bare(): Index {
  const index = new MiniSearch({ fields: ['title', 'text'] });
  return {
    put: (id, text) => index.add({ id, title: 'A talk', text }),
    find: (words) =>
      index
        .search(words.join(' '), {
          combineWith: 'AND',
          prefix: (word) => word.length >= 3,
          fuzzy: (word) => (word.length >= 9 ? 2 : word.length >= 5 ? 1 : false),
        })
        .slice(0, hitsMax),
  };
}

/** Half of them the beginning of a rare word, half a word and a rare one. */
function question(): string[] {
  const rare = vocabulary[100 + random.below(vocabulary.length - 100)]!;
  return random.chance(0.5) ? [rare.slice(0, 5)] : [said(random), rare];
}

function memoryUsed(): number {
  if (!globalThis.gc) throw new Error('without --expose-gc this is not the memory that is needed');
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
