import { setTimeout as sleep } from 'node:timers/promises';
import { StageError } from '../stage-error.ts';
import { adoptCapture, startCapture, type CaptureOrder } from './capture-client.ts';
import type { Capture } from './capture-connection.ts';
import { readClaim, readNotes } from './capture-files.ts';
import type { CaptureStatus, EndReason } from './capture-protocol.ts';

/** Why there will be no more audio. */
export type CaptureOutcome = {
  reason: EndReason | 'service-and-capture-died' | 'capture-died' | 'capture-not-started';
  channels: 1 | 2;
};

/** What is wanted of a capture while it is followed; asked whenever something may have changed. */
export type CaptureWill = { paused(): boolean; stopping(): boolean };

/** A capture that died is started again so often, if it did not live for long in between. */
const restartsMax = 3;
const healthyMs = 60_000;
/** Between starts that fail, milliseconds. */
const restartMs = 1000;

/**
 * Records into a folder until it is over: takes up what is running there, or starts it; starts it again
 * when it dies. Ends with `null`, leaving the capture running, when `signal` aborts.
 * @param will see `poke`. @param prepare what a start needs, made anew for each.
 * @throws {StageError} when the first start fails.
 */
export async function followCapture(
  folder: string,
  options: {
    will: CaptureWill;
    signal: AbortSignal;
    prepare(): Promise<CaptureOrder>;
    onStatus(status: CaptureStatus): void;
    onRestart(): void;
    /** Hands out a function to be called when the will may have changed. */
    onHeld(poke: () => void): void;
  },
): Promise<CaptureOutcome | null> {
  const { will, signal, prepare } = options;
  const claim = await readClaim(folder);
  let channels = claim?.channels ?? 1;
  let order: CaptureOrder | null = null;
  let capture = await adoptCapture(folder);
  if (!capture && claim) {
    // Whoever started it is dead as well, so nobody knows for how long nothing was recorded.
    const notes = await readNotes(folder);
    const ended = notes?.claim === claim.claim ? notes.ended : null;
    return { reason: ended ?? 'service-and-capture-died', channels };
  }
  for (let restarts = 0; ; restarts += 1) {
    if (signal.aborted) return leave(capture);
    if (!capture) {
      if (will.stopping()) return { reason: 'stopped', channels };
      if (restarts > 0) options.onRestart();
      try {
        order = await prepareAgain(order);
        channels = order.channels;
        capture = await startCapture(order);
      } catch (error) {
        if (restarts === 0 || !(error instanceof StageError)) throw error;
        if (restarts >= restartsMax) return { reason: 'capture-not-started', channels };
        await sleep(restartMs, undefined, { signal }).catch(() => undefined); // seen above
        continue;
      }
    }
    const since = performance.now();
    const end = await hold(capture);
    if (end === null) return leave(capture);
    if (end !== 'died') return { reason: end, channels };
    // Killed because it did not end when it was told to: what it had is in the file.
    if (will.stopping()) return { reason: 'stopped', channels };
    capture = null;
    if (performance.now() - since > healthyMs) restarts = 0;
    if (restarts >= restartsMax) return { reason: 'capture-died', channels };
  }

  /** What died with the audio server is started as it was: a capture waits for its device. */
  async function prepareAgain(before: CaptureOrder | null): Promise<CaptureOrder> {
    try {
      return await prepare();
    } catch (error) {
      if (before === null || !(error instanceof StageError)) throw error;
      return before;
    }
  }

  /** Until it ends, or until it is to be left. */
  async function hold(held: Capture): Promise<Awaited<Capture['ended']> | null> {
    const poke = () => {
      if (will.stopping()) held.stop();
      else if (will.paused()) held.pause();
      else held.resume();
    };
    const forget = held.onStatus(options.onStatus);
    options.onStatus(held.status());
    options.onHeld(poke);
    poke();
    let left: (value: null) => void;
    const aborted = new Promise<null>((resolve) => (left = resolve));
    const leaveIt = () => left(null);
    signal.addEventListener('abort', leaveIt, { once: true });
    if (signal.aborted) leaveIt();
    try {
      return await Promise.race([held.ended, aborted]);
    } finally {
      forget();
      signal.removeEventListener('abort', leaveIt);
      options.onHeld(() => undefined);
    }
  }

  function leave(held: Capture | null): null {
    held?.release();
    return null;
  }
}
