import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { privateDirectory } from '../../events/durable-file.ts';
import type { Log } from '../log.ts';
import { StageError } from '../stage-error.ts';
import { readBrowserRate, writeBrowserRate } from './browser-file.ts';
import { audioFileName } from './capture-files.ts';
import { wavFramesMax } from './wav-header.ts';
import { openWavWriter, type WavWriter } from './wav-writer.ts';

/** One connection of a browser that sends its microphone. Nothing here may throw or wait. */
export type AudioSender = {
  /** So many samples of the recording are on the disk. */
  acknowledge(samples: number): void;
  /** Nothing more is taken from it; so many samples are on the disk. */
  ended(samples: number, reason: BrowserEnd | BrowserLeft): void;
  /** Whether it is not to be read from for now. */
  hold(held: boolean): void;
};

/** Why there will be no more audio of the recording. */
export type BrowserEnd = 'stopped' | 'browser-gone' | 'limit-hours' | 'disk-low' | 'disk-failed';
/** Why this connection sends no more; the recording may go on. */
export type BrowserLeft = 'paused' | 'taken-over' | 'refused' | 'left' | 'nothing-captured';

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

/** The audio of one recording as a browser sends it, over however many connections. */
export interface BrowserStream {
  /** Samples a second; null until the first connection has said so. */
  readonly rate: number | null;
  /** In the file; all of them on the disk but those that have just come. */
  readonly samples: number;
  /** Since when no connection is there (milliseconds since 1970); null while one is. */
  readonly awaySince: number | null;
  /** Settles when there will be no more, with the file complete. */
  readonly ended: Promise<BrowserEnd>;
  /**
   * From now on this connection sends, and no other: whoever was there is told `taken-over`. A paused
   * recording takes nothing, but knows that the connection is there.
   * @returns the samples that are on the disk; the first one it sends is the one behind them.
   * @throws {StageError} `not-recording`, `recording-paused`, `rate-differs`; what the disk says.
   */
  attach(sender: AudioSender, rate: number): Promise<number>;
  /** Takes whole samples; nothing from who is not attached. */
  take(sender: AudioSender, pcm: Buffer): void;
  /** Takes no more from this connection; it is still there, and may attach again. */
  detach(sender: AudioSender, reason: BrowserLeft): void;
  /** The connection is gone. */
  leave(sender: AudioSender): void;
  /** Ends the recording with what has been taken; from a connection that is there. */
  stop(sender: AudioSender): void;
  /** Ends the recording with what has been taken, whether or not a connection is there. */
  finish(): void;
  pause(paused: boolean): void;
  /** The last word to whoever is there. */
  tell(reason: BrowserEnd | BrowserLeft): void;
  /** Brings what was taken onto the disk and lets the file go; the recording may be opened again. */
  close(): Promise<void>;
}

/** Goes on with what is in the recording's folder. @param onAway is called when `awaySince` changes. */
export async function openBrowserStream(
  folder: string,
  options: { limits: BrowserLimits; log: Log; onAway(): void },
): Promise<BrowserStream> {
  const { limits, log, onAway } = options;
  const path = join(folder, audioFileName);
  let rate = await readBrowserRate(folder);
  // Before the file is touched: when it was last written is when the browser was last heard.
  const heardAt = (await stat(path).catch(() => null))?.mtimeMs ?? Date.now();
  let writer: WavWriter | null = rate === null ? null : await openWavWriter(path, 1, rate);
  /** In the file, and on their way there. */
  let taken = writer?.frames ?? 0;
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

  let sender: AudioSender | null = null;
  /** Attached, or was last: its connection is still there. */
  let present: AudioSender | null = null;
  let paused = false;
  let ending: BrowserEnd | null = null;
  let closed = false;
  let attaching: Promise<unknown> = Promise.resolve();
  let settle: (reason: BrowserEnd) => void;
  const ended = new Promise<BrowserEnd>((resolve) => (settle = resolve));

  /** A recording that has only just begun waits for its browser without complaint. */
  let awaySince: number | null = rate === null ? null : heardAt;
  const waited = Math.max(0, Date.now() - heardAt);
  const firstGraceMs = Math.max(limits.graceMs - waited, limits.restartGraceMs);
  let grace: NodeJS.Timeout | undefined = setTimeout(
    () => end('browser-gone'),
    Math.min(firstGraceMs, limits.graceMs),
  ).unref();

  return {
    get rate() {
      return rate;
    },
    get samples() {
      return frames;
    },
    get awaySince() {
      return awaySince;
    },
    ended,
    attach(arriving, wanted) {
      // One after the other; as many as there are connections of one user at the most.
      const turn = attaching.then(() => attach(arriving, wanted));
      attaching = turn.catch(() => undefined);
      return turn;
    },
    take(from, pcm) {
      if (from !== sender || ending !== null || pcm.length === 0) return;
      const room = framesMax() - taken;
      const kept = pcm.length / 2 > room ? pcm.subarray(0, room * 2) : pcm;
      taken += kept.length / 2;
      pending.push(kept);
      pendingBytes += kept.length;
      if (pendingBytes >= limits.pendingBytesMax) sender.hold(true);
      if (!pumping) pumped = pump();
      if (kept.length < pcm.length) end('limit-hours');
    },
    detach(from, reason) {
      if (from === sender) void dismiss(reason);
    },
    leave(from) {
      if (from === sender) sender = null;
      if (from !== present) return;
      present = null;
      if (ending !== null || closed) return;
      awaySince = Date.now();
      // The service's own sockets keep it alive; a stop must not wait for a browser.
      grace = setTimeout(() => end('browser-gone'), limits.graceMs).unref();
      onAway();
    },
    stop(from) {
      if (from === present) end('stopped');
    },
    finish: () => end('stopped'),
    pause(now) {
      paused = now;
      if (paused && ending === null) void dismiss('paused');
    },
    tell: (reason) => void dismiss(reason, sender ?? present),
    async close() {
      closed = true;
      clearTimeout(grace);
      await attaching;
      await dismiss('left', sender ?? present);
      await closeFile();
    },
  };

  async function attach(arriving: AudioSender, wanted: number): Promise<number> {
    refuse(wanted);
    await dismiss('taken-over');
    arrive(arriving);
    if (paused) throw isPaused();
    if (!writer) {
      await privateDirectory(folder);
      await writeBrowserRate(folder, wanted);
      rate = wanted;
      writer = await openWavWriter(path, 1, wanted);
      taken = frames = writer.frames;
    }
    // It may have been stopped or paused while the disk was waited for.
    refuse(wanted);
    if (paused) throw isPaused();
    sender = arriving;
    return frames;
  }

  function arrive(arriving: AudioSender): void {
    present = arriving;
    clearTimeout(grace);
    awaySince = null;
    onAway();
  }

  function refuse(wanted: number): void {
    if (ending !== null || closed)
      throw refused('not-recording', 'This recording has ended, or is just ending.');
    if (rate !== null && rate !== wanted)
      throw refused('rate-differs', `This recording has ${rate} samples a second.`);
  }

  function end(reason: BrowserEnd): void {
    if (ending !== null) return;
    ending = reason;
    clearTimeout(grace);
    void finish();
  }

  async function finish(): Promise<void> {
    await attaching;
    await flush();
    try {
      await closeFile();
    } catch (error) {
      // What was acknowledged is on the disk; the file is repaired when it is read.
      log.error({ err: error, folder }, 'the audio of a browser could not be completed');
      ending = 'disk-failed';
    }
    settle(ending!);
  }

  async function closeFile(): Promise<void> {
    const open = writer;
    writer = null;
    await open?.close();
  }

  /** Tells whoever is attached, once everything taken from them is on the disk, that nothing more is. */
  async function dismiss(
    reason: BrowserEnd | BrowserLeft,
    former: AudioSender | null = sender,
  ): Promise<void> {
    sender = null;
    await flush();
    former?.hold(false);
    former?.ended(frames, reason);
  }

  async function flush(): Promise<void> {
    flushing += 1;
    hurry();
    while (pumping) await pumped;
    flushing -= 1;
  }

  /** Writes and syncs what has come, and only then acknowledges it. Never throws. */
  async function pump(): Promise<void> {
    pumping = true;
    while (pending.length > 0) {
      const batch = Buffer.concat(pending);
      pending = [];
      pendingBytes = 0;
      try {
        await writer!.write(batch);
        await keep(writer!);
        frames = writer!.frames;
      } catch (error) {
        log.error({ err: error, folder }, 'the audio of a browser cannot be written');
        pending = [];
        sender?.hold(false);
        end('disk-failed');
        break;
      }
      sender?.hold(false);
      sender?.acknowledge(frames);
      if (flushing === 0) await aMoment();
    }
    // In the turn of the loop's last look: what comes from now on starts it anew.
    pumping = false;
  }

  async function keep(file: WavWriter): Promise<void> {
    const now = performance.now();
    if (now - upkeepAt < limits.upkeepMs) return await file.sync();
    upkeepAt = now;
    await file.updateHeader();
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < limits.freeBytesMin) end('disk-low');
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

const isPaused = () => refused('recording-paused', 'The recording is paused: resume it first.');

const refused = (code: string, message: string) =>
  new StageError(code, message, { retriable: false });
