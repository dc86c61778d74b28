import { WebSocket } from 'ws';
import type * as z from 'zod';
import { captureRate } from '../audio/wav.ts';
import type { clientFrame } from '../http/feed/client-frames.ts';
import { messageOf } from '../shared/errors.ts';
import { linkFailure, noMitschrift } from './ask-service.ts';
import type { DeskAudio } from './desk-audio.ts';
import type { DeskNote } from './desk-folder.ts';
import { incomingFrame, parsedFrame, loggedOut, refusedHandshake } from './link-frames.ts';
import type { Login } from './logins.ts';

/**
 * Sends one recording to its service, as a browser does (`web/client/microphone/audio-link.ts`): from what the
 * service has on its disk, over however many connections.
 */
export interface DeskLink {
  /** There is more to send. */
  poke(): void;
  /** Connects, or asks again on the connection that is there. */
  begin(): void;
  /** The same later, after ever longer waits. */
  beginLater(): void;
  /** Ends the recording once so many samples are acknowledged. */
  stop(total: number): void;
  /** Ends a recording that is paused there: nothing is taken from this connection, but it is heard. */
  stopPaused(): void;
  close(): void;
}

export type DeskLinkEvents = {
  /** The session to connect with; null: nobody is logged in. */
  login(): Promise<Login | null>;
  /** The service takes this recording, which it calls so, from here on. */
  ready(recordingId: string): void;
  /** So many samples are on its disk. */
  acknowledged(samples: number): void;
  /** It takes nothing more for now. */
  ended(reason: string): void;
  /** It does not begin, or go on with, this recording. */
  refused(code: string, detail: string): void;
  /** It was resumed there. */
  resumed(): void;
  /** It was stopped, here or by another connection of the same person. */
  stopped(): void;
  /** Why there is no connection, in words; null: there is one. */
  away(why: string | null): void;
};

/** Bytes that wait in the socket above which it is waited for it. */
const aheadBytesMax = 256 * 1024;
const aheadWaitMs = 50;
/** Of one message: half of what the service takes. */
const frameSamples = 16_000;
const pauses = { first: 500, max: 5000 };
/** The service pings every 15 s: a connection that is silent for longer is gone. */
const silentMs = 40_000;
const handshakeMs = 10_000;

/** What of a recording is said to its service. */
export type LinkNote = Readonly<
  Pick<DeskNote, 'id' | 'recordingId' | 'server' | 'kind' | 'people' | 'startedAt'>
>;

/** Samples at most. */
const recordedSince = (startedAt: string): number =>
  Math.max(0, Math.round(((Date.now() - Date.parse(startedAt)) / 1000) * captureRate));

/** Connects at the first `begin`. */
export const openDeskLink = (
  note: LinkNote,
  audio: Pick<DeskAudio, 'read'>,
  on: DeskLinkEvents,
): DeskLink => new SocketLink(note, audio, on);

/** Holds the connection, and a timer until the next one. */
class SocketLink implements DeskLink {
  readonly #note: LinkNote;
  readonly #audio: Pick<DeskAudio, 'read'>;
  readonly #on: DeskLinkEvents;
  #socket: WebSocket | null = null;
  /** Samples sent on this connection or before; null while nothing is taken. */
  #sent: number | null = null;
  #acknowledged = 0;
  /** `audio.start` was said, and not answered yet. */
  #isAsking = false;
  #isConnecting = false;
  #isPumping = false;
  #isWanted = false;
  #tries = 0;
  #timer: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #stopAt: number | null = null;
  #isClosed = false;

  constructor(note: LinkNote, audio: Pick<DeskAudio, 'read'>, on: DeskLinkEvents) {
    this.#note = note;
    this.#audio = audio;
    this.#on = on;
  }

  poke(): void {
    void this.#pump();
  }

  begin(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#sent !== null || this.#isAsking || this.#isConnecting) return;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#sayStart();
    else if (this.#socket === null) void this.#connect();
  }

  beginLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const wait = Math.min(pauses.max, pauses.first * 2 ** this.#tries);
    this.#tries += 1;
    // Many desks do not come back in the same moment.
    this.#timer = setTimeout(() => this.begin(), wait * (0.75 + Math.random() / 2));
  }

  stop(total: number): void {
    this.#stopAt = total;
    this.#sayStop();
  }

  stopPaused(): void {
    this.#say({ type: 'audio.stop' });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#socket?.terminate();
  }

  async #connect(): Promise<void> {
    this.#isConnecting = true;
    const login = await this.#on.login().catch((error: unknown) => {
      this.#on.away(messageOf(error));
      return undefined;
    });
    this.#isConnecting = false;
    if (this.#isClosed) return;
    if (login === null) this.#on.away(loggedOut(this.#note.server));
    if (!login) return this.beginLater();
    const socket = new WebSocket(`${login.server.replace(/^http/u, 'ws')}/ws`, {
      headers: { authorization: `Bearer ${login.token}`, 'user-agent': 'mitschrift record' },
      handshakeTimeout: handshakeMs,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    let why: string | null = null;
    socket.on('unexpected-response', (_request, { statusCode: status }) => {
      why = refusedHandshake(login.server, status ?? 0);
      socket.terminate();
    });
    socket.on('error', (error) => (why ??= linkFailure(login.server, error).message));
    socket.on('open', () => {
      this.#on.away(null);
      this.#heard();
      this.#sayStart();
    });
    socket.on('ping', () => this.#heard());
    socket.on('message', (data: Buffer) => {
      this.#heard();
      const message = parsedFrame(data);
      if (message !== undefined) return this.#receive(message);
      why = noMitschrift(login.server).message;
      socket.terminate();
    });
    socket.on('close', () => this.#closed(why ?? `${login.server} broke the connection off.`));
  }

  #closed(why: string): void {
    clearTimeout(this.#silence);
    this.#socket = null;
    this.#sent = null;
    this.#isAsking = false;
    if (this.#isClosed) return;
    this.#on.away(why);
    this.beginLater();
  }

  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#socket?.terminate(), silentMs);
  }

  #sayStart(): void {
    const { id, recordingId, kind, people, startedAt } = this.#note;
    this.#isAsking = true;
    this.#say({
      type: 'audio.start',
      kind,
      sample_rate: captureRate,
      sender: 'recorder',
      ...(people.length > 0 ? { people } : {}),
      // What it has recorded by now without the service.
      ...(recordingId === null
        ? { id, held: recordedSince(startedAt) }
        : { recording_id: recordingId }),
    });
  }

  /** Said once on each connection that takes audio: from then on nothing is sent until it has ended. */
  #sayStop(): void {
    if (this.#stopAt === null || this.#sent === null || this.#acknowledged < this.#stopAt) return;
    this.#sent = null;
    this.#say({ type: 'audio.stop' });
  }

  #say(frame: z.input<typeof clientFrame>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #receive(message: unknown): void {
    const parsed = incomingFrame.safeParse(message);
    // Most frames of a feed are about other things.
    if (!parsed.success) return;
    const frame = parsed.data;
    if (frame.type === 'audio.ready') {
      this.#tries = 0;
      this.#isAsking = false;
      this.#sent = frame.samples;
      this.#acknowledge(frame.samples);
      this.#on.ready(frame.recording_id);
      this.poke();
    } else if (frame.type === 'audio.ack') {
      this.#acknowledge(frame.samples);
    } else if (frame.type === 'audio.ended') {
      this.#sent = null;
      this.#acknowledge(frame.samples);
      this.#on.ended(frame.reason);
    } else if (frame.type === 'warning') {
      // With a recording it is about a device; the rest of what was asked is answered already.
      if (frame.recording_id !== undefined || !this.#isAsking) return;
      this.#isAsking = false;
      this.#on.refused(frame.code, frame.detail);
    } else if (frame.recording_id === this.#note.recordingId) {
      if (frame.event === 'recording.resumed') this.#on.resumed();
      else this.#on.stopped();
    }
  }

  /** What the service says last counts, also when it is less: its disk may have been put back. */
  #acknowledge(samples: number): void {
    this.#acknowledged = samples;
    this.#on.acknowledged(samples);
    this.#sayStop();
  }

  /** Sends what is in the file, in order; one pump at a time. */
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
      // The file of this desk cannot be read: asked again at the next poke.
      this.#on.away(messageOf(error));
    } finally {
      this.#isPumping = false;
    }
  }

  /** @returns whether there may be more to send at once */
  async #sendSome(): Promise<boolean> {
    const [socket, from] = [this.#socket, this.#sent];
    if (socket?.readyState !== WebSocket.OPEN || from === null) return false;
    if (socket.bufferedAmount > aheadBytesMax) {
      await new Promise((resolve) => setTimeout(resolve, aheadWaitMs));
      return true;
    }
    const pcm = await this.#audio.read(from, frameSamples);
    // Another connection meanwhile: from where that one begins.
    if (this.#socket !== socket || this.#sent !== from) return this.#sent !== null;
    if (pcm.length === 0) return false;
    socket.send(pcm);
    this.#sent = from + pcm.length / 2;
    return true;
  }
}
