import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../../words/failures.ts';
import type { Sentence } from '../../words/params.ts';
import { inEnglish } from '../../words/say.ts';
import { StageError } from '../../shared/errors.ts';
import { type ElapsedClock, elapsedClock } from '../../shared/time.ts';
import {
  type DeviceStream,
  type Naudiodon,
  hangGuard,
  openStream,
  watchDevice,
} from '../device/device-stream.ts';
import { ClaimedElsewhere, readClaim } from '../file/capture-files.ts';
import { openPulse } from '../pulse/pulse.ts';
import type {
  CaptureEnded,
  CaptureProblem,
  CaptureSpec,
  CaptureStatus,
  EndReason,
} from './protocol.ts';
import { type Track, type CaptureUpkeep, captureUpkeep, openTrack } from './track.ts';
import { deviceFrameBytes } from '../../audio/level-meter.ts';
import { captureRate } from '../../audio/wav.ts';

/**
 * @param now clock by which the time of the recording is measured
 * @throws {ClaimedElsewhere} another process has claimed the folder
 */
export async function openRecorder(
  spec: CaptureSpec,
  native: Naudiodon | null,
  now: ElapsedClock = elapsedClock(),
): Promise<Recorder> {
  if ((await readClaim(spec.folder))?.claim !== spec.claim) throw new ClaimedElsewhere();
  return new Recorder(spec, native, await openTrack(spec, now), now);
}

/** Between attempts to open a device that is missing, milliseconds. */
const reopenMs = 500;

/** One device into one file until it is ended, whatever the device does meanwhile: it is opened again and again. */
export class Recorder {
  /**
   * Settles when the file is complete on the disk. `hung`: the device did not close.
   * Rejects with {ClaimedElsewhere}.
   */
  readonly ended: Promise<{ last: CaptureEnded; hung: boolean }>;
  readonly #spec: CaptureSpec;
  readonly #native: Naudiodon | null;
  readonly #track: Track;
  readonly #now: ElapsedClock;
  /** Since when the device has been waited for, until it gives something. */
  #openedAt: number;
  readonly #pulse = openPulse();
  readonly #guard: ReturnType<typeof hangGuard>;
  readonly #watch: ReturnType<typeof watchDevice>;
  readonly #upkeep: CaptureUpkeep;
  #state: CaptureStatus['state'] = 'opening';
  #problem: CaptureProblem | null = null;
  #paused: boolean;
  #ending: EndReason | null = null;
  /** Wakes what waits for pause, resume or end. */
  #wake = () => {};
  #stream: DeviceStream | null = null;
  #late: LateAudio;
  #lastDataAt: number;
  /** Why the open stream is being closed: it has failed. */
  #lost: CaptureProblem['code'] | null = null;

  constructor(spec: CaptureSpec, native: Naudiodon | null, track: Track, now: ElapsedClock) {
    this.#spec = spec;
    this.#native = native;
    this.#track = track;
    this.#now = now;
    this.#openedAt = now();
    this.#lastDataAt = this.#openedAt;
    this.#paused = track.wasPaused;
    this.#late = lateAudio(now);
    this.#guard = hangGuard(
      spec.limits.quitMs,
      () => this.#ending !== null,
      () => this.#changed(),
    );
    this.#watch = watchDevice(spec, (code, said) => this.#lose(code, said));
    this.#upkeep = captureUpkeep(spec, track, (reason) => this.end(reason));
    this.ended = this.#run();
  }

  status(): CaptureStatus {
    return {
      type: 'status',
      claim: this.#spec.claim,
      pid: process.pid,
      state: this.#state,
      ledger: this.#track.ledger,
      level: this.#track.level,
      flatSeconds: this.#track.flatSeconds,
      quietSeconds: this.#track.quietSeconds,
      sides: this.#track.sides,
      problem: this.#problem,
    };
  }

  pause(): void {
    if (this.#paused || this.#ending !== null) return;
    this.#paused = true;
    this.#applyChange();
  }

  resume(): void {
    if (!this.#paused || this.#ending !== null) return;
    this.#paused = false;
    this.#openedAt = this.#now();
    this.#heard();
    this.#applyChange();
  }

  /** The first reason counts. */
  end(reason: EndReason): void {
    if (this.#ending !== null) return;
    this.#ending = reason;
    this.#state = 'stopping';
    this.#applyChange();
  }

  /** Pause, resume and end take effect: what is open is closed, what waits goes on. */
  #applyChange(): void {
    this.#closeStream();
    this.#wake();
  }

  #closeStream(): void {
    // Its error is seen where its end is awaited.
    this.#stream?.close().catch(() => undefined);
  }

  async #run(): Promise<{ last: CaptureEnded; hung: boolean }> {
    while (this.#ending === null) {
      if (this.#paused) await this.#whilePaused();
      else if (await this.#openDevice()) await this.#pump();
    }
    return await this.#finish(this.#ending);
  }

  async #whilePaused(): Promise<void> {
    this.#track.giveUpMissing();
    this.#track.quieten();
    this.#state = 'paused';
    this.#problem = null;
    await this.#track.note({ paused: true });
    if (this.#paused && this.#ending === null) await this.#changed();
    if (this.#ending === null) this.#state = 'opening';
    await this.#track.note({ paused: false });
  }

  /** Tries until it is open, or paused, or over. */
  async #openDevice(): Promise<boolean> {
    for (;;) {
      const anything = this.#track.ledger.samples > 0;
      if (!anything && this.#now() - this.#openedAt > this.#spec.limits.firstDataMs)
        this.end('device-unavailable');
      if (this.#paused || this.#ending !== null) return false;
      try {
        if (await this.#sourceIsThere()) {
          if (this.#paused || this.#ending !== null) return false;
          this.#stream = this.#native && openStream(this.#native, this.#spec.device);
          if (this.#stream) {
            this.#lost = null;
            this.#late = lateAudio(this.#now);
            this.#heard();
            return true;
          }
        }
        this.#report('device-gone', failure('device-lost', { device: this.#spec.device }));
      } catch (error) {
        if (error instanceof StageError) this.#report('audio-server-gone', error.sentence);
        else
          this.#report(
            'device-failed',
            failure('device-not-opened', {
              device: this.#spec.device,
              cause: String(error),
            }),
          );
      }
      if (anything) this.#track.miss(this.#lastDataAt);
      await Promise.race([this.#changed(), sleep(reopenMs)]);
    }
  }

  /** PortAudio lists a device of the audio server also when its source is gone, and hangs with the server. */
  async #sourceIsThere(): Promise<boolean> {
    if (this.#spec.source === null) return true;
    const { microphones, monitors } = await this.#pulse.sources();
    return [...microphones, ...monitors].some(({ name }) => name === this.#spec.source);
  }

  async #pump(): Promise<void> {
    const open = this.#stream!;
    const failed = (error: unknown) => {
      const { device } = this.#spec;
      this.#lose('device-failed', failure('device-failed', { device, cause: String(error) }));
      return null;
    };
    try {
      for (;;) {
        const block = await this.#guard.wait(open.read().catch(failed));
        if (block === null) break;
        this.#heard();
        // What comes from another source is not what was asked for.
        if (this.#lost !== 'moved') await this.#take(this.#late.take(block));
      }
      await this.#take(this.#late.rest());
      // Not closed by us: the device has ended by itself.
      this.#lose('device-failed', failure('device-lost', { device: this.#spec.device }));
    } catch (error) {
      if (error instanceof ClaimedElsewhere || isDiskError(error)) this.end('disk-failed');
      else failed(error);
    } finally {
      await this.#guard.wait(open.close()).catch(() => undefined); // it failed above already
      this.#stream = null;
    }
  }

  #heard(): void {
    this.#lastDataAt = this.#now();
    this.#watch.heard();
  }

  async #take({ missingMs, arrivals }: Settled): Promise<void> {
    await this.#upkeep.assertOurs();
    // A night of sleep is not filled up beyond what a recording may have.
    if (this.#track.seconds + missingMs / 1000 >= this.#spec.limits.secondsMax) {
      // What the device still had when the hours were full is not missing.
      if (missingMs > 0) this.#track.miss(this.#now() - missingMs);
      return this.end('limit-hours');
    }
    await this.#track.fill(missingMs);
    for (const { block, at } of arrivals) await this.#track.take(block, at);
    if (this.#lost !== null) this.#track.miss(this.#lastDataAt);
    else if (this.#ending === null && !this.#paused && arrivals.length > 0) {
      this.#state = 'capturing';
      this.#problem = null;
    }
    if (this.#track.seconds >= this.#spec.limits.secondsMax) this.end('limit-hours');
  }

  /** The device is open but does not give what it should: from here on audio is missing. */
  #lose(code: CaptureProblem['code'], said: Sentence): void {
    if (!this.#stream || this.#lost || this.#paused || this.#ending !== null) return;
    this.#lost = code;
    this.#late.stopCounting();
    this.#track.miss(this.#lastDataAt);
    this.#report(code, said);
    this.#closeStream();
  }

  #report(code: CaptureProblem['code'], said: Sentence): void {
    this.#state = 'waiting';
    this.#track.quieten();
    if (this.#problem?.code !== code)
      this.#problem = {
        code,
        message: inEnglish(said),
        said,
        since: this.#problem?.since ?? new Date().toISOString(),
      };
  }

  async #finish(reason: EndReason): Promise<{ last: CaptureEnded; hung: boolean }> {
    this.#watch.stop();
    this.#track.giveUpMissing();
    await this.#upkeep.stop();
    const last = { type: 'ended', claim: this.#spec.claim, ledger: this.#track.ledger } as const;
    try {
      await this.#track.close();
      await this.#track.note({ ended: reason });
      return { last: { ...last, reason }, hung: this.#guard.hung };
    } catch {
      // A disk that takes no more: the file ends where it does, and is repaired when it is read.
      return { last: { ...last, reason: 'disk-failed' }, hung: this.#guard.hung };
    }
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}

const isDiskError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error;

/** A block of the device, and when it came. */
type Arrival = { block: Buffer; at: number };

/** Distinguishes audio that is late from audio that is lost. */
type LateAudio = {
  /** A block has come. Gives what may be written now: nothing while it is not clear what is missing. */
  take(block: Buffer): Settled;
  /** Stops gap detection; the caller reports gaps from here on. */
  stopCounting(): void;
  /** No more will come: what was held back. */
  rest(): Settled;
};

/** After a pause this long it is looked whether what was said in it still comes; milliseconds. */
const pauseMs = 300;
/** What is kept in a queue comes faster than it was said: for as long as it does, it is waited for. */
const waitMs = 500;
/** Blocks come as early or as late as this without anything being lost. */
const jitterMs = 100;
const missingMsMin = 200;

/**
 * When a process or the audio server was stopped, or the machine slept, queues hold what was heard up to
 * their limits; what they could not hold would be closed up without a sign. So after a pause blocks are
 * held back until as much has come as the pause was long, or no more comes than is being said. That is a
 * second at most behind the end of what was queued, and nothing at all when nothing is missing.
 */
export function lateAudio(now: ElapsedClock): LateAudio {
  let held: Arrival[] = [];
  /** When the last block before those came. */
  let before: number | null = null;
  /** While it is not clear: how much there is to come, and when that is looked at again. */
  let waiting: { lag: number; until: number } | null = null;
  /** What was missing before the blocks that are held, when it is counted no more. */
  let counted: number | null = null;

  const lag = (at: number): number => (before === null ? 0 : at - before - millisecondsOf(held));

  const missingBeforeHeld = (): number => {
    const last = held.at(-1)?.at;
    const missing = waiting && last !== undefined ? lag(last) : 0;
    return missing < missingMsMin ? 0 : missing;
  };

  function release(): Settled {
    const settled = { missingMs: counted ?? missingBeforeHeld(), arrivals: held };
    if (counted === null) before = held.at(-1)?.at ?? before;
    else counted = 0;
    held = [];
    waiting = null;
    return settled;
  }

  return {
    take(block) {
      const at = now();
      if (counted !== null) {
        held.push({ block, at });
        return release();
      }
      if (waiting === null && before !== null && at - before > pauseMs)
        waiting = { lag: Infinity, until: at + waitMs };
      held.push({ block, at });
      if (waiting === null || lag(at) <= jitterMs) return release();
      if (at >= waiting.until) {
        if (waiting.lag - lag(at) <= jitterMs) return release();
        waiting = { lag: lag(at), until: at + waitMs };
      }
      return { missingMs: 0, arrivals: [] };
    },
    stopCounting() {
      counted ??= missingBeforeHeld();
    },
    rest: release,
  };
}

const millisecondsOf = (arrivals: readonly Arrival[]): number =>
  arrivals.reduce(
    (sum, { block }) => sum + block.length / deviceFrameBytes / (captureRate / 1000),
    0,
  );

/** Blocks in order, behind `missingMs` of audio that never came. */
type Settled = { missingMs: number; arrivals: Arrival[] };
