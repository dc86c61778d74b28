import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { preloadable } from '../faults/power-loss.ts';
import type { AppendRates } from './append-rates.ts';
import { countFrom, perSecond, type Measured } from './measure.ts';

export const about = 'durable appends, against synced batches of bare classic-level';
export const throughBuild = false;

const run = promisify(execFile);
const many = countFrom('BENCH_APPENDS', 20_000);

type Counts = { single: number; many: number; repetitions: number };

/** On this disk, and on one whose syncs take 5 ms more. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    yield* appending(root, { single: many / 4, many, repetitions: 8 });
    const slow = { LD_PRELOAD: await preloadable('calls.c', root), SLOW_SYNC_MS: '5' };
    yield* appending(root, { single: many / 100, many, repetitions: 2 }, slow);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function* appending(
  root: string,
  { single, many, repetitions }: Counts,
  slow: Record<string, string> = {},
): AsyncIterable<Measured> {
  const disk = slow['SLOW_SYNC_MS'] ? `, ${slow['SLOW_SYNC_MS']} ms more a sync` : '';
  const folder = await mkdtemp(join(root, 'appends-'));
  const script = join(import.meta.dirname, 'append-rates.ts');
  const counts = [single, many, repetitions].map(String);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', script, folder, ...counts], {
    env: { ...process.env, ...slow },
  });
  const { one, hundred } = JSON.parse(stdout) as AppendRates;
  for (const [writers, count, best] of [
    ['1 writer', single, one],
    ['100 writers', many, hundred],
  ] as const) {
    yield {
      what: `durable appends, ${writers}${disk}, against synced batches of the same records`,
      ours: perSecond(count, best.ours),
      bare: perSecond(count, best.bare),
      ratio: best.bare / best.ours,
      aim: '≥ 0.8',
    };
  }
  yield {
    what: `durable appends, 100 writers against 1${disk}`,
    ours: perSecond(many, hundred.ours),
    bare: perSecond(single, one.ours),
    ratio: one.ours / single / (hundred.ours / many),
    aim: '≥ 5',
  };
}
