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
  const part = (who: 'ours' | 'meaning' | 'bare', share: number) => percentile(figures[who], share);
  const [p95, bare] = [part('ours', 0.95), part('bare', 0.95)];
  const count = passages.toLocaleString('en');
  yield {
    what: `search by words and meaning over ${count} passages, p50; p95 of ${questions} questions`,
    ours: `${milliseconds(part('ours', 0.5))}; ${milliseconds(p95)}`,
    bare: `${milliseconds(part('bare', 0.5))}; ${milliseconds(bare)}`,
    ratio: p95 / bare,
    aim: '≤ 100 ms',
    met: p95 <= 100,
  };
  yield {
    what: 'of it by meaning alone, p50; p95',
    ours: `${milliseconds(part('meaning', 0.5))}; ${milliseconds(part('meaning', 0.95))}`,
    bare: '',
    ratio: part('meaning', 0.95) / bare,
    aim: '',
  };
  yield {
    what: 'the first of them, which tells the signs of all passages from their mean',
    ours: milliseconds(figures.firstMs),
    bare: milliseconds(bare),
    ratio: figures.firstMs / bare,
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
