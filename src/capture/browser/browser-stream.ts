import type { Log } from '../../shared/log.ts';
import { StageError, type StageErrorCode } from '../../shared/errors.ts';
import { type BrowserLimits, openBrowserWriter } from './browser-writer.ts';
import { mutex } from '../../shared/mutex.ts';

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
  let sender: AudioSender | null = null;
  const writer = await openBrowserWriter(folder, {
    limits,
    log,
    onHeld: (held) => sender?.hold(held),
    onWritten: (samples) => sender?.acknowledge(samples),
    onFailed: end,
  });
  /** Attached, or was last: its connection is still there. */
  let present: AudioSender | null = null;
  let paused = false;
  let ending: BrowserEnd | null = null;
  let closed = false;
  const oneAtATime = mutex();
  let settle: (reason: BrowserEnd) => void;
  const ended = new Promise<BrowserEnd>((resolve) => (settle = resolve));

  /** A recording that has only just begun waits for its browser without complaint. */
  let awaySince: number | null = writer.rate === null ? null : writer.heardAt;
  const waited = Math.max(0, Date.now() - writer.heardAt);
  const firstGraceMs = Math.max(limits.graceMs - waited, limits.restartGraceMs);
  let grace: NodeJS.Timeout | undefined = setTimeout(
    () => end('browser-gone'),
    Math.min(firstGraceMs, limits.graceMs),
  ).unref();

  return {
    get rate() {
      return writer.rate;
    },
    get samples() {
      return writer.samples;
    },
    get awaySince() {
      return awaySince;
    },
    ended,
    attach(arriving, wanted) {
      // One after the other; as many as there are connections of one user at the most.
      return oneAtATime(() => attach(arriving, wanted));
    },
    take(from, pcm) {
      if (from !== sender || ending !== null || pcm.length === 0) return;
      if (!writer.take(pcm)) end('limit-hours');
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
      await oneAtATime(async () => {});
      await dismiss('left', sender ?? present);
      await writer.close();
    },
  };

  async function attach(arriving: AudioSender, wanted: number): Promise<number> {
    refuse(wanted);
    await dismiss('taken-over');
    arrive(arriving);
    if (paused) throw isPaused();
    await writer.open(wanted);
    // It may have been stopped or paused while the disk was waited for.
    refuse(wanted);
    if (paused) throw isPaused();
    sender = arriving;
    return writer.samples;
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
    if (writer.rate !== null && writer.rate !== wanted)
      throw refused('rate-differs', `This recording has ${writer.rate} samples a second.`);
  }

  function end(reason: BrowserEnd): void {
    if (ending !== null) return;
    ending = reason;
    clearTimeout(grace);
    void finish();
  }

  async function finish(): Promise<void> {
    await oneAtATime(async () => {});
    await writer.flush();
    try {
      await writer.close();
    } catch (error) {
      // What was acknowledged is on the disk; the file is repaired when it is read.
      log.error({ err: error, folder }, 'the audio of a browser could not be completed');
      ending = 'disk-failed';
    }
    settle(ending!);
  }

  /** Tells whoever is attached, once everything taken from them is on the disk, that nothing more is. */
  async function dismiss(
    reason: BrowserEnd | BrowserLeft,
    former: AudioSender | null = sender,
  ): Promise<void> {
    sender = null;
    await writer.flush();
    former?.hold(false);
    former?.ended(writer.samples, reason);
  }
}

const isPaused = () => refused('recording-paused', 'The recording is paused: resume it first.');

const refused = (code: StageErrorCode, message: string) =>
  new StageError(code, message, { retriable: false });
