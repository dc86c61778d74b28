import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { measureBlock } from '../../audio/level-meter.ts';
import { captureRate } from '../../audio/wav.ts';
import { ClaimedElsewhere, readClaim, readNotes, writeNotes } from '../file/capture-files.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import type { CaptureSpec, CaptureStatus, EndReason, SideSignal } from './protocol.ts';
import type { ElapsedClock } from '../../shared/time.ts';
import type { KeptLedger } from '../../../events/facts/ledger.ts';
import { recoverLedger, withBlock, withGap } from '../file/ledger.ts';
import { type WavWriter, openWavWriter } from '../file/wav-writer.ts';
import { mutex } from '../../shared/mutex.ts';

/** Shorter holes are the clock's and not the device's. */
const gapMsMin = 50;
/** A voice at some distance is louder, the noise of a quiet room is not. Full scale is 1. */
const quietRms = 0.0056;

/** Continues what is in the recording's folder; what was not recorded since is missing. */
export async function openTrack(spec: CaptureSpec, now: ElapsedClock): Promise<Track> {
  const { folder, channels } = spec;
  const path = join(folder, audioFileName);
  // Before the file is touched: when it was last written is when the audio stopped.
  const before = await stat(path).catch(() => null);
  const writer = await openWavWriter(path, channels);
  const notes = await readNotes(folder);
  const wasPaused = notes?.paused ?? false;
  const ledger = await recoverLedger(path, channels, writer.frames, notes?.ledger ?? null);
  const stopped = before && writer.frames > 0 && !wasPaused;
  const missingSince = stopped ? now() - Math.max(0, Date.now() - before.mtimeMs) : null;
  return new Track(spec, { now, writer, ledger, wasPaused, missingSince });
}

/** What is captured: the file, which it holds, and what is known about it. */
export class Track {
  /** Whether it was paused when it was opened. */
  readonly wasPaused: boolean;
  readonly #spec: CaptureSpec;
  readonly #now: ElapsedClock;
  readonly #writer: WavWriter;
  readonly #oneAtATime = mutex();
  readonly #sides: [SideSignal, SideSignal] = [
    { flatSeconds: 0, everHeard: false },
    { flatSeconds: 0, everHeard: false },
  ];
  #ledger: KeptLedger;
  /** With the gap that is being filled. */
  #filling: KeptLedger | null = null;
  #level: { rms: number; peak: number } | null = null;
  #flatSeconds = 0;
  #quietSeconds = 0;
  #paused: boolean;
  #missingSince: number | null;

  constructor(
    spec: CaptureSpec,
    found: {
      now: ElapsedClock;
      writer: WavWriter;
      ledger: KeptLedger;
      wasPaused: boolean;
      missingSince: number | null;
    },
  ) {
    this.#spec = spec;
    this.#now = found.now;
    this.#writer = found.writer;
    this.#ledger = found.ledger;
    this.wasPaused = found.wasPaused;
    this.#paused = found.wasPaused;
    this.#missingSince = found.missingSince;
  }

  get ledger(): KeptLedger {
    return this.#ledger;
  }
  /** Of the last block; null while nothing comes. */
  get level(): { rms: number; peak: number } | null {
    return this.#level;
  }
  /** Seconds without any signal, and without anything loud enough to be a voice. */
  get flatSeconds(): number {
    return this.#flatSeconds;
  }
  get quietSeconds(): number {
    return this.#quietSeconds;
  }
  /** Of a file with two channels. */
  get sides(): CaptureStatus['sides'] {
    return this.#spec.channels === 2 ? this.#sides : undefined;
  }
  /** Of audio, with what is missing at its end. */
  get seconds(): number {
    return (this.#ledger.samples + this.#missingFrames(this.#now())) / captureRate;
  }

  /** Appends a block as the device gave it at that moment, behind silence for what was missing. */
  async take(interleaved: Buffer, at: number): Promise<void> {
    const block = measureBlock(interleaved, this.#spec.channels);
    const seconds = block.frames / captureRate;
    const missing = this.#missingFrames(at - seconds * 1000);
    // Nothing was missing yet when a block came that was held back.
    if (this.#missingSince !== null && at > this.#missingSince) this.#missingSince = null;
    await this.#fill(missing);
    await this.#writer.write(block.pcm);
    this.#ledger = withBlock(this.#ledger, block);
    this.#level = { rms: block.rms, peak: block.peak };
    this.#flatSeconds = block.flat ? this.#flatSeconds + seconds : 0;
    for (const [index, side] of this.#sides.entries()) {
      const flat = block.flatSides[index]!;
      side.everHeard ||= !flat;
      side.flatSeconds = flat ? side.flatSeconds + seconds : 0;
    }
    this.#quietSeconds = block.rms < quietRms ? this.#quietSeconds + seconds : 0;
  }

  /** Appends silence for what is missing, and marks it; milliseconds. */
  fill(missingMs: number): Promise<void> {
    return this.#fill(framesOf(missingMs));
  }

  /** Nothing comes for now: there is no level. */
  quieten(): void {
    this.#level = null;
    this.#flatSeconds = 0;
    this.#quietSeconds = 0;
    for (const side of this.#sides) side.flatSeconds = 0;
  }

  /** From that moment of the clock on audio is missing; an earlier moment stays. */
  miss(since: number): void {
    this.#missingSince ??= since;
  }

  /** What is missing stays missing: noted, but not filled with silence, because nothing follows it. */
  giveUpMissing(): void {
    const missing = this.#missingFrames(this.#now());
    this.#missingSince = null;
    if (missing > 0) this.#ledger = withGap(this.#ledger, missing, false);
  }

  /** Onto the disk; `thorough`: header and notes as well. */
  async keep(thorough: boolean): Promise<void> {
    await this.#writer.sync();
    if (!thorough) return;
    await this.#writer.updateHeader();
    await this.#note(null);
  }

  /** Writes the notes that a later process reads. */
  async note(state: { paused?: boolean; ended?: EndReason }): Promise<void> {
    this.#paused = state.paused ?? this.#paused;
    await this.#note(state.ended ?? null);
  }

  /** Completes the file. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  /** One at a time: notes share a temporary file. */
  #note(ended: EndReason | null): Promise<void> {
    const { claim, folder } = this.#spec;
    return this.#oneAtATime(() => {
      const ledger = this.#filling ?? this.#ledger;
      return writeNotes(folder, { claim, ledger, paused: this.#paused, ended });
    });
  }

  #missingFrames(until: number): number {
    const missingMs = this.#missingSince === null ? 0 : until - this.#missingSince;
    return missingMs < gapMsMin ? 0 : framesOf(missingMs);
  }

  async #fill(missing: number): Promise<void> {
    if (missing <= 0) return;
    this.#filling = withGap(this.#ledger, missing, true);
    // The notes come first: after a death, silence in the file would look like a quiet room.
    // The ledger comes last: it never counts samples that are not in the file.
    await this.#note(null);
    await this.#writer.writeSilence(missing);
    this.#ledger = this.#filling;
    this.#filling = null;
  }
}

const framesOf = (ms: number) => Math.round((ms / 1000) * captureRate);

const syncMs = 1000;
/** Every so many syncs header and notes are brought up to date and the disk is looked at. */
const syncsPerUpdate = 5;

/**
 * Every second: is the recording still ours, is what was heard on the disk, is there room and time left?
 * @param onEnd the capture has to end, for that reason.
 */
export function captureUpkeep(
  { claim, folder, limits }: Pick<CaptureSpec, 'claim' | 'folder' | 'limits'>,
  track: Track,
  onEnd: (reason: EndReason) => void,
): CaptureUpkeep {
  let superseded: ClaimedElsewhere | null = null;
  let lookedAt = performance.now();
  let syncs = 0;
  let syncing: Promise<void> | null = null;
  const timer = setInterval(() => {
    syncing ??= upkeep((syncs += 1) % syncsPerUpdate === 0)
      .catch(() => onEnd('disk-failed'))
      .finally(() => (syncing = null));
  }, syncMs);

  return {
    async assertOurs() {
      if (superseded || performance.now() - lookedAt > 2 * syncMs) await look();
    },
    async stop() {
      clearInterval(timer);
      await syncing;
      if (superseded) throw superseded;
    },
  };

  async function look(): Promise<void> {
    if ((await readClaim(folder))?.claim !== claim) superseded ??= new ClaimedElsewhere();
    if (superseded) throw superseded;
    lookedAt = performance.now();
  }

  async function upkeep(thorough: boolean): Promise<void> {
    await look();
    await track.keep(thorough);
    if (track.seconds >= limits.secondsMax) onEnd('limit-hours');
    if (!thorough) return;
    const disk = await statfs(folder);
    if (disk.bavail * disk.bsize < limits.freeBytesMin) onEnd('disk-low');
  }
}

export type CaptureUpkeep = {
  /**
   * To be asked before anything is written: a process that stood still may have been given up, and its audio taken. Looks
   * only when that was not done for a while.
   * @throws {ClaimedElsewhere}
   */
  assertOurs(): Promise<void>;
  /** Resolves when nothing is under way. @throws {ClaimedElsewhere} */
  stop(): Promise<void>;
};
