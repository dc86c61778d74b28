import type { EventStore } from '../../../events/store.ts';
import { isIn } from '../../../machines/states.ts';
import type { Log } from '../../shared/log.ts';
import { lastFact, lastState } from '../../recordings/handle.ts';
import type { Job } from '../../recordings/stages/run-stage.ts';
import { untilDiskAnswers } from '../../recordings/stages/stage-files.ts';
import { aborted, inTime } from '../../shared/abort.ts';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { finishedBrowserAudio } from './browser-file.ts';
import { type BrowserLimits, browserLimits } from './browser-writer.ts';
import { type BrowserEnd, type BrowserStream, openBrowserStream } from './browser-stream.ts';
import type { Admit } from './intake.ts';
import { captureRate } from '../../audio/wav.ts';
import type { BrowserAway } from '../../recordings/control/left-recordings.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import { keptAudio, sharedCapture, sharedEveryMs } from './shared-capture.ts';
import { removeCaptureFiles } from '../file/capture-files.ts';
import { type CaptureNow, type CaptureWarning, captureWarning } from '../capture-now.ts';
import type { StoppedBy } from '../device/reservations.ts';
import type { FileEnds } from '../file/file-ends.ts';
import { type GrowingHash, growingHash } from '../file/growing-hash.ts';
import { emptyLedger } from '../file/ledger.ts';
import { type ControlState, followControlState } from '../control-state.ts';
import type { CombinedChannels } from '../pulse/combined-chain.ts';
import { openListeners } from '../../shared/listeners.ts';

export type WarningsNow = Pick<CaptureNow, 'recordingId' | 'warnings'>;

/** The process to which a browser comes takes its recording over. */
export type BrowserControl = {
  /** Acts for a recording here from now on; false while another process does, or one that died had a lease on it. */
  takeOver(recordingId: string): Promise<boolean>;
  /** Has the process that has a recording's browser end it: at once, or, where it does not hear it, never. */
  stopElsewhere(recordingId: string, stoppedBy: StoppedBy): void;
  /** Whether a process that lost a recording may still have its file open. */
  sharesFolders: boolean;
};

/** A recording that was started, or taken over, has its activity by then, and one that was stopped its end; milliseconds. */
const openWithinMs = 10_000;
/** Between two tries to take one over that another node still has, in milliseconds. */
const takeOverEveryMs = 250;

type BrowserCapturesDeps = {
  store: EventStore;
  log: Log;
  fileEnds: Pick<FileEnds, 'tell'>;
  /** Where audio is kept: what is recorded, and when it is complete. */
  files: Pick<AudioStore, 'captureFolder' | 'live' | 'keep'>;
  /** `audio.combined_channels` */
  combinedChannels(): CombinedChannels;
  /** `limits.recording_hours` */
  hoursMax(): number;
  /** Bytes that recordings leave free on the disk. */
  freeBytesMin(): Promise<number>;
  control: BrowserControl;
  /** What lets in what comes of a user's; undefined: whatever there is room for. */
  admit: Admit | undefined;
  /** In the place of the usual ones. */
  limits: Partial<BrowserLimits>;
};

export const browserCaptures = (deps: BrowserCapturesDeps): BrowserCaptures =>
  new BrowserCaptures(deps);

/** Recordings whose microphone is a browser's, and the stream of each. */
export class BrowserCaptures {
  readonly #deps: BrowserCapturesDeps;
  readonly #streams = new Map<string, BrowserStream>();
  readonly #underWay = new Map<
    string,
    { over: Promise<void>; isRecorder: boolean; stoppedBy?: StoppedBy | undefined }
  >();
  /** What waits for a recording's stream. */
  readonly #openings = new Map<string, Set<() => void>>();
  /** Those that no node has. */
  readonly #left = new Map<string, BrowserAway>();
  readonly #warned = openListeners<[WarningsNow]>();

  constructor(deps: BrowserCapturesDeps) {
    this.#deps = deps;
  }

  /** What is going on; null for a recording that no browser is expected to send. */
  now(recordingId: string): CaptureNow | null {
    const stream = this.#streams.get(recordingId);
    const isRecorder = this.#underWay.get(recordingId)?.isRecorder === true;
    return stream ? nowOf(recordingId, stream, isRecorder) : null;
  }

  /**
   * What is known here of a recording that no node has, for this node and those that it tells: since when (milliseconds
   * since 1970) what is not connected; null: nothing any more.
   */
  left = (recordingId: string, away: BrowserAway | null): void => {
    if (away) this.#left.set(recordingId, away);
    else this.#left.delete(recordingId);
    this.#notify(recordingId);
  };

  /** What a person should look at of a recording that is expected here, or was left; else null. */
  warnings(recordingId: string): CaptureWarning[] | null {
    const away = this.#left.get(recordingId);
    return this.now(recordingId)?.warnings ?? (away ? [awayWarning(away)] : null);
  }

  /** Calls back when a warning comes or goes; returns how to stop. */
  onWarnings(listener: (now: WarningsNow) => void): () => void {
    return this.#warned.add(listener);
  }

  /**
   * The audio of a recording that is about to be, or is being, captured.
   * @throws {StageError} `not-recording` it was deleted; `recorded-elsewhere`: to be asked again
   */
  async stream(recordingId: string): Promise<BrowserStream> {
    const isHere = this.#streams.has(recordingId) || (await this.#begun(recordingId));
    const stream = this.#streams.get(recordingId);
    if (stream) return stream;
    if (!isHere) throw recordedElsewhere();
    const last = await lastFact(this.#deps.store, recordingId);
    // Where it has ended meanwhile, the next try finds that, and adds what there is.
    throw isDeletion(last) ? recordingErased() : stillHere();
  }

  /**
   * Ends a recording whether or not its browser is there; returns when its audio is in the log, or when that takes long.
   * @throws {StageError} `not-recording`; `recorded-elsewhere`: to be asked again; `nothing-captured`, which then becomes its `stage.failed`.
   */
  async stop(recordingId: string, stoppedBy: StoppedBy): Promise<void> {
    if (!this.#streams.has(recordingId) && (await this.#stoppedElsewhere(recordingId, stoppedBy)))
      return;
    const stream = this.#streams.get(recordingId);
    const capture = this.#underWay.get(recordingId);
    if (!stream || !capture) throw notRecording();
    capture.stoppedBy ??= stoppedBy;
    stream.finish();
    await endedInTime(capture.over);
  }

  /** The stage `capture` of a recording without a device: as long as a browser sends, or may come back. */
  async activity(job: Job, state: ControlState): Promise<void> {
    const { recordingId } = job;
    const { hoursMax, freeBytesMin, limits, log, files, control, admit, combinedChannels } =
      this.#deps;
    const { live } = files;
    const folder = files.captureFolder(recordingId);
    const all = {
      ...browserLimits,
      ...(live ? { acknowledgeEveryMs: sharedEveryMs } : {}),
      secondsMax: hoursMax() * 3600,
      ...limits,
    };
    const share = live ? await sharedCapture(job, live, folder) : undefined;
    const isRecorder = state.trigger === 'recorder';
    // Who records is done with what was tried again, and may never come back.
    const graceMs = state.retried
      ? all.restartGraceMs
      : isRecorder
        ? all.recorderGraceMs
        : all.graceMs;
    const stream = await untilDiskAnswers(job, async () =>
      openBrowserStream(folder, {
        limits: { freeBytesMin: await freeBytesMin(), ...all, graceMs },
        channelsMax: combinedChannels() === 'split' ? 2 : 1,
        sharesFolders: control.sharesFolders,
        log,
        share,
        intake: admit && { ...admit(state.owner), since: state.startedAt, before: 0 },
        onAway: () => this.#notify(recordingId),
      }),
    );
    stream.pause(state.paused);
    this.#streams.set(recordingId, stream);
    for (const resolve of this.#openings.get(recordingId) ?? []) resolve();
    const over = new AbortController();
    void followControlState(this.#deps, recordingId, state, over.signal, ({ paused }) =>
      stream.pause(paused),
    );
    const work = this.#untilEnd(job, stream);
    this.#underWay.set(recordingId, { over: work, isRecorder });
    try {
      await work;
    } finally {
      over.abort();
      this.#streams.delete(recordingId);
      this.#underWay.delete(recordingId);
      await stream.close(job.signal.aborted && job.isErased() ? 'discarded' : 'left');
    }
  }

  async #untilEnd(job: Job, stream: BrowserStream): Promise<void> {
    const { files } = this.#deps;
    // What goes to a bucket is read, hashed and sent whole.
    const hash = files.live ? null : growingHash(files.captureFolder(job.recordingId));
    try {
      const reason = await Promise.race([stream.ended, aborted(job.signal)]);
      if (reason === null || job.signal.aborted) return;
      await this.#appendAudio(job, stream, reason, hash);
      stream.announce(reason);
    } finally {
      await hash?.close();
    }
  }

  async #appendAudio(
    job: Job,
    stream: BrowserStream,
    reason: BrowserEnd,
    hash: GrowingHash | null,
  ): Promise<void> {
    const { files, fileEnds } = this.#deps;
    const folder = files.captureFolder(job.recordingId);
    if (stream.layout === null || stream.samples === 0) {
      await removeCaptureFiles(folder, { audio: true });
      await files.live?.remove(job.recordingId);
      stream.announce('nothing-captured');
      throw new StageError(failure('nothing-recorded'), {
        retriable: false,
      });
    }
    fileEnds.tell(job.recordingId);
    const { measured, layout } = stream;
    const made = await untilDiskAnswers(job, () =>
      finishedBrowserAudio(folder, layout, { measured, hash }),
    );
    const audio = files.live ? await keptAudio(job, files, folder, made) : made;
    await job.append(
      reason === 'stopped'
        ? { type: 'audio.captured', data: audio }
        : { type: 'capture.interrupted', data: { ...audio, reason } },
      this.#underWay.get(job.recordingId)?.stoppedBy,
    );
    await removeCaptureFiles(folder, { audio: false });
    await files.live?.remove(job.recordingId);
  }

  /**
   * Has the process that has a recording end it, or gets its stream here. Returns whether it was ended there.
   * @throws {StageError} `not-recording`; `recorded-elsewhere` when neither has happened for long
   */
  async #stoppedElsewhere(recordingId: string, stoppedBy: StoppedBy): Promise<boolean> {
    const { control } = this.#deps;
    const until = performance.now() + openWithinMs;
    let isTold = false;
    for (;;) {
      const isHere = await control.takeOver(recordingId);
      if (!(await this.#isRecorded(recordingId))) {
        if (isTold) return true;
        throw notRecording();
      }
      if (!isHere && !isTold) {
        control.stopElsewhere(recordingId, stoppedBy);
        isTold = true;
      }
      await this.#opened(recordingId, takeOverEveryMs);
      if (this.#streams.has(recordingId)) return false;
      if (performance.now() >= until) throw isHere ? stillHere() : recordedElsewhere();
    }
  }

  async #isRecorded(recordingId: string): Promise<boolean> {
    return isIn((await lastState(this.#deps.store, recordingId)) ?? '', 'recording');
  }

  /**
   * Resolves when the recording has its stream here, taken over if need be, or has had the time to get one. Returns
   * whether this process acts for it.
   */
  async #begun(recordingId: string): Promise<boolean> {
    const until = performance.now() + openWithinMs;
    for (;;) {
      const isHere = await this.#deps.control.takeOver(recordingId);
      await this.#opened(recordingId, takeOverEveryMs);
      if (this.#streams.has(recordingId) || performance.now() >= until) return isHere;
    }
  }

  /** Resolves when the recording has its stream, or so many milliseconds have passed. */
  #opened(recordingId: string, withinMs: number): Promise<void> {
    if (this.#streams.has(recordingId)) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#openings.get(recordingId) ?? new Set();
      this.#openings.set(recordingId, waiting);
      const done = () => {
        clearTimeout(timer);
        waiting.delete(done);
        if (waiting.size === 0) this.#openings.delete(recordingId);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      waiting.add(done);
    });
  }

  #notify(recordingId: string): void {
    const warnings = this.warnings(recordingId) ?? [];
    this.#warned.tell({ recordingId, warnings });
  }
}

/** Not for ever: it is to be asked again. */
export const recordedElsewhere = (): StageError =>
  new StageError(failure('recorded-on-other-node'), { retriable: true });

/** The same of this process. */
const stillHere = (): StageError =>
  new StageError(failure('recorded-on-this-node'), { retriable: true });

/** The end of a recording that is stopped; no longer than this, as it may wait for a disk: it ends by itself then. */
export const endedInTime = (over: Promise<void>): Promise<void> =>
  inTime(openWithinMs, over, () => undefined);

/**
 * Whether a recording ends with this because a person wants nothing of it. Others are erased, too: those that another took
 * up, and those of which nothing had come; of these a browser may hold what is nowhere else.
 */
export const isDeletion = (last: { type: string; by: string } | undefined): boolean =>
  last?.type === 'recording.discarded' ||
  (last?.type === 'recording.erased' && last.by !== 'system');

/** Nor is what its browser still has wanted. */
export const recordingErased = (): StageError =>
  new StageError(failure('recording-erased'), { retriable: false });

const notRecording = () => new StageError(failure('recording-over'), { retriable: false });

function nowOf(recordingId: string, stream: BrowserStream, isRecorder: boolean): CaptureNow {
  const { samples, awaySince, roomSeconds } = stream;
  const rate = stream.layout?.rate ?? captureRate;
  const warnings = awaySince === null ? [] : [awayWarning({ since: awaySince, isRecorder })];
  if (roomSeconds !== null) warnings.push(roomWarning(roomSeconds));
  return {
    recordingId,
    device: 'browser',
    recorder: { kind: isRecorder ? 'desk' : 'browser', name: stream.name },
    state: awaySince === null ? 'capturing' : 'waiting',
    duration: samples / rate,
    level: null,
    ledger: { ...emptyLedger, samples: Math.round((samples * captureRate) / rate) },
    warnings,
  };
}

const roomWarning = (seconds: number): CaptureWarning =>
  captureWarning(
    'space-nearly-full',
    failure('space-nearly-full', { left: Math.ceil(seconds / 60) }),
  );

function awayWarning({ since: at, isRecorder }: BrowserAway): CaptureWarning {
  const since = new Date(at).toISOString();
  const code = isRecorder ? 'recorder-disconnected' : 'browser-disconnected';
  return captureWarning('browser-away', failure(code, { since }));
}
