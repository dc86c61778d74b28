/** Compares two versions beside the page, which can be read and used meanwhile. */
import type { Comparison, Said } from './word-diff.ts';
// oxlint-disable-next-line import/default -- Vite gives the address of what it makes of it
import workerAddress from './word-diff-worker.ts?worker&url';

/** A comparison that takes longer is given up, milliseconds. */
const withinMs = 30_000;

/**
 * @param signal gives it up: then it is never answered
 * @returns null when it cannot be said in time
 */
export function compareBeside(
  before: readonly Said[],
  after: readonly Said[],
  signal: AbortSignal,
): Promise<Comparison | null> {
  const worker = new Worker(workerAddress, { type: 'module' });
  return new Promise<Comparison | null>((resolve, reject) => {
    const timer = setTimeout(() => end(() => resolve(null)), withinMs);
    const end = (answer: () => void) => {
      clearTimeout(timer);
      worker.terminate();
      answer();
    };
    signal.addEventListener('abort', () => end(() => undefined), { once: true });
    worker.addEventListener('message', ({ data }: MessageEvent<Comparison | null>) =>
      end(() => resolve(data)),
    );
    worker.addEventListener('error', ({ message }) => end(() => reject(new Error(message))));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- to a worker, not to a window
    worker.postMessage([before, after]);
  });
}
