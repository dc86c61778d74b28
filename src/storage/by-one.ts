import type { Ownership } from '../../events/ownership.ts';
import type { Kept, KeptKind } from './kept.ts';

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

/** What came of the last time, by task. Longer than any task rests. */
const lastTimes: KeptKind<Pick<LastTime<unknown>, 'doneAt'>> = {
  name: 'done-by-one',
  endsAt: ({ doneAt }) => doneAt + 7 * 24 * 3_600_000,
  volatileMax: 100,
  keys: 'plain',
};

type LastTime<T> = { value: T; doneAt: number; tookMs: number };

/** Who does a task holds its name. */
export function openByOne(kept: Kept, ownership: Ownership): ByOne {
  return async <T>(
    task: string,
    { withinMs, signal }: Parameters<ByOne>[1],
    work: (signal: AbortSignal) => Promise<T>,
  ) => {
    const rows = kept.of<LastTime<T>>(lastTimes);
    const look = () =>
      rows.change([task], ([last], now) => {
        const isRecent = last !== undefined && last.doneAt > now - withinMs;
        const done = isRecent
          ? {
              value: last.value,
              agoMs: now - last.doneAt + last.tookMs,
              tookMs: last.tookMs,
              isMine: false,
            }
          : null;
        return { result: { done, now } };
      });
    const before = await look();
    if (before.done) return before.done;
    const held = await ownership.claim(task, signal);
    if (held === null) return null;
    try {
      // Another one may have ended meanwhile.
      const meanwhile = await look();
      if (meanwhile.done) return meanwhile.done;
      const value = await work(AbortSignal.any([signal, held.lost]));
      return await rows.change([task], (_, now) => {
        const tookMs = Math.max(0, now - meanwhile.now);
        const result = { value, agoMs: tookMs, tookMs, isMine: true };
        return { keep: [{ value, doneAt: now, tookMs }], result };
      });
    } finally {
      await held.release();
    }
  };
}
