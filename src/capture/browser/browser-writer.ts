import { stat, statfs, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { copyDurably, privateDirectory } from '../../shared/files.ts';
import { leftForMs } from '../../recordings/control/left-recordings.ts';
import type { Log } from '../../shared/log.ts';
import {
  type BrowserNote,
  type SentLayout,
  gapsWithin,
  readBrowserNote,
  writeBrowserNote,
} from './browser-file.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { wavFramesMax } from '../../audio/wav.ts';
import { type WavWriter, openWavWriter } from '../file/wav-writer.ts';
import { inChannels } from './in-channels.ts';
import { type Intake, allowedSeconds, endsSoon } from './intake.ts';
import { hasCode } from '../../shared/errors.ts';
import { type SignalMeter, signalMeter } from './signal-meter.ts';
import type { SpaceLimitReached } from '../../storage/quota.ts';

export type SharedCapture = {
  /** The first of them is the one at `start`. @throws what `over` says, and what does not pass by itself */
  put(start: number, layout: SentLayout, pcm: Buffer): Promise<void>;
  /** What of them the browser did not hear, before its silence is put. @throws as `put` */
  keepGaps(gaps: BrowserNote['gaps']): Promise<void>;
  /** Aborted when this process no longer records: what was not put by then was not acknowledged, and comes again. */
  over: AbortSignal;
};

type BrowserWriterOptions = {
  limits: BrowserLimits;
  /**
   * Whether another process may still have the file open that it had when it was lost: a copy is gone on with then,
   * into which that one writes nothing.
   */
  sharesFolders: boolean;
  log: Log;
  /** Whether so much waits for the disk that no more should come. */
  onHeld(held: boolean): void;
  /** Keeps samples where all nodes have them; undefined where the file does. */
  share: SharedCapture | undefined;
  /** So many samples are on the disk. */
  onWritten(samples: number): void;
  /** The disk is nearly full, or cannot be written to; or the owner's space is. */
  onFailed(reason: 'disk-low' | 'disk-failed' | 'space-limit'): void;
  /** What may come; undefined: whatever there is room for on the disk. */
  intake: Intake | undefined;
  /** `roomSeconds` has changed. */
  onRoom(): void;
};

/** Continues what is in the recording's folder. */
export async function openBrowserWriter(
  folder: string,
  options: BrowserWriterOptions,
): Promise<BrowserWriter> {
  const path = join(folder, audioFileName);
  const note = await readBrowserNote(folder);
  const layout = note && { rate: note.rate, channels: note.channels };
  // Before the file is touched: when it was last written is when the browser was last heard.
  const found = await stat(path).catch(() => null);
  const heardAt = found?.mtimeMs ?? Date.now();
  if (options.sharesFolders && found) {
    await copyDurably(path, path);
    await utimes(path, found.atime, found.mtime);
  }
  const file = layout && (await openWavWriter(path, layout.channels, layout.rate));
  return new BrowserWriter(folder, options, { layout, heardAt, file, gaps: note?.gaps ?? [] });
}

/** Writes a browser's samples to the disk, which wait here: written, synced, and only then acknowledged. */
export class BrowserWriter {
  /** When the file was last written before this one opened it; milliseconds since 1970. */
  readonly heardAt: number;
  readonly #folder: string;
  readonly #options: BrowserWriterOptions;
  #layout: SentLayout | null;
  #file: WavWriter | null;
  /** In the file, also when that has been closed. */
  #frames: number;
  /** In the file, and on their way there. */
  #taken: number;
  #measured: SignalMeter | null = null;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isPumping = false;
  #pumped: Promise<void> = Promise.resolve();
  /** How many wait for the disk. Meanwhile there is no pause between two syncs. */
  #flushing = 0;
  #endPause = () => {};
  #upkeepAt = performance.now();
  #gaps: BrowserNote['gaps'];
  /** Of them, those that the note has. */
  #noted: number;
  #held = 0;
  readonly #opened: { frames: number; at: number };
  /** Until the browser has sent no more than it may have: what comes faster waits. */
  #ahead: NodeJS.Timeout | undefined;
  #room: number | null = null;

  constructor(
    folder: string,
    options: BrowserWriterOptions,
    found: {
      layout: SentLayout | null;
      heardAt: number;
      file: WavWriter | null;
      gaps: BrowserNote['gaps'];
    },
  ) {
    this.#folder = folder;
    this.#options = options;
    this.heardAt = found.heardAt;
    this.#layout = found.layout;
    this.#file = found.file;
    this.#frames = found.file?.frames ?? 0;
    this.#taken = this.#frames;
    this.#opened = { frames: this.#frames, at: performance.now() };
    // Of a gap whose silence was not written any more, what was: the rest comes again.
    this.#gaps = gapsWithin(found.gaps, 0, this.#frames);
    this.#noted = this.#gaps.length;
  }

  /** Null until it has been opened with one. */
  get layout(): SentLayout | null {
    return this.#layout;
  }

  /** In the file, in each channel; all of them on the disk but those that have just come. */
  get samples(): number {
    return this.#frames;
  }

  /** What was counted of what this one wrote; null where the file was begun by another. */
  get measured(): SignalMeter | null {
    return this.#measured;
  }

  /** Seconds of audio for which there is still room; null: more than need be told. */
  get roomSeconds(): number | null {
    return this.#room;
  }

  /**
   * Makes the file unless it is open, with a layout that is durable before the first sample. A file that is there
   * keeps its own.
   * @param held samples that the browser says it has recorded already
   */
  async open({ rate, channels }: SentLayout, held = 0): Promise<void> {
    this.#held = Math.max(this.#held, held);
    if (this.#file) return;
    await privateDirectory(this.#folder);
    await writeBrowserNote(this.#folder, { rate, channels, gaps: [] });
    this.#layout = { rate, channels };
    this.#file = await openWavWriter(join(this.#folder, audioFileName), channels, rate);
    this.#frames = this.#file.frames;
    this.#taken = this.#frames;
    if (this.#frames === 0) this.#measured = signalMeter(rate * channels);
  }

  /**
   * Takes whole samples of so many channels, without waiting; they are kept in those of the file.
   * @returns false when there was no room for all of them
   */
  take(pcm: Buffer, channels: 1 | 2): boolean {
    const fitted = inChannels(pcm, channels, this.#channels);
    const room = this.#roomFrames() * this.#frameBytes;
    const kept = fitted.length > room ? fitted.subarray(0, room) : fitted;
    this.#queue(kept);
    return kept.length === fitted.length;
  }

  /**
   * Takes silence for so many samples that the browser did not hear, and notes that they are missing. What there is no
   * room for is not filled up: after a night of sleep the recording ends with what was heard before.
   * @returns false when there is no room for all of them: none is taken
   */
  takeGap(samples: number): boolean {
    if (samples > this.#roomFrames()) return false;
    const last = this.#gaps.at(-1);
    // Beyond so many there is one long one.
    if (last && this.#gaps.length >= gapsMax) {
      last[1] = this.#taken + samples - last[0];
      this.#noted = 0;
    } else this.#gaps.push([this.#taken, samples]);
    for (let left = samples * this.#frameBytes; left > 0; left -= silence.length)
      this.#queue(silence.subarray(0, Math.min(left, silence.length)));
    return true;
  }

  get #channels(): 1 | 2 {
    return this.#layout?.channels ?? 1;
  }

  get #frameBytes(): number {
    return this.#channels * 2;
  }

  #roomFrames(): number {
    const { secondsMax } = this.#options.limits;
    const rate = this.#layout?.rate ?? 0;
    const framesMax = Math.min(Math.floor(secondsMax * rate), wavFramesMax(this.#channels));
    return framesMax - this.#taken;
  }

  #queue(pcm: Buffer): void {
    const { limits, onHeld } = this.#options;
    this.#taken += pcm.length / this.#frameBytes;
    this.#pending.push(pcm);
    this.#pendingBytes += pcm.length;
    if (this.#pendingBytes >= limits.pendingBytesMax) onHeld(true);
    this.#waitIfAhead();
    if (!this.#isPumping) this.#pumped = this.#pump();
  }

  /** Nobody speaks faster than time goes by: what comes in faster is not read for a while. */
  #waitIfAhead(): void {
    const { intake, onHeld } = this.#options;
    if (!intake || this.#ahead) return;
    const rate = this.#layout?.rate ?? 1;
    const opened = {
      with: this.#opened.frames / rate,
      ago: (performance.now() - this.#opened.at) / 1000,
    };
    const ahead = this.#taken / rate - allowedSeconds(intake, this.#held / rate, opened);
    if (ahead <= 0) return;
    onHeld(true);
    this.#ahead = setTimeout(
      () => {
        this.#ahead = undefined;
        this.#goOn();
      },
      Math.min(ahead, 10) * 1000,
    ).unref();
  }

  #goOn(): void {
    if (!this.#ahead) this.#options.onHeld(false);
  }

  /** Resolves when everything taken is on the disk, or could not be written. */
  async flush(): Promise<void> {
    this.#flushing += 1;
    this.#endPause();
    while (this.#isPumping) await this.#pumped;
    this.#flushing -= 1;
  }

  /** Completes the file. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    clearTimeout(this.#ahead);
    this.#ahead = undefined;
    await file?.close();
  }

  /** Writes and syncs what has come, and only then acknowledges it. Never throws. */
  async #pump(): Promise<void> {
    const { log, share, intake, onHeld, onWritten, onFailed } = this.#options;
    this.#isPumping = true;
    while (this.#pending.length > 0) {
      const batch = this.#nextBatch();
      try {
        const file = this.#file!;
        await intake?.grow(batch.length);
        await this.#noteGaps();
        await file.write(batch);
        this.#measured?.add(new Int16Array(batch.buffer, batch.byteOffset, batch.length / 2));
        await this.#keep(file);
        await share?.put(this.#frames, this.#layout!, batch);
        this.#frames = file.frames;
      } catch (error) {
        this.#pending = [];
        onHeld(false);
        if (share?.over.aborted) break;
        if (hasCode<SpaceLimitReached>(error, 'SPACE_LIMIT_REACHED')) {
          log.warn(
            { err: error, folder: this.#folder },
            'audio from a browser has no space on the disk',
          );
          onFailed('space-limit');
          break;
        }
        log.error(
          { err: error, folder: this.#folder },
          'audio from a browser cannot be written to the disk',
        );
        onFailed('disk-failed');
        break;
      }
      this.#goOn();
      onWritten(this.#frames);
      if (this.#flushing === 0) await this.#pause();
    }
    // In the same tick as the last look at what is pending: what comes from now on starts it again.
    this.#isPumping = false;
  }

  /** As much of what waits as is written at once: a gap may be of hours. */
  #nextBatch(): Buffer {
    let [count, bytes] = [0, 0];
    for (const { length } of this.#pending) {
      if (bytes >= batchBytesMax) break;
      bytes += length;
      count += 1;
    }
    this.#pendingBytes -= bytes;
    return Buffer.concat(this.#pending.splice(0, count));
  }

  async #noteGaps(): Promise<void> {
    if (this.#noted === this.#gaps.length) return;
    this.#noted = this.#gaps.length;
    await writeBrowserNote(this.#folder, { ...this.#layout!, gaps: this.#gaps });
    await this.#options.share?.keepGaps(this.#gaps);
  }

  async #keep(file: WavWriter): Promise<void> {
    const { limits, onFailed } = this.#options;
    const now = performance.now();
    if (now - this.#upkeepAt < limits.upkeepMs) return await file.sync();
    this.#upkeepAt = now;
    await file.updateHeader();
    const { bavail, bsize } = await statfs(this.#folder);
    if (bavail * bsize < limits.freeBytesMin) onFailed('disk-low');
    const room = endsSoon(this.#options.intake, file.rate * this.#frameBytes);
    const isOther = (room === null) !== (this.#room === null);
    this.#room = room;
    if (isOther) this.#options.onRoom();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.limits.acknowledgeEveryMs);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** A recording with more gaps than that has one long one at its end. */
const gapsMax = 1000;
/** Written and acknowledged at once. */
const batchBytesMax = 4 * 1024 * 1024;
/** For gaps. */
const silence = Buffer.alloc(256 * 1024);

/** What a recording from a browser's microphone is limited to. */
export type BrowserLimits = {
  /** Seconds of audio. */
  secondsMax: number;
  /** Free bytes on the disk below which a recording ends cleanly. */
  freeBytesMin: number;
  /** Milliseconds a recording waits for its browser to come back. */
  graceMs: number;
  /**
   * The same for `mitschrift record`, which keeps on its own disk what it could not send, and ends the recording
   * itself.
   */
  recorderGraceMs: number;
  /** Milliseconds it waits at least after a start of the service, however long that was away. */
  restartGraceMs: number;
  /** Milliseconds between two acknowledgements, and so between two syncs. */
  acknowledgeEveryMs: number;
  /** Bytes in memory beyond which the connection is not read from. */
  pendingBytesMax: number;
  /** Milliseconds between two looks at the disk, and between two headers. */
  upkeepMs: number;
};

export const browserLimits: Omit<BrowserLimits, 'secondsMax' | 'freeBytesMin'> = {
  ...leftForMs,
  restartGraceMs: 60_000,
  acknowledgeEveryMs: 250,
  pendingBytesMax: 1024 * 1024,
  upkeepMs: 5000,
};
