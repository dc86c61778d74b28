/**
 * Puts invented transcripts into one index, ours or bare MiniSearch, asks it questions and prints what that
 * took as JSON. A process for each, with `--expose-gc`, so that its memory is its own.
 * Arguments: `ours` or `bare`, number of transcripts, number of questions.
 */
import MiniSearch from 'minisearch';
import { wordIndex } from '../../src/search/word-index.ts';
import { seeded } from '../support/seeded.ts';
import { memoryUsed } from './memory-used.ts';
import { askedOfTalks, talk } from './talks.ts';

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
  const asked = Array.from({ length: Number(questions) }, () => askedOfTalks(random));
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

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
