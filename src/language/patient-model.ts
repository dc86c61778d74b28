import { setTimeout as delay } from 'node:timers/promises';
import { StageError } from '../shared/errors.ts';
import type { LanguageModel } from './model.ts';

/** Time, so that tests need not wait. */
export type Clock = {
  /** Milliseconds of a clock that is never set back. */
  now(): number;
  /** @throws AbortError when aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

export type PatienceOptions = {
  /** How long, from now, failures that may pass are waited out. 0: one try. */
  limitMs: number;
  /** What is waited for, and since when (RFC 3339); null when the waiting is over. */
  onWaiting: (waiting: { reason: string; since: string } | null) => void;
  signal: AbortSignal;
  clock?: Clock;
};

const firstWaitMs = 1000;
const waitMaxMs = 30_000;

/**
 * Does a job again while it fails with a retriable StageError, waiting 1, 2, 4, … up to 30 s in
 * between, or as long as the server asks. Gives up when the limit leaves no room for another try,
 * with the last failure.
 * @throws what the job throws; AbortError when aborted.
 */
export async function withPatience<T>(job: () => Promise<T>, options: PatienceOptions): Promise<T> {
  const { signal, clock = systemClock } = options;
  const deadline = clock.now() + options.limitMs;
  let since: string | undefined;
  try {
    for (let backOffMs = firstWaitMs; ; backOffMs = Math.min(backOffMs * 2, waitMaxMs)) {
      signal.throwIfAborted();
      try {
        return await job();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof StageError) || !error.retriable) throw error;
        const leftMs = deadline - clock.now();
        const askedMs = error.retryAfterMs ?? 0;
        if (leftMs <= 0 || askedMs > leftMs) throw error;
        since ??= new Date().toISOString();
        options.onWaiting({ reason: error.message, since });
        await clock.wait(Math.min(Math.max(backOffMs, askedMs), leftMs), signal);
      }
    }
  } finally {
    if (since !== undefined) options.onWaiting(null);
  }
}

/**
 * A language model that waits out failures that may pass, each request for itself: when it comes
 * back, a long job goes on where it was. Requests that are running at once share no patience.
 */
export function patientModel(
  model: LanguageModel,
  options: Omit<PatienceOptions, 'signal'>,
): LanguageModel {
  return {
    queue: model.queue,
    get model() {
      return model.model;
    },
    contextTokens: (signal) =>
      withPatience(() => model.contextTokens(signal), { ...options, signal }),
    complete: (completion, signal) =>
      withPatience(() => model.complete(completion, signal), { ...options, signal }),
  };
}

const systemClock: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) => delay(ms, undefined, { signal }),
};
