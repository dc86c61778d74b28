import { untilAborted } from '../shared/abort.ts';

/** Keeps those who need files to stay where they are apart from those who move them. */
export interface FilesLock {
  /** Runs `work` while no files are moved; any number at once. */
  whileFilesStay<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work`, which moves files, alone. `whileFilesStay` waits for it meanwhile.
   * @throws the signal's reason when aborted while it waits
   */
  movingFiles<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

const nothing = (): void => {};

/** Waiting needs no separate limit: files are moved one at a time, and readers are commands. */
export function filesLock(): FilesLock {
  let readers = 0;
  let moving: Promise<unknown> | null = null;
  /** Called when the last reader has gone, or files have been moved. */
  const waiting = new Set<() => void>();

  return {
    async whileFilesStay(work) {
      while (moving !== null) await moving;
      readers += 1;
      try {
        return await work();
      } finally {
        readers -= 1;
        wake();
      }
    },
    async movingFiles(work, signal) {
      while (readers > 0 || moving !== null) await change(signal);
      signal.throwIfAborted();
      const mine = work();
      // Who waits for it waits for its end, however it ends.
      const ended = mine.then(nothing, nothing);
      moving = ended;
      try {
        return await mine;
      } finally {
        moving = null;
        wake();
      }
    },
  };

  function wake(): void {
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  async function change(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let wakeUp = nothing;
    const woken = new Promise<void>((resolve) => waiting.add((wakeUp = resolve)));
    await untilAborted(woken, signal).finally(() => waiting.delete(wakeUp));
  }
}
