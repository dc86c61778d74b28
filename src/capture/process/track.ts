import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { measureBlock } from '../../audio/level-meter.ts';
import { captureRate } from '../../audio/wav.ts';
import { audioFileName, readClaim, readNotes, writeNotes } from '../file/capture-files.ts';
import type { CaptureSpec, CaptureStatus, EndReason, SideSignal } from './protocol.ts';
import type { ElapsedClock } from '../../shared/time.ts';
import { type Ledger, recoverLedger, withBlock, withGap } from '../file/ledger.ts';
import { openWavWriter } from '../file/wav-writer.ts';
import { Superseded } from '../capture-activity.ts';
import { mutex } from '../../shared/mutex.ts';

/** Shorter holes are the clock's and not the device's. */
const gapMsMin = 50;
/** A voice at some distance is louder, the noise of a quiet room is not. Full scale is 1. */
const quietRms = 0.0056;

/** Goes on with what is in the recording's folder; what was not recorded since is missing. */
export async function openTrack(
  { claim, folder, channels }: CaptureSpec,
  now: ElapsedClock,
): Promise<Track> {
  const path = join(folder, audioFileName);
  // Before the file is touched: when it was last written is when the audio stopped.
  const before = await stat(path).catch(() => null);
  const writer = await openWavWriter(path, channels);
  const notes = await readNotes(folder);
  const wasPaused = notes?.paused ?? false;
  let ledger = await recoverLedger(path, channels, writer.frames, notes?.ledger ?? null);
  /** With the gap that is being filled. */
  let filling: Ledger | null = null;
  let level: Track['level'] = null;
  let flatSeconds = 0;
  let quietSeconds = 0;
  const sides: [SideSignal, SideSignal] = [
    { flatSeconds: 0, everHeard: false },
    { flatSeconds: 0, everHeard: false },
  ];
  let paused = wasPaused;
  let missingSince: number | null = null;
  if (before && writer.frames > 0 && !paused)
    missingSince = now() - Math.max(0, Date.now() - before.mtimeMs);
  const oneAtATime = mutex();

  /** One after the other: they share a temporary file. */
  const note = (ended: EndReason | null): Promise<void> =>
    oneAtATime(() => writeNotes(folder, { claim, ledger: filling ?? ledger, paused, ended }));
  const missingFrames = (until: number): number => {
    const missingMs = missingSince === null ? 0 : until - missingSince;
    return missingMs < gapMsMin ? 0 : framesOf(missingMs);
  };
  const fill = async (missing: number): Promise<void> => {
    if (missing <= 0) return;
    filling = withGap(ledger, missing, true);
    // Noted first: silence in a file whose capture died could not be told from a quiet room. Told
    // last: nobody hears of samples that are not in the file.
    await note(null);
    await writer.writeSilence(missing);
    ledger = filling;
    filling = null;
  };

  return {
    get ledger() {
      return ledger;
    },
    get level() {
      return level;
    },
    get flatSeconds() {
      return flatSeconds;
    },
    get quietSeconds() {
      return quietSeconds;
    },
    get sides() {
      return channels === 2 ? sides : undefined;
    },
    get seconds() {
      return (ledger.samples + missingFrames(now())) / captureRate;
    },
    wasPaused,
    async take(interleaved, at) {
      const block = measureBlock(interleaved, channels);
      const seconds = block.frames / captureRate;
      const missing = missingFrames(at - seconds * 1000);
      // Nothing was missing yet when a block came that was held back.
      if (missingSince !== null && at > missingSince) missingSince = null;
      await fill(missing);
      await writer.write(block.pcm);
      ledger = withBlock(ledger, block);
      level = { rms: block.rms, peak: block.peak };
      flatSeconds = block.flat ? flatSeconds + seconds : 0;
      for (const [at, side] of sides.entries()) {
        const flat = block.flatSides[at]!;
        side.everHeard ||= !flat;
        side.flatSeconds = flat ? side.flatSeconds + seconds : 0;
      }
      quietSeconds = block.rms < quietRms ? quietSeconds + seconds : 0;
    },
    fill: (missingMs) => fill(framesOf(missingMs)),
    quieten() {
      level = null;
      flatSeconds = quietSeconds = 0;
      for (const side of sides) side.flatSeconds = 0;
    },
    miss(since) {
      missingSince ??= since;
    },
    giveUpMissing() {
      const missing = missingFrames(now());
      missingSince = null;
      if (missing > 0) ledger = withGap(ledger, missing, false);
    },
    async keep(thorough) {
      await writer.sync();
      if (!thorough) return;
      await writer.updateHeader();
      await note(null);
    },
    async note(state) {
      paused = state.paused ?? paused;
      await note(state.ended ?? null);
    },
    close: () => writer.close(),
  };
}

const framesOf = (ms: number) => Math.round((ms / 1000) * captureRate);

const syncMs = 1000;
/** Every so many syncs header and notes are brought up to date and the disk is looked at. */
const syncsPerUpdate = 5;

/**
 * Every second: is the recording still ours, is what was heard on the disk, is there room and time left?
 * @param onEnd the capture has to end, for that reason.
 * @returns how to stop; resolves when nothing is under way. Rejects with {Superseded}.
 */
export function captureUpkeep(
  { claim, folder, limits }: Pick<CaptureSpec, 'claim' | 'folder' | 'limits'>,
  track: Track,
  onEnd: (reason: EndReason) => void,
): () => Promise<void> {
  let superseded: Superseded | null = null;
  let syncs = 0;
  let syncing: Promise<void> | null = null;
  const timer = setInterval(() => {
    syncing ??= upkeep((syncs += 1) % syncsPerUpdate === 0)
      .catch((error: unknown) => {
        if (error instanceof Superseded) superseded = error;
        onEnd('disk-failed');
      })
      .finally(() => (syncing = null));
  }, syncMs);

  return async () => {
    clearInterval(timer);
    await syncing;
    if (superseded) throw superseded;
  };

  async function upkeep(thorough: boolean): Promise<void> {
    if ((await readClaim(folder))?.claim !== claim) throw new Superseded();
    await track.keep(thorough);
    if (track.seconds >= limits.secondsMax) onEnd('limit-hours');
    if (!thorough) return;
    const disk = await statfs(folder);
    if (disk.bavail * disk.bsize < limits.freeBytesMin) onEnd('disk-low');
  }
}

/** What is captured: the file, and what is known about it. */
export interface Track {
  readonly ledger: Ledger;
  /** Of the last block; null while nothing comes. */
  readonly level: { rms: number; peak: number } | null;
  /** Seconds without any signal, and without anything loud enough to be a voice. */
  readonly flatSeconds: number;
  readonly quietSeconds: number;
  /** Of a file with two channels. */
  readonly sides: CaptureStatus['sides'];
  /** Of audio, with what is missing at its end. */
  readonly seconds: number;
  /** Whether it was paused when it was opened. */
  readonly wasPaused: boolean;
  /** Appends a block as the device gave it at that moment, behind silence for what was missing. */
  take(interleaved: Buffer, at: number): Promise<void>;
  /** Appends silence for what is missing, and marks it; milliseconds. */
  fill(missingMs: number): Promise<void>;
  /** Nothing comes for now: there is no level. */
  quieten(): void;
  /** From that moment of the clock on audio is missing; an earlier moment stays. */
  miss(since: number): void;
  /** What is missing stays missing: told, but not filled with silence, because nothing follows it. */
  giveUpMissing(): void;
  /** Onto the disk; `thorough`: header and notes as well. */
  keep(thorough: boolean): Promise<void>;
  /** Leaves word for a later process. */
  note(state: { paused?: boolean; ended?: EndReason }): Promise<void>;
  /** Completes the file. */
  close(): Promise<void>;
}
