import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { speechOf } from './long-speech.ts';
import { countFrom, type Measured } from './measure.ts';
import { peakMemory } from './peak-memory.ts';

export const about = 'peak memory while a long file becomes documents, against a short one';
export const throughBuild = true;

const longMinutes = countFrom('BENCH_LONG_MINUTES', 120);

/** Resident memory of the service and of its engine process, at most. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    const short = await peakMemory(root, await speechOf(120, join(root, 'short.wav')));
    const long = await peakMemory(root, await speechOf(longMinutes * 60, join(root, 'long.wav')));
    for (const who of ['service', 'engine', 'together'] as const) {
      yield {
        what: `peak memory (${who}), a file of ${longMinutes} minutes against one of 2`,
        ours: `${Math.round(long[who])} MiB`,
        bare: `${Math.round(short[who])} MiB`,
        ratio: long[who] / short[who],
        aim: who === 'together' ? '≤ 1.3' : '',
      };
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
