import { mutexByName } from '../src/shared/mutex.ts';
import { retry } from '../src/shared/retry.ts';
import { BlobsError } from '../src/storage/blobs/blobs.ts';

/**
 * Who may act under a name: at any moment one holder at most, among all processes that share a log. Names:
 * `recording:<id>`, `projector:<versions>`, `space:<owner>`, `upload:<id>`. `test/events/ownership-contract.ts` says what each must hold to.
 */
export interface Ownership {
  /**
   * Takes a name if it is free. Does not wait for its holder: null while it is held, also by this process.
   * @param signal gives up asking, and then throws its reason; what was granted by then is released
   * @throws what the other side says; nothing is held then
   */
  claim(name: string, signal: AbortSignal): Promise<Held | null>;
  /**
   * Those of these names that no process holds, with how long ago the first of all processes found that, in milliseconds.
   * Infinity where only one process can hold names: who held them before is gone for good.
   * @throws what the other side says
   */
  freeFor(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** A name that is held, until it is released or lost. */
export type Held = {
  /**
   * Aborts at once when another process may hold the name from then on: everything that was begun under it
   * stops. Releasing does not abort it.
   */
  readonly lost: AbortSignal;
  /** Gives the name back; resolves when it can be claimed again. Does nothing when it is lost or was given back. */
  release(): Promise<void>;
};

/** The ownership of a log that only one process can open: a name is free unless it is held here. */
export function soleOwnership(): Ownership {
  const held = new Map<string, symbol>();
  return {
    freeFor: async (names) =>
      new Map(names.filter((name) => !held.has(name)).map((name) => [name, Infinity])),
    async claim(name, signal) {
      signal.throwIfAborted();
      if (held.has(name)) return null;
      const claim = Symbol(name);
      held.set(name, claim);
      return {
        lost: new AbortController().signal,
        async release() {
          if (held.get(name) === claim) held.delete(name);
        },
      };
    },
  };
}

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
