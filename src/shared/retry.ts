import { onAbort } from './abort.ts';
import { type Pauses, pauseAfter } from './pauses.ts';
import { StageError } from './errors.ts';
import type { Sentence } from '../words/params.ts';

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

type Repeating = {
  pauseMs: number;
  pausesFirst?: boolean;
  signal: AbortSignal;
  /** What `work` throws after the abort is none. */
  onFailure?: (error: unknown) => void;
};

/** Does `work` again and again, with a pause between. It ends when `signal` aborts, and never rejects. */
export async function repeatedly(
  work: () => Promise<void>,
  { pauseMs, pausesFirst = false, signal, onFailure = () => {} }: Repeating,
): Promise<void> {
  const pause = () => systemClock.wait(pauseMs, signal).catch(() => undefined);
  if (pausesFirst) await pause();
  while (!signal.aborted) {
    await work().catch((error: unknown) => {
      if (!signal.aborted) onFailure(error);
    });
    await pause();
  }
}

/** As `repeatedly`. @returns how to stop: what is being done is aborted, and has ended when it resolves */
export function keepDoing(
  work: (signal: AbortSignal) => Promise<void>,
  how: Omit<Repeating, 'signal'>,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const done = repeatedly(() => work(signal), { ...how, signal });
  return async () => {
    stopping.abort();
    await done;
  };
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

/** Wakes who pauses; whoever was at work when it rang does not pause the next time. */
export type Alarm = {
  ring(): void;
  /** So many milliseconds at most, and until the abort. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
};

export function openAlarm(): Alarm {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    async pause(ms, signal) {
      const forget = onAbort(signal, () => rung.abort());
      await systemClock.wait(ms, rung.signal).catch(() => undefined);
      forget();
      rung = new AbortController();
    },
  };
}

/** Why nothing goes on right now, and since when (RFC 3339). */
export type WaitingFor = { cause: Sentence; since: string };

/** Shows what is waited for; while it is shown, it keeps the time it began. */
export type WaitingSign = { show(cause: Sentence): void; clear(): void };

/** @param onWaiting null when nothing is waited for any more */
export function waitingSign(onWaiting: (waiting: WaitingFor | null) => void): WaitingSign {
  let since: string | undefined;
  return {
    show(cause) {
      since ??= new Date().toISOString();
      onWaiting({ cause, since });
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
      onRetry: (error) => error instanceof StageError && sign.show(error.sentence),
      ...(clock ? { clock } : {}),
    });
  } finally {
    sign.clear();
  }
}
