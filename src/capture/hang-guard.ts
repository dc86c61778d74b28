import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what a device does, which hangs while the audio server does. */
export interface HangGuard {
  /** Whether the device did not answer in time. */
  readonly hung: boolean;
  /**
   * What the work comes to, however long it takes; once the end is wanted, null if that takes too long.
   * @throws whatever the work rejects with.
   */
  wait<T>(work: Promise<T>): Promise<T | null>;
}

/**
 * @param quitMs how long a device may take once the end is wanted, milliseconds.
 * @param ending whether the end is wanted.
 * @param changed resolves when that is to be asked again.
 */
export function hangGuard(
  quitMs: number,
  ending: () => boolean,
  changed: () => Promise<void>,
): HangGuard {
  let hung = false;
  return {
    get hung() {
      return hung;
    },
    async wait(work) {
      const settled = work.then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      while (!ending()) {
        const first = await Promise.race([settled, changed().then(() => null)]);
        if (first) return unwrap(first);
      }
      // Once is enough: who did not answer then does not answer now.
      if (hung) return null;
      const late = await Promise.race([settled, sleep(quitMs, null, { ref: false })]);
      if (late) return unwrap(late);
      hung = true;
      return null;
    },
  };
}

function unwrap<T>(settled: { value: T } | { error: unknown }): T {
  if ('error' in settled) throw settled.error;
  return settled.value;
}
