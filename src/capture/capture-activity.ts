import { setTimeout as sleep } from 'node:timers/promises';
import { privateDirectory } from '../shared/files.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import type { Log } from '../shared/log.ts';
import type { Job, StageActivity } from '../recordings/stages/run-stage.ts';
import { StageError } from '../shared/errors.ts';
import type { BrowserCaptures } from './browser/browser-captures.ts';
import { combinedDevice } from './device/alsa-config.ts';
import { type Capture, type CaptureOrder, adoptCapture, startCapture } from './process/client.ts';
import { finishedAudio, readClaim, readNotes, removeCaptureFiles } from './file/capture-files.ts';
import type { CaptureStatus, EndReason } from './process/protocol.ts';
import type { CombinedSource } from './pulse/combined-source.ts';
import { keepCombined } from './pulse/keep-combined.ts';
import { endUnwanted } from './reconcile-captures.ts';
import type { Held, HeldDevices } from './device/reservations.ts';
import { followWishes, readWishes } from './control-state.ts';

export type CaptureActivityDeps = {
  store: EventStore;
  log: Log;
  devices: HeldDevices;
  combined: CombinedSource;
  /** Recordings that come from no device of this host. */
  browser: BrowserCaptures;
  folderOf(recordingId: string): string;
  /** What a capture of the device is started with; the combined source stands already. */
  orderFor(device: string, folder: string): Promise<CaptureOrder>;
  /** Tears the combined source down; never throws. */
  dismantle(): Promise<void>;
  /** The service goes, the capture of this device stays. */
  onLeft(device: string): void;
  env?: NodeJS.ProcessEnv | undefined;
};

/**
 * The stage `capture`. It never says `stage.started`: the work is done in a process of its own, so a
 * death of the service is no fault of the recording's, and a live recording must not wait for a turn.
 */
export function captureActivity(deps: CaptureActivityDeps): StageActivity {
  const { store, log, devices, combined, env, folderOf } = deps;

  return async (job) => {
    const { recordingId } = job;
    const wishes = await readWishes(store, recordingId);
    if (wishes.device === null) return await deps.browser.activity(job, wishes);
    const held = devices.hold(wishes.device, recordingId);
    held.wishes = wishes;
    const over = new AbortController();
    try {
      void follow(held, over.signal);
      const outcome = await record(held, job, over.signal);
      over.abort();
      if (outcome === null) return await leave(held);
      if (held.device === combinedDevice) await deps.dismantle();
      await appendAudio(held, job, outcome);
    } catch (error) {
      held.failure = error;
      throw error;
    } finally {
      over.abort();
      devices.giveBack(recordingId);
    }
  };

  /** Pausing and resuming take effect as the log tells of them, in whatever life of the service. */
  async function follow(held: Held, signal: AbortSignal): Promise<void> {
    try {
      await followWishes(store, held.recordingId, held.wishes!, signal, (next) => {
        held.wishes = next;
        held.poke();
      });
    } catch (error) {
      if (signal.aborted || isClosed(error)) return;
      log.error({ err: error, recordingId: held.recordingId }, 'following a recording in the log');
    }
  }

  async function record(held: Held, job: Job, over: AbortSignal): Promise<CaptureOutcome | null> {
    const folder = folderOf(held.recordingId);
    await privateDirectory(folder);
    let kept = held.device !== combinedDevice;
    let last: CaptureStatus | undefined;
    const outcome = await followCapture(folder, {
      will: {
        paused: () => held.wishes?.paused ?? false,
        stopping: () => held.stopping,
      },
      signal: job.signal,
      async prepare() {
        if (held.device === combinedDevice) await combined.build();
        return await deps.orderFor(held.device, folder);
      },
      onStatus(status) {
        last = status;
        held.take(status);
        if (kept) return;
        kept = true;
        keepCombined({
          combined,
          env,
          log,
          signal: over,
          onState: (problem) => held.warn('combined-incomplete', problem),
        });
      },
      onRestart() {
        log.warn({ recordingId: held.recordingId }, 'a capture died and is started again');
        held.warn('capture-restarted', 'The recording was interrupted and goes on.');
      },
      onHeld: (poke) => (held.poke = poke),
    });
    // The log may take a while to be told, on a full disk until there is room: nothing is captured meanwhile.
    if (outcome && last) held.take({ ...last, state: 'stopping', level: null });
    return outcome;
  }

  /** The machine has moved on, or the service stops; only the first ends the capture. */
  async function leave(held: Held): Promise<void> {
    try {
      const { discarded } = await readWishes(store, held.recordingId);
      if (!discarded) return deps.onLeft(held.device);
    } catch (error) {
      if (isClosed(error)) return deps.onLeft(held.device);
      throw error;
    }
    await endUnwanted(folderOf(held.recordingId), { audio: true });
    if (held.device === combinedDevice) await deps.dismantle();
  }

  async function appendAudio(held: Held, job: Job, outcome: CaptureOutcome): Promise<void> {
    const folder = folderOf(job.recordingId);
    const { reason } = outcome;
    const audio = await finishedAudio(folder, outcome.channels);
    if (audio.ledger.samples === 0) {
      await removeCaptureFiles(folder, { audio: true });
      throw nothingCaptured(reason, held.device);
    }
    await job.append(
      reason === 'stopped'
        ? { type: 'audio.captured', data: audio }
        : { type: 'capture.interrupted', data: { ...audio, reason } },
      held.stoppedBy,
    );
    await removeCaptureFiles(folder, { audio: false });
  }
}

const isClosed = (error: unknown) => error instanceof EventStoreError && error.code === 'CLOSED';

/** What is wanted of a capture while it is followed; asked whenever something may have changed. */
export type CaptureWill = { paused(): boolean; stopping(): boolean };

/** A capture that died is started again so often, if it did not live for long in between. */
const restartsMax = 3;
const healthyMs = 60_000;
/** Between starts that fail, milliseconds. */
const restartMs = 1000;
/** Another process was told to record this: nothing here may be touched any more. */
export class Superseded extends Error {
  override name = 'Superseded';
}

function nothingCaptured(reason: CaptureOutcome['reason'], device: string): StageError {
  return reason === 'device-unavailable'
    ? new StageError(reason, `“${device}” gave no sound, not even silence.`, { retriable: false })
    : new StageError('nothing-captured', 'The recording ended before there was any sound.', {
        retriable: false,
      });
}

/** Why there will be no more audio. */
type CaptureOutcome = {
  reason: EndReason | 'service-and-capture-died' | 'capture-died' | 'capture-not-started';
  channels: 1 | 2;
};

/**
 * Records into a folder until it is over: takes up what is running there, or starts it; starts it again
 * when it dies. Ends with `null`, leaving the capture running, when `signal` aborts.
 * @param will see `poke`. @param prepare what a start needs, made anew for each.
 * @throws {StageError} when the first start fails.
 */
async function followCapture(
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
