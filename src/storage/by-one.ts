/**
 * Has one of all nodes do what would be the same at each, and gives the others what came of it. Null: another is at it now.
 * @param how.withinMs what was done in the last so many milliseconds is not done again
 * @param work what comes of it is JSON; it ends with its signal
 * @throws what `work` throws; {EventStoreError} `BUSY`
 */
export type ByOne = <T>(
  task: string,
  how: { withinMs: number; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
) => Promise<DoneByOne<T> | null>;

/** What came of it. Milliseconds. */
export type DoneByOne<T> = {
  value: T;
  /** Since it began. */
  agoMs: number;
  tookMs: number;
  /** Whether it was done here and now. */
  isMine: boolean;
};

/** Of a process that is alone. @param now monotonic milliseconds; for tests */
export const byItself =
  (now: () => number = () => performance.now()): ByOne =>
  async (_task, { signal }, work) => {
    const began = now();
    const value = await work(signal);
    const tookMs = now() - began;
    return { value, agoMs: tookMs, tookMs, isMine: true };
  };
