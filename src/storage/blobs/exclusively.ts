import type { Ownership } from '../../../events/ownership.ts';
import { retry } from '../../shared/retry.ts';
import { BlobsError } from './blobs.ts';

/** Does something while no other process does anything under the same name. */
export type Exclusively = <T>(
  name: string,
  /** @param lost aborts when another process may have begun: nothing may be written from then on */
  work: (lost: AbortSignal) => Promise<T>,
) => Promise<T>;

/** How long a name is waited for, in milliseconds: longer than the longest lease. */
const waitMs = 30_000;
const pauses = { first: 10, max: 250 };

class NameIsHeld extends Error {}

/**
 * @returns what claims a name, waits for it for half a minute at most, and gives it back
 * @throws (from what is returned) {BlobsError} `BLOBS_AWAY` when another holds the name all the time; what claiming and `work` throw
 */
export function exclusivelyBy(ownership: Ownership): Exclusively {
  const { signal } = new AbortController();
  return async (name, work) => {
    const held = await retry(
      async () => {
        const claimed = await ownership.claim(name, signal);
        if (claimed === null) throw new NameIsHeld();
        return claimed;
      },
      {
        pauses,
        signal,
        isTransient: (error) => error instanceof NameIsHeld,
        limitMs: () => waitMs,
      },
    ).catch((error: unknown) => {
      if (!(error instanceof NameIsHeld)) throw error;
      throw new BlobsError('BLOBS_AWAY', 'Another node works on the same file. Try again.');
    });
    try {
      return await work(held.lost);
    } finally {
      await held.release();
    }
  };
}
