/** Who needs files to stay where they are, and who moves them, keep out of each other's way. */
export interface FilesLock {
  /** Runs `work` while nobody moves files; as many at once as like. */
  whileFilesStay<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work`, which moves files, alone. Who comes for `whileFilesStay` meanwhile waits for it.
   * @throws the signal's reason when aborted while it waits
   */
  movingFiles<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Waiting needs no limit of its own: whoever moves files does so one at a time, and readers are commands. */
export function filesLock(): FilesLock {
  let readers = 0;
  let moving: Promise<unknown> | null = null;
  /** Told when the last reader has gone, or whoever moved files has done. */
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
    let stop = nothing;
    await new Promise<void>((resolve, reject) => {
      const abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      waiting.add(resolve);
      stop = () => {
        signal.removeEventListener('abort', abort);
        waiting.delete(resolve);
      };
    }).finally(() => stop());
  }
}

const nothing = (): void => {};
