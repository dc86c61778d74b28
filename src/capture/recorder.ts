import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StageError } from '../stage-error.ts';
import { captureRate, measureBlock } from './capture-audio.ts';
import { audioFileName, readClaim, readNotes, writeNotes } from './capture-files.ts';
import type {
  CaptureEnded,
  CaptureProblem,
  CaptureSpec,
  CaptureStatus,
  EndReason,
} from './capture-protocol.ts';
import { openStream, type DeviceStream } from './device-stream.ts';
import { withBlock, withGap } from './ledger.ts';
import type { Naudiodon } from './naudiodon.ts';
import { openPulse } from './pulse.ts';
import { recoverLedger } from './recover-ledger.ts';
import { openWavWriter } from './wav-writer.ts';
import { watchStream } from './watch-stream.ts';

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

/** Another process was told to record this: nothing here may be touched any more. */
export class Superseded extends Error {
  override name = 'Superseded';
}

/** Between attempts to open a device that is not there, milliseconds. */
const reopenMs = 500;
const syncMs = 1000;
/** Every so many syncs header and notes are brought up to date and the disk is looked at. */
const syncsPerUpdate = 5;
/** Shorter holes are the clock's and not the device's. */
const gapMsMin = 50;
/** A voice at some distance is louder, the noise of a quiet room is not. Full scale is 1. */
const quietRms = 0.0056;

/** @throws {Superseded} */
export async function openRecorder(spec: CaptureSpec, native: Naudiodon | null): Promise<Recorder> {
  const { folder, channels, limits, device } = spec;
  const path = join(folder, audioFileName);
  if ((await readClaim(folder))?.claim !== spec.claim) throw new Superseded();
  const before = await stat(path).catch(() => null);
  const writer = await openWavWriter(path, channels);
  const notes = await readNotes(folder);
  const pulse = openPulse();

  let ledger = await recoverLedger(path, channels, writer.frames, notes?.ledger ?? null);
  let state: CaptureStatus['state'] = 'opening';
  let level: CaptureStatus['level'] = null;
  let problem: CaptureProblem | null = null;
  let flatSeconds = 0;
  let quietSeconds = 0;
  let paused = notes?.paused ?? false;
  let ending: EndReason | null = null;
  /** Wakes whoever waits for pause, resume or end. */
  let wake = () => {};
  let stream: DeviceStream | null = null;
  let hung = false;
  /** Since when audio is missing (`performance.now()`); null while none is. */
  let missingSince: number | null = null;
  if (before && writer.frames > 0 && !paused)
    missingSince = performance.now() - Math.max(0, Date.now() - before.mtimeMs);
  let lastDataAt = performance.now();
  const openedAt = performance.now();
  let anything = writer.frames > 0;
  /** The open stream has failed and is being closed; what still comes is kept unless it was moved. */
  let lost: CaptureProblem['code'] | null = null;
  let superseded: Superseded | null = null;

  const watching = new AbortController();
  if (spec.source !== null) {
    watchStream({
      source: spec.source,
      signal: watching.signal,
      onMoved: (other) => lose('moved', `The audio server moved the recording to “${other}”.`),
      onServerGone: () => lose('audio-server-gone', 'The audio server has ended.'),
    });
  }
  const stallTimer = setInterval(() => {
    if (stream && state !== 'stopping' && performance.now() - lastDataAt > limits.stallMs)
      lose('no-data', `“${device}” gives no data.`);
  }, 250);
  let writing: Promise<unknown> = Promise.resolve();
  let syncs = 0;
  let busy = false;
  const syncTimer = setInterval(() => {
    if (busy) return;
    busy = true;
    syncs += 1;
    writing = upkeep(syncs % syncsPerUpdate === 0)
      .catch((error: unknown) => {
        if (error instanceof Superseded) superseded = error;
        failDisk();
      })
      .finally(() => (busy = false));
  }, syncMs);

  return {
    status: () => ({
      type: 'status',
      claim: spec.claim,
      pid: process.pid,
      state,
      ledger,
      level,
      flatSeconds,
      quietSeconds,
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
      lastDataAt = performance.now();
      turn();
    },
    end: endWith,
    ended: run(),
  };

  function endWith(reason: EndReason): void {
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

  /** The device is open but does not give what it should: from here on audio is missing. */
  function lose(code: CaptureProblem['code'], message: string): void {
    if (!stream || lost || paused || ending !== null) return;
    lost = code;
    missingSince ??= lastDataAt;
    tell(code, message);
    closeStream();
  }

  function tell(code: CaptureProblem['code'], message: string): void {
    state = 'waiting';
    level = null;
    if (problem?.code !== code)
      problem = { code, message, since: problem?.since ?? new Date().toISOString() };
  }

  async function run(): Promise<{ last: CaptureEnded; hung: boolean }> {
    while (ending === null) {
      if (paused) await whilePaused();
      else if (await openDevice()) await pump();
    }
    return await finish(ending);
  }

  async function whilePaused(): Promise<void> {
    markUnfilledGap();
    [state, level, problem] = ['paused', null, null];
    flatSeconds = quietSeconds = 0;
    await noteDown(null);
    if (paused && ending === null) await changed();
    if (ending === null) state = 'opening';
    await noteDown(null);
  }

  /** Tries until it is open, or paused, or over. */
  async function openDevice(): Promise<boolean> {
    for (;;) {
      if (!anything && performance.now() - openedAt > limits.firstDataMs)
        endWith('device-unavailable');
      if (paused || ending !== null) return false;
      try {
        if (await sourceIsThere()) {
          if (paused || ending !== null) return false;
          stream = native && openStream(native, device);
          if (stream) {
            lost = null;
            lastDataAt = performance.now();
            return true;
          }
        }
        tell('device-gone', `“${device}” is not there.`);
      } catch (error) {
        if (error instanceof StageError) tell('audio-server-gone', error.message);
        else tell('device-failed', `“${device}” cannot be opened: ${String(error)}`);
      }
      if (anything) missingSince ??= lastDataAt;
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
    try {
      for (;;) {
        const block = await untilHung(open.read());
        if (block === null) break;
        // What comes from another source is not what was asked for.
        if (lost !== 'moved') await take(block);
      }
      // Not closed by us: the device has ended by itself.
      lose('device-failed', `“${device}” has ended.`);
    } catch (error) {
      if (isDiskError(error)) failDisk();
      else lose('device-failed', `“${device}” failed: ${String(error)}`);
    } finally {
      await untilHung(open.close()).catch(() => undefined); // it failed above already
      stream = null;
    }
  }

  async function take(interleaved: Buffer): Promise<void> {
    const arrived = performance.now();
    const block = measureBlock(interleaved, channels);
    const seconds = block.frames / captureRate;
    if (missingSince !== null && lost === null) {
      const missingMs = arrived - seconds * 1000 - missingSince;
      missingSince = null;
      if (missingMs >= gapMsMin) {
        const frames = Math.round((missingMs / 1000) * captureRate);
        ledger = withGap(ledger, frames, true);
        // Noted first: silence in a file whose capture died could not be told from a quiet room.
        await noteDown(null);
        await writer.writeSilence(frames);
      }
    }
    await writer.write(block.pcm);
    ledger = withBlock(ledger, block);
    lastDataAt = arrived;
    anything = true;
    level = { rms: block.rms, peak: block.peak };
    flatSeconds = block.flat ? flatSeconds + seconds : 0;
    quietSeconds = block.rms < quietRms ? quietSeconds + seconds : 0;
    if (lost !== null) missingSince = arrived;
    else if (ending === null && !paused) {
      state = 'capturing';
      problem = null;
    }
    if (ledger.samples >= limits.secondsMax * captureRate) endWith('limit-hours');
  }

  async function upkeep(thorough: boolean): Promise<void> {
    if ((await readClaim(folder))?.claim !== spec.claim) throw new Superseded();
    await writer.sync();
    const missing = missingSince === null ? 0 : (performance.now() - missingSince) / 1000;
    if (ledger.samples / captureRate + missing >= limits.secondsMax) endWith('limit-hours');
    if (!thorough) return;
    await writer.updateHeader();
    await noteDown(null);
    const disk = await statfs(folder);
    if (disk.bavail * disk.bsize < limits.freeBytesMin) endWith('disk-low');
  }

  async function noteDown(ended: EndReason | null): Promise<void> {
    await writeNotes(folder, { claim: spec.claim, ledger, paused, ended });
  }

  async function finish(reason: EndReason): Promise<{ last: CaptureEnded; hung: boolean }> {
    clearInterval(stallTimer);
    clearInterval(syncTimer);
    watching.abort();
    markUnfilledGap();
    await writing;
    if (superseded) throw superseded;
    try {
      await writer.close();
      await noteDown(reason);
    } catch {
      // A disk that takes no more: the file ends where it does, and is repaired when it is read.
      return { last: lastWord('disk-failed'), hung };
    }
    return { last: lastWord(reason), hung };
  }

  function lastWord(reason: EndReason): CaptureEnded {
    return { type: 'ended', claim: spec.claim, reason, ledger };
  }

  /** Nothing follows that would have to be in its place: the gap is told, not filled. */
  function markUnfilledGap(): void {
    if (missingSince === null) return;
    const missingMs = performance.now() - missingSince;
    missingSince = null;
    if (missingMs >= gapMsMin)
      ledger = withGap(ledger, Math.round((missingMs / 1000) * captureRate), false);
  }

  function failDisk(): void {
    endWith('disk-failed');
  }

  function changed(): Promise<void> {
    return new Promise((resolve) => (wake = resolve));
  }

  /** Waits for the device; once the end is wanted, only so long. */
  async function untilHung<T>(work: Promise<T>): Promise<T | null> {
    const settled = work.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    while (ending === null) {
      const first = await Promise.race([settled, changed().then(() => null)]);
      if (first) return unwrap(first);
    }
    const late = await Promise.race([settled, sleep(limits.quitMs, null, { ref: false })]);
    if (late) return unwrap(late);
    hung = true;
    return null;
  }
}

function unwrap<T>(settled: { value: T } | { error: unknown }): T {
  if ('error' in settled) throw settled.error;
  return settled.value;
}

const isDiskError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error;
