import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const limitMsDefault = 60_000;
/** Of what takes long each look may come late by a tenth of the time; looks at a page or a service are not free. */
const pauseMs = { least: 5, share: 0.1, most: 100 };

/**
 * Limits are written for a machine on which each core has two processes to run; where there are more,
 * a limit grows with them, up to tenfold.
 */
export const onThisMachine = (limitMs: number): number =>
  Math.round(limitMs * Math.min(10, Math.max(1, loadavg()[0]! / (2 * availableParallelism()))));

type Unseen = false | null | undefined;

/**
 * Looks again and again until something holds, or is there; fails, naming it, at the limit. The pauses
 * leave the processor to what is waited for. @returns what was seen
 */
export async function eventually<T>(
  what: string | (() => string),
  look: () => Promise<T | Unseen> | T | Unseen,
  limitMs = limitMsDefault,
): Promise<T> {
  const started = performance.now();
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    const waited = performance.now() - started;
    if (waited > onThisMachine(limitMs))
      throw late(typeof what === 'string' ? what : what(), limitMs);
    await pause(Math.min(pauseMs.most, Math.max(pauseMs.least, waited * pauseMs.share)));
  }
}

/** What a promise resolves with; fails, naming it, when it takes longer than the limit. */
export async function within<T>(
  what: string,
  promise: Promise<T>,
  limitMs = limitMsDefault,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late(what, limitMs)), onThisMachine(limitMs));
  });
  return await Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

export const late = (what: string, limitMs: number): Error =>
  new Error(
    `not within ${limitMs / 1000} s, which are ${Math.round(onThisMachine(limitMs) / 1000)} s ` +
      `at a load of ${loadavg()[0]!.toFixed(1)}: ${what}`,
  );
