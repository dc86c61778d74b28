import { isTransient } from './projection-error.ts';

/** Pauses between tries, in milliseconds: doubled each time up to the maximum. */
const pauseMs = { first: 50, max: 5000 };

/**
 * Does something until it succeeds or fails for good. A transient failure is tried again after a
 * pause, as long as it takes (one try at a time): nothing is lost by waiting, the log has it all.
 * @param onRetry is told before each pause which error it was.
 * @throws what `attempt` threw when that was not transient; the signal's reason when aborted.
 */
export async function patiently<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  onRetry: (error: unknown) => void = () => {},
): Promise<T> {
  for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.max)) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error)) throw error;
      onRetry(error);
    }
    await pauseFor(pause, signal);
  }
}

/** Waits, or throws the signal's reason as soon as it aborts. */
function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abandon);
      resolve();
    }, ms);
    signal.addEventListener('abort', abandon, { once: true });
  });
}
