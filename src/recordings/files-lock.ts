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

/** Waiting needs no separate limit: files are moved one at a time, and readers are commands. */
export function filesLock(): FilesLock {
  const staying = new Set<Promise<void>>();
  const moving = new Set<Promise<void>>();
  return {
    async whileFilesStay(work) {
      while (moving.size > 0) await Promise.race(moving);
      return await during(staying, work);
    },
    async movingFiles(work, signal) {
      while (staying.size + moving.size > 0)
        await untilAborted(Promise.race([...staying, ...moving]), signal);
      signal.throwIfAborted();
      return await during(moving, work);
    },
  };
}

/** Who waits for `work` waits for its end, however it ends. */
async function during<T>(running: Set<Promise<void>>, work: () => Promise<T>): Promise<T> {
  const mine = work();
  const ended = mine.then(nothing, nothing);
  running.add(ended);
  try {
    return await mine;
  } finally {
    running.delete(ended);
  }
}

const nothing = (): void => {};
