import { onAbort } from './abort.ts';
import { type Pauses, pauseAfter } from './pauses.ts';

/** Time as waiting needs it, so that tests need not wait. */
export type Clock = {
  /** Milliseconds of a clock that is never set back. */
  now(): number;
  /** @throws the signal's reason as soon as it aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

export type RetryOptions = {
  pauses: Pauses;
  signal: AbortSignal;
  /** Whether the same may succeed a little later; everything else is thrown at once. */
  isTransient(error: unknown): boolean;
  /** Milliseconds since the call began after which no further try begins; for ever by default. */
  limitMs?: (error: unknown, elapsedMs: number) => number;
  /** Milliseconds that the other side asked for; a longer wait than the limit allows is not begun. */
  askedMs?: (error: unknown) => number | undefined;
  /** Called before each pause. */
  onRetry?: (error: unknown) => void;
  clock?: Clock;
};

/**
 * Does `work` until it succeeds, one try at a time with growing pauses between them. The last try
 * comes at the limit, not before it.
 * @throws the last error; the signal's reason when aborted.
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { pauses, signal, clock = systemClock } = options;
  const began = clock.now();
  for (let waits = 0; ; waits += 1) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!options.isTransient(error)) throw error;
      const elapsedMs = clock.now() - began;
      const leftMs = (options.limitMs?.(error, elapsedMs) ?? Infinity) - elapsedMs;
      const askedMs = options.askedMs?.(error) ?? 0;
      if (leftMs <= 0 || askedMs > leftMs) throw error;
      options.onRetry?.(error);
      await clock.wait(Math.min(Math.max(pauseAfter(pauses, waits), askedMs), leftMs), signal);
    }
  }
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        forget();
        resolve();
      }, ms);
      const forget = onAbort(signal, (reason) => {
        clearTimeout(timer);
        reject(reason);
      });
    }),
};
