import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { countFrom, milliseconds, percentile, type Measured } from './measure.ts';
import type { IndexFigures } from './search-index.ts';

export const about = 'the index of one user’s transcripts, against bare MiniSearch';
export const throughBuild = false;

const run = promisify(execFile);
const questions = 200;
const sizes = [1000, countFrom('BENCH_TRANSCRIPTS', 10_000)];

/** The same transcripts and questions for both, each in a process of its own. */
export async function* bench(): AsyncIterable<Measured> {
  for (const transcripts of sizes) {
    const ours = await figuresOf('ours', transcripts);
    const bare = await figuresOf('bare', transcripts);
    yield* compared(transcripts.toLocaleString('en'), ours, bare);
  }
}

function* compared(
  transcripts: string,
  ours: IndexFigures,
  bare: IndexFigures,
): Iterable<Measured> {
  const [mine, theirs] = [ours, bare].map((figures) => percentile(figures.questions, 0.95));
  yield {
    what: `search of ${transcripts} transcripts, p95 of ${questions} questions, against bare MiniSearch`,
    ours: milliseconds(mine!),
    bare: milliseconds(theirs!),
    ratio: mine! / theirs!,
    aim: '≤ 100 ms',
    met: mine! <= 100,
  };
  yield {
    what: `memory of that index`,
    ours: `${Math.round(ours.bytes / 1e6)} MB`,
    bare: `${Math.round(bare.bytes / 1e6)} MB`,
    ratio: ours.bytes / bare.bytes,
    aim: '',
  };
  yield {
    what: 'a transcript of 1,500 words into it',
    ours: milliseconds(ours.perTranscriptMs),
    bare: milliseconds(bare.perTranscriptMs),
    ratio: ours.perTranscriptMs / bare.perTranscriptMs,
    aim: '',
  };
}

async function figuresOf(who: 'ours' | 'bare', transcripts: number): Promise<IndexFigures> {
  const script = join(import.meta.dirname, 'search-index.ts');
  const node = ['--expose-gc', '--max-old-space-size=4096', '--import', 'tsx'];
  const { stdout } = await run(process.execPath, [
    ...node,
    script,
    who,
    String(transcripts),
    String(questions),
  ]);
  return JSON.parse(stdout) as IndexFigures;
}
