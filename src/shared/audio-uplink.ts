/**
 * Sends the audio of one recording to its service, over one connection after another: from what the service has on its
 * disk, in order, until all of it is acknowledged. Desk recorders and browsers share this file; each opens its own
 * connections and reads its own store. The file imports nothing of the service's side, so that browsers can load it.
 */
import { pauseAfter } from './pauses.ts';

/** The recording as the service is told of it. */
export type SentRecording = {
  /** A key that the sender made up: a sender that goes away before the answer does not begin another recording. */
  readonly id: string;
  /** The service's own id; null until the service has said it. */
  readonly recordingId: string | null;
  /** Null: left to the service. */
  readonly kind: 'solo' | 'meeting' | null;
  readonly startedAt: string;
};

/** A time in which nothing was recorded, told to the service when it is over. */
export type SentInterruption = {
  /** Of the recording before it. */
  readonly samples: number;
  /** RFC 3339. */
  readonly from: string;
  readonly to: string;
  /** Absent: not known. */
  readonly reason?: 'call' | 'muted' | 'gone' | 'asleep';
};

/** 16-bit samples, of two channels in turn where there are two. */
type Samples<Pcm> = { readonly byteLength: number; slice(start: number): Pcm };

/** Consecutive samples; `end` is the place behind the last one, counted in each channel. */
type Piece<Pcm> = { readonly end: number; readonly pcm: Pcm };

/** An open WebSocket. */
type Line<Pcm> = { readonly bufferedAmount: number; send(data: Pcm | string): void };

/** What the service says to a sender. */
export type UplinkAnswer =
  | {
      type: 'audio.ready';
      recording_id: string;
      samples: number;
      stopped?: boolean | undefined;
      ended?: boolean | undefined;
    }
  | { type: 'audio.ack'; samples: number }
  | { type: 'audio.interrupted'; samples: number }
  | { type: 'audio.ended'; samples: number; reason: string }
  | {
      type: 'warning';
      code: string;
      /** Finer than `code`. */
      reason?: string | undefined;
      detail: string;
      recording_id?: string | undefined;
    };

export type UplinkPeer<Pcm extends Samples<Pcm>> = {
  readonly recording: SentRecording;
  /** Samples a second, in each channel. */
  readonly rate: number;
  /** Two: the person’s own microphone, and what others say. Places and lengths count the samples of one. */
  readonly channels: 1 | 2;
  /** What else is said of the recording at each start. */
  readonly start: {
    readonly sender?: 'recorder';
    readonly people?: readonly string[];
    readonly title?: string;
    readonly language?: string;
    readonly continues?: string;
    /** What the browser or computer is called. */
    readonly name?: string;
  };
  /** Waits between connections double up to this, in milliseconds. */
  readonly longestWaitMs: number;
  /** Opens a connection; `opened` or `lost` follows. */
  connect(uplink: AudioUplink<Pcm>): void;
  /** Leaves the connection, if there is one. */
  disconnect(): void;
  /** The next samples behind the first `from`, oldest first; none: there is nothing yet. */
  read(from: number): Promise<readonly Piece<Pcm>[]>;
  /** The store could not be read: it is read again at the next `poke`. */
  unreadable(error: unknown): void;
  /**
   * The service takes this recording, which it calls so, from here on.
   * @param isStopped a person has ended it: nothing more is to be recorded
   * @param hasEnded it has ended, whoever ended it: what comes is added
   */
  ready(recordingId: string, isStopped: boolean, hasEnded: boolean): void;
  /** So many samples are on the service's disk. @returns how many count as acknowledged */
  acknowledged(samples: number): number;
  /** Those of which the service has not said that it has heard, the first one first. */
  interruptions?(): readonly SentInterruption[];
  /** The service has heard of the one that began there. */
  interruptionTold?(samples: number): void;
  /** The service takes nothing more for now. */
  ended(reason: string): void;
  /** The service does not begin, or go on with, this recording. */
  refused(code: string, detail: string, reason?: string): void;
};

/** Bytes that wait in the connection above which nothing more is given to it. */
const aheadBytesMax = 256 * 1024;
/** Looks at a connection that takes nothing more become this rare, in milliseconds. */
const looks = { first: 100, max: 1000 };
const firstWaitMs = 500;
/** Interruptions that are told before the service has answered: it lets few messages wait. */
const toldAtOnce = 8;

/** Holds the timer until the next connection. */
export class AudioUplink<Pcm extends Samples<Pcm>> {
  readonly #peer: UplinkPeer<Pcm>;
  #line: Line<Pcm> | null = null;
  #isConnecting = false;
  /** Samples sent on this connection or before; null while nothing is taken. */
  #sent: number | null = null;
  #acknowledged = 0;
  /** `audio.start` was said, and not answered yet. */
  #isAsking = false;
  /** `audio.stop` was said, and not answered yet. */
  #isEnding = false;
  #isPumping = false;
  /** Asked for while it was pumping. */
  #isWanted = false;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Samples behind which the recording ends; null: it goes on. */
  #stopAt: number | null = null;
  #isClosed = false;
  /** Interruptions that were told on this connection. */
  #told = new WeakSet<SentInterruption>();
  /** Looks in a row at which the connection took nothing more. */
  #looks = 0;

  constructor(peer: UplinkPeer<Pcm>) {
    this.#peer = peer;
  }

  /** There is more to send. */
  poke(): void {
    void this.#pump();
  }

  /** There is an interruption to tell of. */
  tellInterruptions(): void {
    if (this.#sent === null) return;
    for (const one of this.#peer.interruptions?.().slice(0, toldAtOnce) ?? []) {
      if (this.#told.has(one)) continue;
      this.#told.add(one);
      this.#say({ type: 'audio.interrupted', ...one });
    }
  }

  /** Connects, or asks again on the connection that is there. */
  begin(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#sent !== null || this.#isAsking || this.#isConnecting) return;
    if (this.#line !== null) return this.#sayStart();
    this.#isConnecting = true;
    this.#peer.connect(this);
  }

  /** The same later, after ever longer waits. */
  beginLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const pauses = { first: firstWaitMs, max: this.#peer.longestWaitMs, isSpread: true };
    this.#timer = setTimeout(() => this.begin(), pauseAfter(pauses, this.#tries));
    this.#tries += 1;
  }

  /** Ends the recording once so many samples are acknowledged. */
  stop(total: number): void {
    this.#stopAt = total;
    this.#sayStop();
  }

  /** Ends a recording that is paused there: nothing is taken from this connection, but it is heard. */
  stopPaused(): void {
    this.#say({ type: 'audio.stop' });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#peer.disconnect();
  }

  /** The connection that was asked for is open. */
  opened(line: Line<Pcm>): void {
    this.#line = line;
    this.#isConnecting = false;
    this.#sayStart();
  }

  /** The connection is gone, or there was none: the next one comes by itself. */
  lost(): void {
    this.#line = null;
    this.#told = new WeakSet();
    this.#isConnecting = false;
    this.#sent = null;
    this.#isAsking = false;
    this.#isEnding = false;
    this.beginLater();
  }

  /** The service has said something. */
  heard(frame: UplinkAnswer): void {
    if (frame.type === 'audio.ready') {
      this.#isAsking = false;
      this.#sent = frame.samples;
      this.#peer.ready(frame.recording_id, frame.stopped === true, frame.ended === true);
      // Before the end, which the next line may say.
      this.tellInterruptions();
      this.#acknowledge(frame.samples);
      this.poke();
    } else if (frame.type === 'audio.ack') {
      this.#acknowledge(frame.samples);
    } else if (frame.type === 'audio.interrupted') {
      this.#peer.interruptionTold?.(frame.samples);
      this.tellInterruptions();
    } else if (frame.type === 'audio.ended') {
      this.#sent = null;
      this.#isEnding = false;
      this.#acknowledge(frame.samples);
      this.#peer.ended(frame.reason);
    } else if (
      frame.recording_id === undefined &&
      frame.reason !== 'start-first' &&
      (this.#isAsking || this.#isEnding)
    ) {
      // A warning that names a recording is about a device. Without a question, or with that reason, it is about audio
      // that was still on its way when the service ended: `audio.ended` has told of that.
      this.#isAsking = false;
      this.#isEnding = false;
      this.#peer.refused(frame.code, frame.detail, frame.reason);
    }
  }

  #sayStart(): void {
    const { rate, channels, start, recording } = this.#peer;
    const { id, kind, recordingId, startedAt } = recording;
    this.#isAsking = true;
    this.#isEnding = false;
    this.#say({
      type: 'audio.start',
      ...(kind === null ? {} : { kind }),
      sample_rate: rate,
      ...(channels === 2 ? { channels } : {}),
      ...start,
      ...(recordingId === null ? { id } : { recording_id: recordingId }),
      // What was recorded by now, in samples at most: a service that starts again knows of nothing that waits here.
      held: Math.max(0, Math.round(((Date.now() - Date.parse(startedAt)) / 1000) * rate)),
    });
  }

  #acknowledge(samples: number): void {
    const before = this.#acknowledged;
    this.#acknowledged = this.#peer.acknowledged(samples);
    // Who is sent away again with all it has does not come back at once each time.
    if (this.#acknowledged > before) this.#tries = 0;
    this.#sayStop();
  }

  /** Said once on each connection that takes audio: from then on nothing is sent until it has ended. */
  #sayStop(): void {
    if (this.#stopAt === null || this.#sent === null || this.#acknowledged < this.#stopAt) return;
    this.#sent = null;
    this.#isEnding = true;
    this.#say({ type: 'audio.stop' });
  }

  #say(frame: {
    type: 'audio.start' | 'audio.gap' | 'audio.interrupted' | 'audio.stop';
    [also: string]: unknown;
  }): void {
    this.#line?.send(JSON.stringify(frame));
  }

  /** Sends what is in the store, in order; one pump at a time. */
  async #pump(): Promise<void> {
    this.#isWanted = true;
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        while (await this.#sendSome());
      }
    } catch (error) {
      this.#peer.unreadable(error);
    } finally {
      this.#isPumping = false;
    }
  }

  /** @returns whether there may be more to send at once */
  async #sendSome(): Promise<boolean> {
    const [line, from] = [this.#line, this.#sent];
    if (line === null || from === null) return false;
    if (line.bufferedAmount > aheadBytesMax) {
      const pause = pauseAfter(looks, this.#looks);
      this.#looks += 1;
      await new Promise((resolve) => setTimeout(resolve, pause));
      return true;
    }
    this.#looks = 0;
    const pieces = await this.#peer.read(from);
    // Another connection meanwhile, or what was taken changed: from where that one begins.
    if (this.#line !== line || this.#sent !== from) return this.#sent !== null;
    const bytes = this.#peer.channels * 2;
    let sent = from;
    for (const { end, pcm } of pieces) {
      const first = end - pcm.byteLength / bytes;
      // What nobody heard, or has any more, is a gap: the service fills it, and what follows keeps its time.
      if (first > sent) this.#say({ type: 'audio.gap', samples: first - sent });
      line.send(first < sent ? pcm.slice((sent - first) * bytes) : pcm);
      sent = end;
    }
    this.#sent = sent;
    return pieces.length > 0;
  }
}
