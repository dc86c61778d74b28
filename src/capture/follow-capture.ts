import { setTimeout as sleep } from 'node:timers/promises';
import { aborted } from '../shared/abort.ts';
import { StageError } from '../shared/errors.ts';
import { isNoSpace, isOfSystem } from '../storage/disk.ts';
import { readClaim, readNotes } from './file/capture-files.ts';
import { type Capture, type CaptureOrder, adoptCapture, startCapture } from './process/client.ts';
import type { CaptureStatus, EndReason } from './process/protocol.ts';

/** Why there will be no more audio. */
export type CaptureOutcome = {
  reason: EndReason | 'service-and-capture-died' | 'capture-died' | 'capture-not-started';
  channels: 1 | 2;
};

type FollowOptions = {
  /** What is wanted of the capture. Asked whenever something may have changed. */
  will: { paused(): boolean; stopping(): boolean };
  signal: AbortSignal;
  /** What a start needs. Called for each start. */
  prepare(): Promise<CaptureOrder>;
  onStatus(status: CaptureStatus): void;
  onRestart(): void;
  /** Hands out a function to call when `will` may have changed. */
  onPoke(poke: () => void): void;
  /** Reads what a capture left, again while the system cannot. */
  untilRead<T>(work: () => Promise<T>): Promise<T>;
};

/** A capture that died is started again so often, unless it lived for a while in between. */
const restartsMax = 3;
const healthyMs = 60_000;
/** Between starts that fail, milliseconds. */
const restartMs = 1000;

/**
 * Records into a folder until the recording is over: adopts the capture that runs there, or starts one,
 * and starts it again when it dies. Resolves with `null`, leaving the capture running, when `signal` aborts.
 * @throws {StageError} when the first start fails.
 */
export async function followCapture(
  folder: string,
  options: FollowOptions,
): Promise<CaptureOutcome | null> {
  const { will, signal, untilRead } = options;
  const claim = await untilRead(() => readClaim(folder));
  let channels = claim?.channels ?? 1;
  let order: CaptureOrder | null = null;
  let capture = await untilRead(() => adoptCapture(folder));
  if (!capture && claim) {
    // The service that started it died as well: it is unknown for how long nothing was recorded.
    const notes = await untilRead(() => readNotes(folder));
    const ended = notes?.claim === claim.claim ? notes.ended : null;
    return { reason: ended ?? 'service-and-capture-died', channels };
  }
  for (let restarts = 0; ; restarts += 1) {
    if (signal.aborted) return leave(capture);
    if (!capture) {
      if (will.stopping()) return { reason: 'stopped', channels };
      if (restarts > 0) options.onRestart();
      try {
        order = await prepareAgain(options, order);
        channels = order.channels;
        // A combined source takes a while to stand: it may have been stopped meanwhile.
        if (signal.aborted || will.stopping()) continue;
        capture = await startCapture(order);
      } catch (error) {
        if (restarts === 0 || !mayPass(error)) throw error;
        if (restarts >= restartsMax) return { reason: 'capture-not-started', channels };
        await sleep(restartMs, undefined, { signal }).catch(() => undefined); // seen above
        continue;
      }
    }
    const since = performance.now();
    const end = await untilEnd(capture, options);
    if (end === null) return leave(capture);
    if (end !== 'died') return { reason: end, channels };
    // Killed because it did not end when it was stopped: what it had is in the file.
    if (will.stopping()) return { reason: 'stopped', channels };
    capture = null;
    if (performance.now() - since > healthyMs) restarts = 0;
    if (restarts >= restartsMax) return { reason: 'capture-died', channels };
  }
}

/** What was captured so far is taken, whatever a start on top of it fails with. */
const mayPass = (error: unknown): boolean =>
  error instanceof StageError || isNoSpace(error) || isOfSystem(error);

/** What died with the audio server is started as it was: a capture waits for its device. */
async function prepareAgain(
  { prepare }: FollowOptions,
  before: CaptureOrder | null,
): Promise<CaptureOrder> {
  try {
    return await prepare();
  } catch (error) {
    if (before === null || !(error instanceof StageError)) throw error;
    return before;
  }
}

/** How the capture ended; null when it is to be left running. */
async function untilEnd(
  capture: Capture,
  { will, signal, onStatus, onPoke }: FollowOptions,
): Promise<Awaited<Capture['ended']> | null> {
  const poke = () => {
    if (will.stopping()) capture.stop();
    else if (will.paused()) capture.pause();
    else capture.resume();
  };
  const stopListening = capture.onStatus(onStatus);
  onStatus(capture.status());
  onPoke(poke);
  poke();
  try {
    return await Promise.race([capture.ended, aborted(signal)]);
  } finally {
    stopListening();
    onPoke(() => undefined);
  }
}

function leave(capture: Capture | null): null {
  capture?.release();
  return null;
}
