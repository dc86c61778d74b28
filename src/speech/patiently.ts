import { setTimeout as sleep } from 'node:timers/promises';
import { StageError } from '../shared/errors.ts';
import type { Waiting } from './engine.ts';
import { waitingCodes } from './remote/server-failure.ts';

/** How long and how often a server is tried. */
export type Patience = {
  /** How long a server may be away or busy before it counts as an error, in ms. */
  awayMs: number;
  /** Tries of a request that failed for another reason. */
  triesMax: number;
  /** First pause; it doubles up to `pauseMsMax`. */
  pauseMs: number;
  pauseMsMax: number;
};

export const defaultPatience: Patience = {
  awayMs: 30 * 60_000,
  triesMax: 3,
  pauseMs: 1000,
  pauseMsMax: 30_000,
};

/**
 * Runs `attempt` until it succeeds, where trying again can help. While a server is away `onWaiting`
 * says so, once; with `null` when it is back (or nothing more is tried).
 * @throws {StageError} the last failure; `engine-away` after `awayMs`; the abort reason at once.
 */
export async function patiently<T>(
  attempt: () => Promise<T>,
  {
    patience,
    signal,
    onWaiting = () => {},
  }: {
    patience: Patience;
    signal: AbortSignal;
    onWaiting?: ((waiting: Waiting | null) => void) | undefined;
  },
): Promise<T> {
  let failures = 0;
  let pause = patience.pauseMs;
  let awaySince: number | undefined;
  try {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await attempt();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof StageError) || !error.retriable) throw error;
        if (!waitingCodes.has(error.code)) {
          if (awaySince !== undefined) onWaiting(null);
          awaySince = undefined;
          failures += 1;
          if (failures >= patience.triesMax) throw error;
          pause = patience.pauseMs * 2 ** (failures - 1);
        } else if (awaySince === undefined) {
          awaySince = Date.now();
          pause = patience.pauseMs;
          onWaiting({ reason: error.message, since: new Date(awaySince).toISOString() });
        }
        const wait = Math.max(Math.min(pause, patience.pauseMsMax), error.retryAfterMs ?? 0);
        if (awaySince !== undefined && Date.now() + wait - awaySince > patience.awayMs)
          throw gaveUp(error, patience.awayMs);
        await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
        pause *= 2;
      }
    }
  } finally {
    if (awaySince !== undefined) onWaiting(null);
  }
}

function gaveUp(error: StageError, awayMs: number): StageError {
  const minutes = Math.round(awayMs / 60_000);
  return new StageError('engine-away', `${error.message} Waited ${minutes} minutes for it.`, {
    retriable: true,
    retryAfterMs: error.retryAfterMs,
    cause: error,
  });
}
