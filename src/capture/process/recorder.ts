import { setTimeout as sleep } from 'node:timers/promises';
import { StageError } from '../../shared/errors.ts';
import { readClaim } from '../file/capture-files.ts';
import type {
  CaptureEnded,
  CaptureProblem,
  CaptureSpec,
  CaptureStatus,
  EndReason,
} from './protocol.ts';
import { captureUpkeep, openTrack } from './track.ts';
import {
  type DeviceStream,
  type Naudiodon,
  hangGuard,
  openStream,
  watchDevice,
} from '../device/device-stream.ts';
import { type ElapsedClock, elapsedClock } from '../../shared/time.ts';
import { openPulse } from '../pulse/pulse.ts';
import { Superseded } from '../capture-activity.ts';
import { deviceFrameBytes } from '../../audio/level-meter.ts';
import { captureRate } from '../../audio/wav.ts';

/** One device into one file until it is told to end, whatever the device does meanwhile. */
export interface Recorder {
  status(): CaptureStatus;
  pause(): void;
  resume(): void;
  /** The first reason counts. */
  end(reason: EndReason): void;
  /**
   * Settles when the file is complete on the disk. `hung`: the device did not close.
   * Rejects with {Superseded}.
   */
  readonly ended: Promise<{ last: CaptureEnded; hung: boolean }>;
}

/** Between attempts to open a device that is not there, milliseconds. */
const reopenMs = 500;

/**
 * @param now what a recording's time is measured by.
 * @throws {Superseded}
 */
export async function openRecorder(
  spec: CaptureSpec,
  native: Naudiodon | null,
  now: ElapsedClock = elapsedClock(),
): Promise<Recorder> {
  const { folder, limits, device } = spec;
  if ((await readClaim(folder))?.claim !== spec.claim) throw new Superseded();
  const track = await openTrack(spec, now);
  const pulse = openPulse();
  const openedAt = now();
  let state: CaptureStatus['state'] = 'opening';
  let problem: CaptureProblem | null = null;
  let paused = track.wasPaused;
  let ending: EndReason | null = null;
  /** Wakes whoever waits for pause, resume or end. */
  let wake = () => {};
  let stream: DeviceStream | null = null;
  let late = lateAudio(now);
  let lastDataAt = openedAt;
  /** The open stream has failed so and is being closed. */
  let lost: CaptureProblem['code'] | null = null;
  const guard = hangGuard(limits.quitMs, () => ending !== null, changed);
  const watch = watchDevice(spec, lose);
  const stopUpkeep = captureUpkeep(spec, track, end);

  return {
    status: () => ({
      type: 'status',
      claim: spec.claim,
      pid: process.pid,
      state,
      ledger: track.ledger,
      level: track.level,
      flatSeconds: track.flatSeconds,
      quietSeconds: track.quietSeconds,
      sides: track.sides,
      problem,
    }),
    pause() {
      if (paused || ending !== null) return;
      paused = true;
      turn();
    },
    resume() {
      if (!paused || ending !== null) return;
      paused = false;
      hears();
      turn();
    },
    end,
    ended: run(),
  };

  function end(reason: EndReason): void {
    if (ending !== null) return;
    ending = reason;
    state = 'stopping';
    turn();
  }

  /** Pause, resume and end take effect: what is open is closed, who waits goes on. */
  function turn(): void {
    closeStream();
    wake();
  }

  function closeStream(): void {
    // What it fails with is told where it is waited for.
    stream?.close().catch(() => undefined);
  }

  async function run(): Promise<{ last: CaptureEnded; hung: boolean }> {
    while (ending === null) {
      if (paused) await whilePaused();
      else if (await openDevice()) await pump();
    }
    return await finish(ending);
  }

  async function whilePaused(): Promise<void> {
    track.giveUpMissing();
    track.quieten();
    state = 'paused';
    problem = null;
    await track.note({ paused: true });
    if (paused && ending === null) await changed();
    if (ending === null) state = 'opening';
    await track.note({ paused: false });
  }

  /** Tries until it is open, or paused, or over. */
  async function openDevice(): Promise<boolean> {
    for (;;) {
      const anything = track.ledger.samples > 0;
      if (!anything && now() - openedAt > limits.firstDataMs) end('device-unavailable');
      if (paused || ending !== null) return false;
      try {
        if (await sourceIsThere()) {
          if (paused || ending !== null) return false;
          stream = native && openStream(native, device);
          if (stream) {
            lost = null;
            late = lateAudio(now);
            hears();
            return true;
          }
        }
        tell('device-gone', `“${device}” is not there.`);
      } catch (error) {
        if (error instanceof StageError) tell('audio-server-gone', error.message);
        else tell('device-failed', `“${device}” cannot be opened: ${String(error)}`);
      }
      if (anything) track.miss(lastDataAt);
      await Promise.race([changed(), sleep(reopenMs)]);
    }
  }

  /** PortAudio lists a device of the audio server also when its source is gone, and hangs with the server. */
  async function sourceIsThere(): Promise<boolean> {
    if (spec.source === null) return true;
    const { microphones, monitors } = await pulse.sources();
    return [...microphones, ...monitors].some(({ name }) => name === spec.source);
  }

  async function pump(): Promise<void> {
    const open = stream!;
    const failed = (error: unknown) => {
      lose('device-failed', `“${device}” failed: ${String(error)}`);
      return null;
    };
    try {
      for (;;) {
        const block = await guard.wait(open.read().catch(failed));
        if (block === null) break;
        hears();
        // What comes from another source is not what was asked for.
        if (lost !== 'moved') await take(late.take(block));
      }
      await take(late.rest());
      // Not closed by us: the device has ended by itself.
      lose('device-failed', `“${device}” has ended.`);
    } catch (error) {
      if (isDiskError(error)) end('disk-failed');
      else failed(error);
    } finally {
      await guard.wait(open.close()).catch(() => undefined); // it failed above already
      stream = null;
    }
  }

  function hears(): void {
    lastDataAt = now();
    watch.heard();
  }

  async function take({ missingMs, arrivals }: Settled): Promise<void> {
    // A night of sleep is not filled up beyond what a recording may have.
    if (track.seconds + missingMs / 1000 >= limits.secondsMax) {
      // What the device still had when the hours were full is not missing.
      if (missingMs > 0) track.miss(now() - missingMs);
      return end('limit-hours');
    }
    await track.fill(missingMs);
    for (const { block, at } of arrivals) await track.take(block, at);
    if (lost !== null) track.miss(lastDataAt);
    else if (ending === null && !paused && arrivals.length > 0) {
      state = 'capturing';
      problem = null;
    }
    if (track.seconds >= limits.secondsMax) end('limit-hours');
  }

  /** The device is open but does not give what it should: from here on audio is missing. */
  function lose(code: CaptureProblem['code'], message: string): void {
    if (!stream || lost || paused || ending !== null) return;
    lost = code;
    late.stopCounting();
    track.miss(lastDataAt);
    tell(code, message);
    closeStream();
  }

  function tell(code: CaptureProblem['code'], message: string): void {
    state = 'waiting';
    track.quieten();
    if (problem?.code !== code)
      problem = { code, message, since: problem?.since ?? new Date().toISOString() };
  }

  async function finish(reason: EndReason): Promise<{ last: CaptureEnded; hung: boolean }> {
    watch.stop();
    track.giveUpMissing();
    await stopUpkeep();
    const last = { type: 'ended', claim: spec.claim, ledger: track.ledger } as const;
    try {
      await track.close();
      await track.note({ ended: reason });
      return { last: { ...last, reason }, hung: guard.hung };
    } catch {
      // A disk that takes no more: the file ends where it does, and is repaired when it is read.
      return { last: { ...last, reason: 'disk-failed' }, hung: guard.hung };
    }
  }

  function changed(): Promise<void> {
    return new Promise((resolve) => (wake = resolve));
  }
}

const isDiskError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error;

/** A block of the device, and when it came. */
export type Arrival = { block: Buffer; at: number };

/** Tells audio that is late from audio that is lost. */
export type LateAudio = {
  /** A block has come. Gives what may be written now: nothing while it is not clear what is missing. */
  take(block: Buffer): Settled;
  /** What is missing from now on is somebody else's to tell: of blocks still to come none is late. */
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
