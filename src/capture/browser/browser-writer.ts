import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { privateDirectory } from '../../shared/files.ts';
import type { Log } from '../../shared/log.ts';
import { readBrowserRate, writeBrowserRate } from './browser-file.ts';
import { audioFileName } from '../file/capture-files.ts';
import { wavFramesMax } from '../../audio/wav.ts';
import { type WavWriter, openWavWriter } from '../file/wav-writer.ts';

/** The way of a browser's samples onto the disk: written, synced, and only then told. */
export interface BrowserWriter {
  /** Samples a second; null until it has been opened at one. */
  readonly rate: number | null;
  /** In the file; all of them on the disk but those that have just come. */
  readonly samples: number;
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

/**
 * Goes on with what is in the recording's folder.
 * @param onHeld whether so much waits for the disk that no more should come.
 * @param onWritten so many samples are on the disk.
 * @param onFailed called when the disk is nearly full, or takes nothing.
 */
export async function openBrowserWriter(
  folder: string,
  options: {
    limits: BrowserLimits;
    log: Log;
    onHeld(held: boolean): void;
    onWritten(samples: number): void;
    onFailed(reason: 'disk-low' | 'disk-failed'): void;
  },
): Promise<BrowserWriter> {
  const { limits, log, onHeld, onWritten, onFailed } = options;
  const path = join(folder, audioFileName);
  let rate = await readBrowserRate(folder);
  // Before the file is touched: when it was last written is when the browser was last heard.
  const heardAt = (await stat(path).catch(() => null))?.mtimeMs ?? Date.now();
  let file: WavWriter | null = rate === null ? null : await openWavWriter(path, 1, rate);
  /** In the file, and on their way there. */
  let taken = file?.frames ?? 0;
  /** In the file, also when that has been closed. */
  let frames = taken;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let pumping = false;
  let pumped: Promise<void> = Promise.resolve();
  /** While somebody waits for the disk, there is no pause between two syncs. */
  let flushing = 0;
  let hurry = () => {};
  let upkeepAt = performance.now();

  return {
    get rate() {
      return rate;
    },
    get samples() {
      return frames;
    },
    heardAt,
    async open(wanted) {
      if (file) return;
      await privateDirectory(folder);
      await writeBrowserRate(folder, wanted);
      rate = wanted;
      file = await openWavWriter(path, 1, wanted);
      taken = frames = file.frames;
    },
    take(pcm) {
      const room = framesMax() - taken;
      const kept = pcm.length / 2 > room ? pcm.subarray(0, room * 2) : pcm;
      taken += kept.length / 2;
      pending.push(kept);
      pendingBytes += kept.length;
      if (pendingBytes >= limits.pendingBytesMax) onHeld(true);
      if (!pumping) pumped = pump();
      return kept.length === pcm.length;
    },
    async flush() {
      flushing += 1;
      hurry();
      while (pumping) await pumped;
      flushing -= 1;
    },
    async close() {
      const open = file;
      file = null;
      await open?.close();
    },
  };

  /** Writes and syncs what has come, and only then tells of it. Never throws. */
  async function pump(): Promise<void> {
    pumping = true;
    while (pending.length > 0) {
      const batch = Buffer.concat(pending);
      pending = [];
      pendingBytes = 0;
      try {
        await file!.write(batch);
        await keep(file!);
        frames = file!.frames;
      } catch (error) {
        log.error({ err: error, folder }, 'the audio of a browser cannot be written');
        pending = [];
        onHeld(false);
        onFailed('disk-failed');
        break;
      }
      onHeld(false);
      onWritten(frames);
      if (flushing === 0) await aMoment();
    }
    // In the turn of the loop's last look: what comes from now on starts it anew.
    pumping = false;
  }

  async function keep(open: WavWriter): Promise<void> {
    const now = performance.now();
    if (now - upkeepAt < limits.upkeepMs) return await open.sync();
    upkeepAt = now;
    await open.updateHeader();
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < limits.freeBytesMin) onFailed('disk-low');
  }

  function aMoment(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limits.acknowledgeEveryMs);
      hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function framesMax(): number {
    return Math.min(Math.floor(limits.secondsMax * (rate ?? 0)), wavFramesMax(1));
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
  restartGraceMs: 60_000,
  acknowledgeEveryMs: 250,
  pendingBytesMax: 1024 * 1024,
  upkeepMs: 5000,
};
