import { privateDirectory } from '../shared/files.ts';
import type { Sentence } from '../words/params.ts';
import type { EventStore } from '../../events/store.ts';
import type { Log } from '../shared/log.ts';
import type { Job, StageActivity } from '../recordings/stages/run-stage.ts';
import { untilDiskAnswers } from '../recordings/stages/stage-files.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import type { BrowserCaptures } from './browser/browser-captures.ts';
import { combinedDevice } from './device/alsa-config.ts';
import type { CaptureOrder } from './process/client.ts';
import {
  channelsCaptured,
  finishedAudio,
  readClaim,
  removeCaptureFiles,
} from './file/capture-files.ts';
import { type CaptureOutcome, followCapture } from './follow-capture.ts';
import { type CaptureStatus, claimToSocketMs } from './process/protocol.ts';
import type { CombinedForm, CombinedSource } from './pulse/combined-source.ts';
import { keepCombined } from './pulse/keep-combined.ts';
import { endUnwanted } from './reconcile-captures.ts';
import { type GrowingHash, growingHash } from './file/growing-hash.ts';
import type { FileEnds } from './file/file-ends.ts';
import type { DeviceReservations, Reservation } from './device/reservations.ts';
import { followControlState, isClosed, readControlState } from './control-state.ts';

export type CaptureActivityDeps = {
  store: EventStore;
  log: Log;
  devices: DeviceReservations;
  combined: CombinedSource;
  /** Recordings that come from no device of this host. */
  browser: BrowserCaptures;
  folderOf(recordingId: string): string;
  fileEnds: Pick<FileEnds, 'tell'>;
  /** What a capture of the device is started with; the combined source stands already. */
  orderFor(device: string, folder: string, form: CombinedForm): Promise<CaptureOrder>;
  /** Tears the combined source down. Never throws. */
  dismantle(): Promise<void>;
  /** The service stops, the capture of this device goes on. */
  onLeft(device: string, recordingId: string): void;
  env: NodeJS.ProcessEnv;
};

/**
 * The stage `capture`. It appends no `stage.started`: the work is done in a separate process, so a
 * crash of the service does not count against the recording, and a live recording must not wait for a slot.
 */
export function captureActivity(deps: CaptureActivityDeps): StageActivity {
  const { store, devices } = deps;
  return async (job) => {
    const { recordingId } = job;
    const control = await readControlState(store, recordingId);
    if (control.device === null) return await deps.browser.activity(job, control);
    const reservation = devices.reserve(control.device, recordingId);
    reservation.control = control;
    const over = new AbortController();
    const hash = growingHash(deps.folderOf(recordingId));
    try {
      void followControlState(deps, recordingId, control, over.signal, (next) => {
        reservation.control = next;
        reservation.poke();
      });
      const outcome = await record(deps, reservation, job, over.signal);
      over.abort();
      if (outcome === null) return await leave(deps, reservation);
      if (reservation.device === combinedDevice) await deps.dismantle();
      await appendAudio(deps, reservation, job, { ...outcome, hash });
    } catch (error) {
      reservation.failure = error;
      over.abort();
      // Where the service stops its capture goes on; else none does.
      if (reservation.device === combinedDevice && !job.signal.aborted) await deps.dismantle();
      throw error;
    } finally {
      over.abort();
      devices.release(recordingId);
      await hash.close();
    }
  };
}

async function record(
  deps: CaptureActivityDeps,
  reservation: Reservation,
  job: Job,
  over: AbortSignal,
): Promise<CaptureOutcome | null> {
  const { combined, env, log } = deps;
  const { recordingId, device } = reservation;
  const folder = deps.folderOf(recordingId);
  await privateDirectory(folder);
  // Who tries again what failed long ago, maybe with others, does not expect a microphone to be opened; nor does who
  // starts the service long after the process was killed that began it.
  const { control } = reservation;
  const isLate =
    control !== null && (control.retried || Date.now() - control.startedAt > claimToSocketMs);
  if (isLate && !(await untilDiskAnswers(job, () => readClaim(folder)))) {
    const channels = await untilDiskAnswers(job, () => channelsCaptured(folder));
    if (channels === null) throw nothingRecorded();
    return { reason: 'service-and-capture-died', channels };
  }
  const form = await untilDiskAnswers(job, () => formOf(folder, combined.formNow()));
  let isKept = device !== combinedDevice;
  let last: CaptureStatus | undefined;
  const outcome = await followCapture(folder, {
    will: {
      paused: () => reservation.control?.paused ?? false,
      stopping: () => reservation.stopping,
    },
    signal: job.signal,
    async prepare() {
      if (device === combinedDevice) await combined.build(form);
      return await deps.orderFor(device, folder, form);
    },
    onStatus(status) {
      last = status;
      reservation.take(status);
      if (isKept) return;
      isKept = true;
      const onState = (problem: Sentence | null) =>
        reservation.warn('combined-incomplete', problem);
      keepCombined({ combined, form, env, log, signal: over, onState });
    },
    onRestart() {
      log.warn({ recordingId }, 'recording process ended unexpectedly; restarting it');
      reservation.warn('capture-restarted', failure('recording-resumed'));
    },
    onPoke: (poke) => (reservation.poke = poke),
    untilRead: (work) => untilDiskAnswers(job, work),
  });
  // Appending may take a while, on a full disk until there is room. Nothing is captured meanwhile.
  if (outcome && last) reservation.take({ ...last, state: 'stopping', level: null });
  return outcome;
}

/** One file has one form: settings that change while it is recorded, or before it is taken up, are the next one's. */
async function formOf(folder: string, now: CombinedForm): Promise<CombinedForm> {
  const claim = await readClaim(folder);
  if (!claim) return now;
  const { channels, cancelsEcho = now.cancelsEcho } = claim;
  return { channels: channels === 2 ? 'split' : 'mix', cancelsEcho };
}

/** The machine has moved on, or the service stops. Only the first ends the capture. */
async function leave(
  deps: CaptureActivityDeps,
  { recordingId, device }: Reservation,
): Promise<void> {
  try {
    const { discarded } = await readControlState(deps.store, recordingId);
    if (!discarded) return deps.onLeft(device, recordingId);
  } catch (error) {
    if (isClosed(error)) return deps.onLeft(device, recordingId);
    throw error;
  }
  await endUnwanted(deps.folderOf(recordingId), { audio: true });
  if (device === combinedDevice) await deps.dismantle();
}

async function appendAudio(
  { folderOf, fileEnds }: CaptureActivityDeps,
  reservation: Reservation,
  job: Job,
  { reason, channels, hash }: CaptureOutcome & { hash: GrowingHash },
): Promise<void> {
  const folder = folderOf(job.recordingId);
  fileEnds.tell(job.recordingId);
  const audio = await untilDiskAnswers(job, () => finishedAudio(folder, channels, hash));
  if (audio.ledger.samples === 0) {
    await removeCaptureFiles(folder, { audio: true });
    throw nothingCaptured(reason, reservation.device);
  }
  // Only of the combined source two channels are recorded.
  const data = channels === 2 ? { ...audio, split: true as const } : audio;
  await job.append(
    reason === 'stopped'
      ? { type: 'audio.captured', data }
      : { type: 'capture.interrupted', data: { ...data, reason } },
    reservation.stoppedBy,
  );
  await removeCaptureFiles(folder, { audio: false });
}

function nothingCaptured(reason: CaptureOutcome['reason'], device: string): StageError {
  return reason === 'device-unavailable'
    ? new StageError(failure('device-silent', { device }), { retriable: false })
    : nothingRecorded();
}

const nothingRecorded = (): StageError =>
  new StageError(failure('nothing-recorded'), { retriable: false });
