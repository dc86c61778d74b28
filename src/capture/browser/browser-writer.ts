import { stat, statfs, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { copyDurably, privateDirectory } from '../../shared/files.ts';
import type { Log } from '../../shared/log.ts';
import { readBrowserRate, writeBrowserRate } from './browser-file.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { wavFramesMax } from '../../audio/wav.ts';
import { type WavWriter, openWavWriter } from '../file/wav-writer.ts';
import { type SignalMeter, signalMeter } from './signal-meter.ts';

/** Writes a browser's samples to the disk: written, synced, and only then acknowledged. */
export interface BrowserWriter {
  /** Samples a second; null until it has been opened at one. */
  readonly rate: number | null;
  /** In the file; all of them on the disk but those that have just come. */
  readonly samples: number;
  /** What was counted of what this one wrote; null where the file was begun by another. */
  readonly measured: SignalMeter | null;
  /** When the file was last written before this one opened it; milliseconds since 1970. */
  readonly heardAt: number;
  /** Makes the file unless it is open, at a rate that is durable before the first sample. */
  open(rate: number): Promise<void>;
  /** Takes whole samples, without waiting. False when there was no room for all of them. */
  take(pcm: Buffer): boolean;
  /** Resolves when everything taken is on the disk, or could not be written. */
  flush(): Promise<void>;
  /** Completes the file. */
  close(): Promise<void>;
}

export type SharedCapture = {
  /** The first of them is the one at `start`. @throws what `over` says, and what does not pass by itself */
  put(start: number, rate: number, pcm: Buffer): Promise<void>;
  /** Aborted when this process no longer records: what was not put by then was not acknowledged, and comes again. */
  over: AbortSignal;
};

type BrowserWriterOptions = {
  limits: BrowserLimits;
  /**
   * Whether another process may still have the file open that it had when it was lost: a copy is gone on with then,
   * into which that one writes nothing. Default: no.
   */
  isShared?: boolean | undefined;
  log: Log;
  /** Whether so much waits for the disk that no more should come. */
  onHeld(held: boolean): void;
  /** Keeps samples where all nodes have them; absent where the file does. */
  share?: SharedCapture | undefined;
  /** So many samples are on the disk. */
  onWritten(samples: number): void;
  /** The disk is nearly full, or cannot be written to. */
  onFailed(reason: 'disk-low' | 'disk-failed'): void;
};

/** Continues what is in the recording's folder. */
export async function openBrowserWriter(
  folder: string,
  options: BrowserWriterOptions,
): Promise<BrowserWriter> {
  const path = join(folder, audioFileName);
  const rate = await readBrowserRate(folder);
  // Before the file is touched: when it was last written is when the browser was last heard.
  const found = await stat(path).catch(() => null);
  const heardAt = found?.mtimeMs ?? Date.now();
  if (options.isShared === true && found) {
    await copyDurably(path, path);
    await utimes(path, found.atime, found.mtime);
  }
  const file = rate === null ? null : await openWavWriter(path, 1, rate);
  return new FileWriter(folder, options, { rate, heardAt, file });
}

/** Holds the file, and what waits to be written to it. */
class FileWriter implements BrowserWriter {
  readonly heardAt: number;
  readonly #folder: string;
  readonly #options: BrowserWriterOptions;
  #rate: number | null;
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

  constructor(
    folder: string,
    options: BrowserWriterOptions,
    found: { rate: number | null; heardAt: number; file: WavWriter | null },
  ) {
    this.#folder = folder;
    this.#options = options;
    this.heardAt = found.heardAt;
    this.#rate = found.rate;
    this.#file = found.file;
    this.#frames = found.file?.frames ?? 0;
    this.#taken = this.#frames;
  }

  get rate(): number | null {
    return this.#rate;
  }

  get samples(): number {
    return this.#frames;
  }

  get measured(): SignalMeter | null {
    return this.#measured;
  }

  async open(rate: number): Promise<void> {
    if (this.#file) return;
    await privateDirectory(this.#folder);
    await writeBrowserRate(this.#folder, rate);
    this.#rate = rate;
    this.#file = await openWavWriter(join(this.#folder, audioFileName), 1, rate);
    this.#frames = this.#file.frames;
    this.#taken = this.#frames;
    if (this.#frames === 0) this.#measured = signalMeter(rate);
  }

  take(pcm: Buffer): boolean {
    const { limits, onHeld } = this.#options;
    const framesMax = Math.min(Math.floor(limits.secondsMax * (this.#rate ?? 0)), wavFramesMax(1));
    const room = framesMax - this.#taken;
    const kept = pcm.length / 2 > room ? pcm.subarray(0, room * 2) : pcm;
    this.#taken += kept.length / 2;
    this.#pending.push(kept);
    this.#pendingBytes += kept.length;
    if (this.#pendingBytes >= limits.pendingBytesMax) onHeld(true);
    if (!this.#isPumping) this.#pumped = this.#pump();
    return kept.length === pcm.length;
  }

  async flush(): Promise<void> {
    this.#flushing += 1;
    this.#endPause();
    while (this.#isPumping) await this.#pumped;
    this.#flushing -= 1;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  /** Writes and syncs what has come, and only then acknowledges it. Never throws. */
  async #pump(): Promise<void> {
    const { log, share, onHeld, onWritten, onFailed } = this.#options;
    this.#isPumping = true;
    while (this.#pending.length > 0) {
      const batch = Buffer.concat(this.#pending);
      this.#pending = [];
      this.#pendingBytes = 0;
      try {
        const file = this.#file!;
        await file.write(batch);
        this.#measured?.add(new Int16Array(batch.buffer, batch.byteOffset, batch.length / 2));
        await this.#keep(file);
        await share?.put(this.#frames, this.#rate!, batch);
        this.#frames = file.frames;
      } catch (error) {
        this.#pending = [];
        onHeld(false);
        if (share?.over.aborted) break;
        log.error({ err: error, folder: this.#folder }, 'the audio of a browser cannot be written');
        onFailed('disk-failed');
        break;
      }
      onHeld(false);
      onWritten(this.#frames);
      if (this.#flushing === 0) await this.#pause();
    }
    // In the same tick as the last look at what is pending: what comes from now on starts it again.
    this.#isPumping = false;
  }

  async #keep(file: WavWriter): Promise<void> {
    const { limits, onFailed } = this.#options;
    const now = performance.now();
    if (now - this.#upkeepAt < limits.upkeepMs) return await file.sync();
    this.#upkeepAt = now;
    await file.updateHeader();
    const { bavail, bsize } = await statfs(this.#folder);
    if (bavail * bsize < limits.freeBytesMin) onFailed('disk-low');
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

export const browserLimits: Omit<BrowserLimits, 'secondsMax'> = {
  freeBytesMin: 500_000_000,
  graceMs: 600_000,
  recorderGraceMs: 7 * 24 * 3600_000,
  restartGraceMs: 60_000,
  acknowledgeEveryMs: 250,
  pendingBytesMax: 1024 * 1024,
  upkeepMs: 5000,
};
