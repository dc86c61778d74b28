import { privateDirectory } from '../../events/durable-file.ts';
import { EventStoreError, type EventStore } from '../../events/store.ts';
import type { Log } from '../log.ts';
import type { Job, StageActivity } from '../recordings/run-stage.ts';
import { StageError } from '../stage-error.ts';
import type { BrowserCaptures } from './browser-captures.ts';
import { combinedDevice } from './alsa-config.ts';
import type { CaptureOrder } from './capture-client.ts';
import { removeCaptureFiles } from './capture-files.ts';
import type { CaptureStatus } from './capture-protocol.ts';
import type { CombinedSource } from './combined-source.ts';
import { endUnwanted } from './end-unwanted.ts';
import { finishedAudio } from './finished-audio.ts';
import { followCapture, type CaptureOutcome } from './follow-capture.ts';
import type { Held, HeldDevices } from './held-devices.ts';
import { keepCombined } from './keep-combined.ts';
import { followWishes, readWishes } from './recording-wishes.ts';

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
      await offerAudio(held, job, outcome);
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

  async function offerAudio(held: Held, job: Job, outcome: CaptureOutcome): Promise<void> {
    const folder = folderOf(job.recordingId);
    const { reason } = outcome;
    const audio = await finishedAudio(folder, outcome.channels);
    if (audio.ledger.samples === 0) {
      await removeCaptureFiles(folder, { audio: true });
      throw nothingCaptured(reason, held.device);
    }
    await job.offer(
      reason === 'stopped'
        ? { type: 'audio.captured', data: audio }
        : { type: 'capture.interrupted', data: { ...audio, reason } },
      held.stoppedBy,
    );
    await removeCaptureFiles(folder, { audio: false });
  }
}

function nothingCaptured(reason: CaptureOutcome['reason'], device: string): StageError {
  return reason === 'device-unavailable'
    ? new StageError(reason, `“${device}” gave no sound, not even silence.`, { retriable: false })
    : new StageError('nothing-captured', 'The recording ended before there was any sound.', {
        retriable: false,
      });
}

const isClosed = (error: unknown) => error instanceof EventStoreError && error.code === 'CLOSED';
