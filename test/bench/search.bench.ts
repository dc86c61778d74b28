import MiniSearch from 'minisearch';
import { wordIndex } from '../../src/search/word-index.ts';
import { seeded, type Random } from '../support/seeded.ts';
import { milliseconds, type Measured } from './measure.ts';

export const about = "search over one user's transcripts, against bare MiniSearch";
export const throughBuild = false;

const transcripts = Number(process.env['BENCH_TRANSCRIPTS'] ?? 10_000);
const wordsEach = 1500;
const questions = 200;

/** Search over one user's transcripts against bare MiniSearch asked for whole words, and what it takes of memory. */
export async function* bench(): AsyncIterable<Measured> {
  const random = seeded(1);
  const vocabulary = Array.from({ length: 60_000 }, () => invented(random));
  const word = (random: Random) =>
    // Zipf's law: the n-th word is said n times less often than the first.
    vocabulary[Math.floor(vocabulary.length ** random.next()) - 1]!;
  const text = (index: number) => {
    const said = seeded(index + 1);
    return Array.from({ length: wordsEach }, () => word(said)).join(' ');
  };

  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const ours = wordIndex();
  let built = 0;
  for (let index = 0; index < transcripts; index += 1) {
    const said = text(index);
    built += timeOf(() =>
      ours.put({ id: `r${index}`, title: 'A talk', speakers: '', text: said, summary: '' }),
    );
  }
  globalThis.gc?.();
  const bytes = process.memoryUsage().heapUsed - before;
  const kept = Math.min(transcripts, 2000);
  const bare = new MiniSearch({ fields: ['text'] });
  for (let index = 0; index < kept; index += 1) bare.add({ id: `r${index}`, text: text(index) });

  const asked = Array.from({ length: questions }, () => {
    const rare = vocabulary[100 + random.below(vocabulary.length - 100)]!;
    return random.chance(0.5) ? [rare.slice(0, 5)] : [word(random), rare];
  });
  const mine = percentile(asked.map((words) => timeOf(() => ours.find(words, 20))));
  const theirs = percentile(
    asked.map((words) => timeOf(() => bare.search(words.join(' '), { combineWith: 'AND' }))),
  );
  yield {
    what:
      `search of ${transcripts} transcripts, p95 of ${questions}; index ${Math.round(bytes / 1e6)} MB, ` +
      `${ours.size} pairs, ${(built / transcripts).toFixed(1)} ms a transcript`,
    ours: milliseconds(mine),
    bare: `${milliseconds(theirs)} (whole words, ${kept} transcripts)`,
    ratio: theirs / mine,
    aim: 'p95 ≤ 100 ms',
    met: mine <= 100,
  };
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

const percentile = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;

const syllables =
  'ba be bi da de der di en er ge ha hei in ka ko lich ma me ne no ra re sa sch se ta te tra un ver vor zu'.split(
    ' ',
  );
const invented = (random: Random): string =>
  Array.from({ length: 2 + random.below(4) }, () => random.pick(syllables)).join('');
