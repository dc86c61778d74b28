import { type EventStore, EventStoreError } from '../../../events/store.ts';
import type { Log } from '../../shared/log.ts';
import type { Job } from '../../recordings/stages/run-stage.ts';
import { StageError } from '../../shared/errors.ts';
import { finishedBrowserAudio } from './browser-file.ts';
import { type BrowserLimits, browserLimits } from './browser-writer.ts';
import { type BrowserEnd, type BrowserStream, openBrowserStream } from './browser-stream.ts';
import { captureRate } from '../../audio/wav.ts';
import { removeCaptureFiles } from '../file/capture-files.ts';
import type { CaptureNow, CaptureWarning } from '../capture-now.ts';
import type { StoppedBy } from '../device/reservations.ts';
import { emptyLedger } from '../file/ledger.ts';
import { type Wishes, followWishes } from '../control-state.ts';

/** Recordings whose microphone is a browser's. */
export interface BrowserCaptures {
  /** The stage `capture` of a recording without a device: as long as a browser sends, or may come back. */
  activity(job: Job, wishes: Wishes): Promise<void>;
  /**
   * The audio of a recording that is about to be, or is being, captured.
   * @throws {StageError} `not-recording`.
   */
  stream(recordingId: string): Promise<BrowserStream>;
  /**
   * Ends a recording whether or not its browser is there; returns when its audio is in the log.
   * @throws {StageError} `not-recording`; `nothing-captured`, which then becomes its `stage.failed`.
   */
  stop(recordingId: string, stoppedBy?: StoppedBy): Promise<void>;
  /** What is going on; null for a recording that no browser is expected to send. */
  now(recordingId: string): CaptureNow | null;
  /** Calls back when a warning comes or goes; returns how to stop. */
  onWarnings(listener: (now: CaptureNow) => void): () => void;
}

/** A recording that was started has its activity by then, in milliseconds. */
const openWithinMs = 10_000;

export function browserCaptures(deps: {
  store: EventStore;
  log: Log;
  folderOf(recordingId: string): string;
  /** `limits.recording_hours` */
  hoursMax(): number;
  /** For tests. */
  limits?: Partial<BrowserLimits> | undefined;
}): BrowserCaptures {
  const { store, log, folderOf } = deps;
  const streams = new Map<string, BrowserStream>();
  const underWay = new Map<string, { over: Promise<void>; stoppedBy?: StoppedBy | undefined }>();
  const openings = new Map<string, Set<() => void>>();
  const listeners = new Set<(now: CaptureNow) => void>();
  const now = (recordingId: string) => {
    const stream = streams.get(recordingId);
    return stream ? nowOf(recordingId, stream) : null;
  };

  return {
    now,
    onWarnings(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stream(recordingId) {
      if (!streams.has(recordingId)) await opened(recordingId);
      const stream = streams.get(recordingId);
      if (stream) return stream;
      throw notRecording();
    },
    async stop(recordingId, stoppedBy) {
      const stream = streams.get(recordingId);
      const capture = underWay.get(recordingId);
      if (!stream || !capture) throw notRecording();
      capture.stoppedBy ??= stoppedBy;
      stream.finish();
      await capture.over;
    },
    async activity(job, wishes) {
      const { recordingId } = job;
      const stream = await openBrowserStream(folderOf(recordingId), {
        limits: { ...browserLimits, secondsMax: deps.hoursMax() * 3600, ...deps.limits },
        log,
        onAway: () => tellWarnings(recordingId),
      });
      stream.pause(wishes.paused);
      streams.set(recordingId, stream);
      for (const resolve of openings.get(recordingId) ?? []) resolve();
      const over = new AbortController();
      const work = (async () => {
        void follow(recordingId, wishes, stream, over.signal);
        const reason = await Promise.race([stream.ended, aborted(job.signal)]);
        if (reason === null) return;
        await appendAudio(job, stream, reason);
        stream.tell(reason);
      })();
      underWay.set(recordingId, { over: work });
      try {
        await work;
      } finally {
        over.abort();
        streams.delete(recordingId);
        underWay.delete(recordingId);
        await stream.close();
      }
    },
  };

  async function appendAudio(job: Job, stream: BrowserStream, reason: BrowserEnd): Promise<void> {
    const folder = folderOf(job.recordingId);
    if (stream.rate === null || stream.samples === 0) {
      await removeCaptureFiles(folder, { audio: true });
      stream.tell('nothing-captured');
      throw new StageError('nothing-captured', 'The recording ended before there was any sound.', {
        retriable: false,
      });
    }
    const audio = await finishedBrowserAudio(folder, stream.rate);
    await job.append(
      reason === 'stopped'
        ? { type: 'audio.captured', data: audio }
        : { type: 'capture.interrupted', data: { ...audio, reason } },
      underWay.get(job.recordingId)?.stoppedBy,
    );
    await removeCaptureFiles(folder, { audio: false });
  }

  /** Pausing and resuming take effect as the log tells of them, in whatever life of the service. */
  async function follow(
    recordingId: string,
    wishes: Wishes,
    stream: BrowserStream,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await followWishes(store, recordingId, wishes, signal, ({ paused }) => stream.pause(paused));
    } catch (error) {
      if (signal.aborted || (error instanceof EventStoreError && error.code === 'CLOSED')) return;
      log.error({ err: error, recordingId }, 'following a recording in the log');
    }
  }

  function opened(recordingId: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = openings.get(recordingId) ?? new Set();
      openings.set(recordingId, waiting);
      const done = () => {
        clearTimeout(timer);
        waiting.delete(done);
        if (waiting.size === 0) openings.delete(recordingId);
        resolve();
      };
      const timer = setTimeout(done, openWithinMs);
      waiting.add(done);
    });
  }

  function tellWarnings(recordingId: string): void {
    const present = now(recordingId);
    if (present) for (const listener of listeners) listener(present);
  }
}

const notRecording = () =>
  new StageError('not-recording', 'This recording is not being captured.', { retriable: false });

function nowOf(recordingId: string, stream: BrowserStream): CaptureNow {
  const { samples, awaySince } = stream;
  const rate = stream.rate ?? captureRate;
  const warnings: CaptureWarning[] = [];
  if (awaySince !== null) {
    const message =
      `The browser is not connected since ${new Date(awaySince).toISOString()}. ` +
      'What it sent is kept; the recording goes on when it is back, and ends if it stays away.';
    warnings.push({ code: 'browser-away', message });
  }
  return {
    recordingId,
    device: 'browser',
    state: awaySince === null ? 'capturing' : 'waiting',
    duration: samples / rate,
    level: null,
    ledger: { ...emptyLedger, samples: Math.round((samples * captureRate) / rate) },
    warnings,
  };
}

/** Null when the machine has moved on, or the service stops. */
function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
