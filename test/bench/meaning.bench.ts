import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { countFrom, milliseconds, percentile, type Measured } from './measure.ts';
import type { MeaningFigures } from './meaning-index.ts';

export const about = 'search by words and meaning, against comparing all numbers of all passages';
export const throughBuild = false;

const run = promisify(execFile);
const passages = countFrom('BENCH_PASSAGES', 200_000);
const questions = 100;

/** Ours and the bare comparison take turns, question by question, in one process. */
export async function* bench(): AsyncIterable<Measured> {
  const figures = await measured();
  const { ours, bare } = figures;
  const count = passages.toLocaleString('en');
  yield {
    ...compared(ours.clock, bare.clock),
    what: `search by words and meaning over ${count} passages, p50; p95 of ${questions} questions`,
    aim: '≤ 100 ms',
    met: percentile(ours.clock, 0.95) <= 100,
  };
  yield {
    ...compared(ours.processor, bare.processor),
    what: 'the same, processor time, which others on the machine do not change as much',
    aim: '≤ 100 ms',
    met: percentile(ours.processor, 0.95) <= 100,
  };
  yield { ...compared(figures.words.processor, bare.processor), what: 'of it by words', aim: '' };
  yield {
    ...compared(figures.meaning.processor, bare.processor),
    what: 'of it by meaning',
    aim: '',
  };
  yield {
    ...compared([figures.firstMs], bare.processor),
    what: 'the first, before which signs are told from the mean of all',
    aim: '',
  };
  yield {
    what: 'of the best 20 by all numbers, found',
    ours: figures.recall.toFixed(2),
    bare: '1',
    ratio: figures.recall,
    aim: '≥ 0.9',
  };
  yield {
    what: 'memory of a passage of 384 numbers',
    ours: `${Math.round(figures.bytes / passages)} bytes`,
    bare: '384 bytes',
    ratio: figures.bytes / passages / 384,
    aim: '≤ 1.3',
  };
}

/** Median and 95th percentile of two lists of milliseconds. */
function compared(ours: readonly number[], bare: readonly number[]) {
  const [p50, p95] = [0.5, 0.95].map((part) => percentile(ours, part)) as [number, number];
  const [bare50, bare95] = [0.5, 0.95].map((part) => percentile(bare, part)) as [number, number];
  return {
    ours: `${milliseconds(p50)}; ${milliseconds(p95)}`,
    bare: `${milliseconds(bare50)}; ${milliseconds(bare95)}`,
    ratio: p95 / bare95,
  };
}

async function measured(): Promise<MeaningFigures> {
  const script = join(import.meta.dirname, 'meaning-index.ts');
  const node = ['--expose-gc', '--max-old-space-size=4096', '--import', 'tsx'];
  const { stdout } = await run(process.execPath, [
    ...node,
    script,
    String(passages),
    String(questions),
  ]);
  return JSON.parse(stdout) as MeaningFigures;
}
