/**
 * Calls `act` with the signal's reason when it aborts, at once when it has.
 * @returns how to stop listening
 */
export function onAbort(signal: AbortSignal, act: (reason: Error) => void): () => void {
  const abort = (): void => act(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

/** Resolves when a signal aborts, at once when it has. */
export const aborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => onAbort(signal, () => resolve(null)));

/** What a promise settles with; rejects with the signal's reason as soon as that aborts. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, reject);
    promise.finally(forget).then(resolve, reject);
  });
}

/** Whether an error says that something was aborted. */
export const isAbort = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AbortError';

/**
 * What a promise settles with, or what `late` returns or throws when it has not settled after so many milliseconds: then the
 * work goes on, and no one waits for it.
 */
export async function inTime<T, L>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return await Promise.race([work, over.then(late)]).finally(() => clearTimeout(timer));
}
