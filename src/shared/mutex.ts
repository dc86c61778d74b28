import pLimit from 'p-limit';

/** Runs work in the order given, when there is room for it. A failure is only its caller's. */
export type Limited = <T>(work: () => Promise<T>) => Promise<T>;

/** Too much waits already; nothing was begun. */
export class Busy extends Error {
  override name = 'Busy';
  readonly code = 'BUSY';
  /** Seconds after which to try again. */
  readonly retryAfter = 2;
  constructor() {
    super('Too many requests wait already. Try again in a moment.');
  }
}

/**
 * Runs one piece of work at a time. As many wait as call: callers limit themselves (as sockets and
 * stages are limited).
 */
export const mutex = (): Limited => limited(1);

/** As `mutex`, for each name. A name on which no work is done or waits takes no memory. */
export function mutexByName(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { inTurn: Limited; count: number }>();
  return async (name, work) => {
    const queue = queues.get(name) ?? { inTurn: mutex(), count: 0 };
    queues.set(name, queue);
    queue.count += 1;
    try {
      return await queue.inTurn(work);
    } finally {
      queue.count -= 1;
      if (queue.count === 0) queues.delete(name);
    }
  };
}

/**
 * Runs at most `atOnceMax` pieces of work at a time; at most `waitingMax` wait.
 * @throws {Busy} when more would wait
 */
export function limited(atOnceMax: number, waitingMax = Number.POSITIVE_INFINITY): Limited {
  const limit = pLimit(atOnceMax);
  return async (work) => {
    if (limit.activeCount >= atOnceMax && limit.pendingCount >= waitingMax) throw new Busy();
    return await limit(work);
  };
}

/** One after the other; the first error is thrown when all have been tried. */
export async function inOrder(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
