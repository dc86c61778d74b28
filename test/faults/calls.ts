import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HasEnd, tempDir } from '../support/temp-dir.ts';
import { preloadable } from './power-loss.ts';

/** What makes things durable, or puts them in their place. */
export type DurableCall = 'fsync' | 'fdatasync' | 'rename' | 'unlink';

/** Environments under which a process is killed, watched or slowed at such calls (`calls.c`). */
export type Calls = {
  /** Killed before it makes the call for the n-th time. */
  dieAt(call: DurableCall, nth: number): Record<string, string>;
  /** Counts them; `made` reads the counts when the process has ended in order. */
  counted(): { env: Record<string, string>; made(): Promise<Record<DurableCall, number>> };
  /** Each sync takes so many milliseconds longer. */
  slow(ms: number): Record<string, string>;
};

/** Builds what is preloaded, in a folder of its own. */
export async function durableCalls(t: HasEnd): Promise<Calls> {
  const folder = await tempDir(t);
  const LD_PRELOAD = await preloadable('calls.c', folder);
  return {
    dieAt: (call, nth) => ({ LD_PRELOAD, CALLS_DIE_AT: `${call}:${nth}` }),
    counted() {
      const file = join(folder, 'counted');
      return {
        env: { LD_PRELOAD, CALLS_COUNTED: file },
        async made() {
          const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
          const pairs = lines.map((line) => line.split(' '));
          return Object.fromEntries(pairs.map(([call, count]) => [call, Number(count)])) as Record<
            DurableCall,
            number
          >;
        },
      };
    },
    slow: (ms) => ({ LD_PRELOAD, SLOW_SYNC_MS: String(ms) }),
  };
}
