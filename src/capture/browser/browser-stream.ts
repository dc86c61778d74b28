import type { Log } from '../../shared/log.ts';
import { StageError, type StageFailure } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import {
  type BrowserLimits,
  type BrowserWriter,
  type SharedCapture,
  openBrowserWriter,
} from './browser-writer.ts';
import type { Intake } from './intake.ts';
import { type SentLayout } from './browser-file.ts';
import type { LateBase } from './late-file.ts';
import { mutex } from '../../shared/mutex.ts';

/** One connection of a browser that sends its microphone. Nothing here may throw or wait. */
export type AudioSender = {
  /** What its browser, or desk, calls itself. */
  readonly name?: string | undefined;
  /** Of what it sends; where the recording has one alone, two are mixed. */
  readonly channels?: 1 | 2 | undefined;
  /** So many samples of the recording are on the disk. */
  acknowledge(samples: number): void;
  /** Nothing more is taken from it; so many samples are on the disk. */
  ended(samples: number, reason: BrowserEnd | BrowserLeft): void;
  /** Whether it is not to be read from for now. */
  hold(held: boolean): void;
};

/** Why there will be no more audio of the recording. */
export type BrowserEnd =
  | 'stopped'
  | 'browser-gone'
  | 'limit-hours'
  | 'space-limit'
  | 'disk-low'
  | 'disk-failed';
/** Why this connection sends no more; the recording may go on. */
export type BrowserLeft =
  | 'paused'
  | 'taken-over'
  | 'refused'
  | 'left'
  | 'discarded'
  | 'nothing-captured';

type StreamOptions = {
  /** More are mixed into one (`audio.combined_channels`). */
  channelsMax: 1 | 2;
  /** What is sent comes behind this: it is counted from there, and kept in its layout. */
  behind?: LateBase;
  limits: BrowserLimits;
  /** Whether another process may still have the file open that it had when it was lost. */
  sharesFolders: boolean;
  log: Log;
  share: SharedCapture | undefined;
  intake: Intake | undefined;
  /** `awaySince` has changed, or `roomSeconds`. */
  onAway(): void;
};

/** Continues what is in the recording's folder. */
export async function openBrowserStream(
  folder: string,
  options: StreamOptions,
): Promise<BrowserStream> {
  // Nothing is taken, and so nothing written, before the stream is there.
  let stream: BrowserStream | undefined;
  const writer = await openBrowserWriter(folder, {
    limits: options.limits,
    sharesFolders: options.sharesFolders,
    log: options.log,
    share: options.share,
    intake: options.intake,
    onRoom: options.onAway,
    onHeld: (held) => stream?.sender?.hold(held),
    onWritten: () => stream?.sender?.acknowledge(stream.samples),
    onFailed: (reason) => stream?.end(reason),
  });
  stream = new BrowserStream(folder, writer, options);
  return stream;
}

/** The audio of one recording as a browser sends it, over however many connections: its file, by a writer, and the one that sends. */
export class BrowserStream {
  /** Settles when there will be no more, with the file complete. */
  readonly ended: Promise<BrowserEnd>;
  /** The connection that is attached. */
  sender: AudioSender | null = null;
  readonly #folder: string;
  readonly #writer: BrowserWriter;
  readonly #options: StreamOptions;
  readonly #oneAtATime = mutex();
  /** Attached, or was last: its connection is still there. */
  #present: AudioSender | null = null;
  #isPaused = false;
  #ending: BrowserEnd | null = null;
  #isEndedElsewhere = false;
  #isClosed = false;
  #settle: (reason: BrowserEnd) => void = () => {};
  #name: string | null = null;
  #awaySince: number | null;
  #grace: NodeJS.Timeout | undefined;

  constructor(folder: string, writer: BrowserWriter, options: StreamOptions) {
    this.#folder = folder;
    this.#writer = writer;
    this.#options = options;
    this.ended = new Promise((resolve) => (this.#settle = resolve));
    // A recording that has only just begun waits for its browser without complaint.
    this.#awaySince = writer.layout === null ? null : writer.heardAt;
    const { graceMs, restartGraceMs } = options.limits;
    const waitedMs = Math.max(0, Date.now() - writer.heardAt);
    this.#waitForBrowser(Math.min(graceMs, Math.max(graceMs - waitedMs, restartGraceMs)));
  }

  /** Of the file; null until the first connection has said what it sends. */
  get layout(): SentLayout | null {
    return this.#options.behind ?? this.#writer.layout;
  }
  /** Of the recording, in each channel; all of them on the disk but those that have just come. */
  get samples(): number {
    return (this.#options.behind?.samples ?? 0) + this.#writer.samples;
  }
  /** What was counted of those in the file; null where another process began it. */
  get measured(): BrowserWriter['measured'] {
    return this.#writer.measured;
  }
  /** Since when no connection is there (milliseconds since 1970); null while one is. */
  get awaySince(): number | null {
    return this.#awaySince;
  }
  /** What the browser or desk that sends, or sent last, calls itself; null: it has not said so. */
  get name(): string | null {
    return this.#name;
  }
  /** Seconds of audio for which there is still room; null: more than need be told. */
  get roomSeconds(): number | null {
    return this.#writer.roomSeconds;
  }

  /**
   * From now on this connection sends, and no other: the one before gets `taken-over`. A paused
   * recording takes nothing, but knows that the connection is there.
   * @param held samples it says it has recorded already, when it begins
   * @returns the samples that are on the disk; the first one it sends is the one behind them.
   * @throws {StageError} `recorded-elsewhere` it is being finished, and what comes now is added then;
   *   `recording-paused`, `rate-differs`; what the disk says.
   */
  attach(arriving: AudioSender, rate: number, held?: number): Promise<number> {
    // As many wait as there are connections of one user.
    return this.#oneAtATime(() => this.#attach(arriving, rate, held));
  }

  /** Takes whole samples; nothing from a connection that is not attached. */
  take(from: AudioSender, pcm: Buffer): void {
    if (from !== this.sender || this.#ending !== null || pcm.length === 0) return;
    if (!this.#writer.take(pcm, from.channels ?? 1)) this.end('limit-hours');
  }

  /** The same for so many samples that the browser did not hear. */
  takeGap(from: AudioSender, samples: number): void {
    if (from !== this.sender || this.#ending !== null) return;
    if (!this.#writer.takeGap(samples)) this.end('limit-hours');
  }

  /** Takes no more from this connection; it is still there, and may attach again. */
  detach(from: AudioSender, reason: BrowserLeft): void {
    if (from === this.sender) void this.#dismiss(reason);
  }

  /** The connection is gone. */
  leave(from: AudioSender): void {
    if (from === this.sender) this.sender = null;
    if (from !== this.#present) return;
    this.#present = null;
    if (this.#ending !== null || this.#isClosed) return;
    this.#awaySince = Date.now();
    this.#waitForBrowser(this.#options.limits.graceMs);
    this.#options.onAway();
  }

  /** Ends the recording with what has been taken; from a connection that is there. */
  stop(from: AudioSender): void {
    if (from === this.#present) this.end('stopped');
  }

  /** Ends the recording with what has been taken, whether or not a connection is there. */
  finish(): void {
    this.#isEndedElsewhere ||= this.#ending === null;
    this.end('stopped');
  }

  pause(paused: boolean): void {
    this.#isPaused = paused;
    if (paused && this.#ending === null) void this.#dismiss('paused');
  }

  /** The last message to the connection that is there. */
  announce(reason: BrowserEnd | BrowserLeft): void {
    void this.#dismiss(reason, this.sender ?? this.#present);
  }

  /**
   * Brings what was taken onto the disk and lets the file go; the recording may be opened again.
   * @param reason said to a connection that has not been told any other
   */
  async close(reason: 'left' | 'discarded' = 'left'): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#grace);
    await this.#oneAtATime(async () => {});
    await this.#dismiss(reason, this.sender ?? this.#present);
    await this.#writer.close();
  }

  /** The first reason counts. */
  end(reason: BrowserEnd): void {
    if (this.#ending !== null) return;
    this.#ending = reason;
    clearTimeout(this.#grace);
    void this.#complete();
  }

  async #attach(arriving: AudioSender, rate: number, held?: number): Promise<number> {
    this.#refuse(rate);
    await this.#dismiss('taken-over');
    this.#present = arriving;
    this.#name = arriving.name ?? this.#name;
    clearTimeout(this.#grace);
    this.#awaySince = null;
    this.#options.onAway();
    if (this.#isPaused) throw isPaused();
    const { channelsMax, behind } = this.#options;
    const channels = behind?.channels ?? (arriving.channels === 2 ? channelsMax : 1);
    await this.#writer.open({ rate, channels }, held);
    // It may have been stopped or paused while the disk was waited for.
    this.#refuse(rate);
    if (this.#isPaused) throw isPaused();
    this.sender = arriving;
    return this.samples;
  }

  #refuse(wanted: number): void {
    if (this.#ending !== null || this.#isClosed) throw refused(failure('recording-ending'));
    const { layout } = this;
    if (layout !== null && layout.rate !== wanted)
      throw refused(failure('sample-rate-differs', { rate: layout.rate }));
  }

  /** The service's own sockets keep it alive; a stop must not wait for a browser. */
  #waitForBrowser(forMs: number): void {
    this.#grace = setTimeout(() => this.end('browser-gone'), forMs).unref();
  }

  async #complete(): Promise<void> {
    await this.#oneAtATime(async () => {});
    await this.#writer.flush();
    try {
      await this.#writer.close();
    } catch (error) {
      // What was acknowledged is on the disk; the file is repaired when it is read.
      const { log } = this.#options;
      log.error(
        { err: error, folder: this.#folder },
        'audio from a browser could not be completed',
      );
      this.#ending = 'disk-failed';
    }
    if (this.#isEndedElsewhere && this.samples > 0) await this.#sayEnded();
    this.#settle(this.#ending!);
  }

  /**
   * Who goes on sending because somebody else ended it hears that before the audio is in the log, which may take long:
   * nothing of what comes meanwhile is taken. Who ended it waits for the log.
   */
  async #sayEnded(): Promise<void> {
    // In a pause nothing is taken from it, but it is there.
    await this.#dismiss(this.#ending!, this.sender ?? this.#present);
    this.#present = null;
  }

  /** Says to a connection that nothing more is taken from it, once everything taken is on the disk. */
  async #dismiss(
    reason: BrowserEnd | BrowserLeft,
    former: AudioSender | null = this.sender,
  ): Promise<void> {
    this.sender = null;
    await this.#writer.flush();
    former?.hold(false);
    former?.ended(this.samples, reason);
  }
}

const isPaused = () => refused(failure('recording-paused'));

const refused = (sentence: StageFailure) => new StageError(sentence, { retriable: false });
