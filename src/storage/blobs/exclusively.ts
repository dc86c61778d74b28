import type { Ownership } from '../../../events/ownership.ts';
import { mutexByName } from '../../shared/mutex.ts';
import { retry } from '../../shared/retry.ts';
import { BlobsError } from './blobs.ts';

/** Does something while nothing else is done under the same name, in this process or in another. */
export type Exclusively = <T>(
  name: string,
  /** @param lost aborts when another process may have begun: nothing may be written from then on */
  work: (lost: AbortSignal) => Promise<T>,
) => Promise<T>;

/** How long a name is waited for that another process holds, in milliseconds: longer than the longest lease. */
const waitMs = 30_000;
const pauses = { first: 10, max: 250 };

class NameIsHeld extends Error {}

/**
 * @returns what claims a name, waits for it for half a minute at most, and gives it back; calls of this process go one
 *   after the other, as long as that takes
 * @throws (from what is returned) {BlobsError} `BLOBS_AWAY` when another holds the name all the time; what claiming and `work` throw
 */
export function exclusivelyBy(ownership: Ownership): Exclusively {
  const { signal } = new AbortController();
  const inTurn = mutexByName();
  return (name, work) => inTurn(name, () => claimed(name, work));

  async function claimed<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    const held = await retry(
      async () => {
        const granted = await ownership.claim(name, signal);
        if (granted === null) throw new NameIsHeld();
        return granted;
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
  }
}
