import { setTimeout as sleep } from 'node:timers/promises';
import { late, onThisMachine } from './eventually.ts';

/**
 * Waits until something can be observed; fails, naming it, when it has not happened in time.
 * @param limitMs on a machine that is not busy; longer on one that is
 */
export async function until<T>(
  what: string | (() => string),
  observe: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  limitMs = 20_000,
): Promise<T> {
  const started = performance.now();
  for (;;) {
    const seen = await observe();
    if (seen) return seen;
    if (performance.now() - started > onThisMachine(limitMs))
      throw late(typeof what === 'string' ? what : what(), limitMs);
    await sleep(20);
  }
}
