import { StageError, messageOf } from './errors.ts';
import type { Pauses } from './pauses.ts';
import { type Clock, retry } from './retry.ts';

/** What nothing goes on without right now: a sentence, and since when (RFC 3339). */
export type WaitingFor = { reason: string; since: string };

/** Shows what is waited for; while it is shown, it keeps the time it began. */
export type WaitingSign = { show(reason: string): void; clear(): void };

/** @param onWaiting null when nothing is waited for any more */
export function waitingSign(onWaiting: (waiting: WaitingFor | null) => void): WaitingSign {
  let since: string | undefined;
  return {
    show(reason) {
      since ??= new Date().toISOString();
      onWaiting({ reason, since });
    },
    clear() {
      if (since === undefined) return;
      since = undefined;
      onWaiting(null);
    },
  };
}

/** Before the second try of what a server failed at; doubled up to the maximum. */
const pausesMs = { first: 1000, max: 30_000 };

/**
 * How long a server that answers, but fails, is tried where nothing else can do its work: a speech
 * server, and a language model while a recording is processed again.
 */
export const failingServerMs = 600_000;

/**
 * Does the work of a stage again while it fails with a retriable StageError, as `retry`, and shows
 * meanwhile what is waited for. A server's `Retry-After` is kept to.
 * @throws what `work` throws; the signal's reason when aborted.
 */
export async function retryStage<T>(
  work: () => Promise<T>,
  {
    sign,
    ...options
  }: {
    limitMs: (error: StageError, elapsedMs: number) => number;
    sign: WaitingSign;
    signal: AbortSignal;
    pauses?: Pauses | undefined;
    clock?: Clock | undefined;
  },
): Promise<T> {
  const { signal, clock, pauses = pausesMs } = options;
  try {
    return await retry(work, {
      pauses,
      signal,
      isTransient: (error) => error instanceof StageError && error.retriable,
      limitMs: (error, elapsedMs) =>
        error instanceof StageError ? options.limitMs(error, elapsedMs) : 0,
      askedMs: (error) => (error instanceof StageError ? error.retryAfterMs : undefined),
      onRetry: (error) => sign.show(messageOf(error)),
      ...(clock ? { clock } : {}),
    });
  } finally {
    sign.clear();
  }
}
