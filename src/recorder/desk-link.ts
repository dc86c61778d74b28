import { hostname } from 'node:os';
import { type FileHandle, open } from 'node:fs/promises';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { captureRate, wavHeaderBytes } from '../audio/wav.ts';
import { AudioUplink, type UplinkPeer } from '../shared/audio-uplink.ts';
import { messageOf } from '../shared/errors.ts';
import { linkFailure, noMitschrift } from './ask-service.ts';
import type { DeskNote } from './desk-folder.ts';
import type { Login } from './logins.ts';
import { commandLine } from '../shared/command-line.ts';
import { ifMissing } from '../shared/files.ts';
import { parsedJson } from '../shared/json.ts';
import { titleMax } from '../shared/people-limits.ts';

type DeskLinkEvents = Pick<UplinkPeer<Buffer>, 'ready' | 'ended' | 'refused'> & {
  /** The session to connect with; null: nobody is logged in. */
  login(): Promise<Login | null>;
  /** So many samples are on the service's disk. */
  acknowledged(samples: number): void;
  /** It was resumed there. */
  resumed(): void;
  /** It was stopped, here or by another connection of the same person. */
  stopped(): void;
  /** Why there is no connection, in words; null: there is one. */
  away(why: string | null): void;
};

/** Of one message and channel: half of what the service takes, or all of it. */
const frameSamples = 16_000;

const longestWaitMs = 5000;

/** The service pings every 15 s: a connection that is silent for longer is gone. */
const silentMs = 40_000;

const handshakeMs = 10_000;

/** What of a recording is said to its service. */
export type LinkNote = Readonly<
  Pick<
    DeskNote,
    | 'id'
    | 'recordingId'
    | 'server'
    | 'kind'
    | 'title'
    | 'people'
    | 'startedAt'
    | 'channels'
    | 'folder'
  >
>;

/**
 * Sends one recording to its service, as a browser does (`AudioUplink`), over connections with the session of a desk.
 * It connects at the first `begin`.
 */
export function openDeskLink(
  note: LinkNote,
  audio: Pick<DeskAudio, 'read'>,
  on: DeskLinkEvents,
): AudioUplink<Buffer> {
  const connection = new DeskConnection(note, on);
  return new AudioUplink({
    ...on,
    recording: note,
    rate: captureRate,
    channels: note.channels,
    start: {
      sender: 'recorder',
      name: hostname().slice(0, 80),
      // Notes of earlier releases may have a longer one, with which nothing would be taken.
      ...(note.title === null ? {} : { title: note.title.slice(0, titleMax) }),
      ...(note.people.length > 0 ? { people: note.people } : {}),
      ...(note.folder === null ? {} : { folder: note.folder }),
    },
    longestWaitMs,
    connect: (uplink) => void connection.open(uplink),
    disconnect: () => connection.leave(),
    async read(from) {
      const pcm = await audio.read(from, frameSamples);
      return pcm.length === 0 ? [] : [{ end: from + pcm.length / (note.channels * 2), pcm }];
    },
    unreadable: (error) => on.away(messageOf(error)),
    // What the service says last counts, also when it is less: its disk may have been put back.
    acknowledged(samples) {
      on.acknowledged(samples);
      return samples;
    },
  });
}

/** What to do without a session. */
export const loggedOut = (server: string): string =>
  `You are not logged in to ${server}. Log in first: ${commandLine(`login --server ${server}`)}`;

/** The samples of a recording's file while its capture process goes on writing it. */
export interface DeskAudio {
  /** Samples of each channel in it now; what is half written is not counted. */
  samples(): Promise<number>;
  /** At most `count` samples from one on, as 16-bit little-endian PCM; empty at the end. */
  read(from: number, count: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** The file need not be there yet. */
export function openDeskAudio(path: string, channels: 1 | 2): DeskAudio {
  const frameBytes = channels * 2;
  let opened: FileHandle | null = null;
  const file = async () =>
    (opened ??= await open(path, 'r').catch(ifMissing<FileHandle | null>(null)));
  return {
    async samples() {
      const size = (await (await file())?.stat())?.size ?? 0;
      return Math.max(0, Math.floor((size - wavHeaderBytes) / frameBytes));
    },
    async read(from, count) {
      const buffer = Buffer.alloc(count * frameBytes);
      const at = wavHeaderBytes + from * frameBytes;
      const bytesRead = (await (await file())?.read(buffer, 0, buffer.length, at))?.bytesRead ?? 0;
      return buffer.subarray(0, bytesRead - (bytesRead % frameBytes));
    },
    async close() {
      await opened?.close();
      opened = null;
    },
  };
}

class DeskConnection {
  readonly #note: LinkNote;
  readonly #on: DeskLinkEvents;
  #socket: WebSocket | null = null;
  #silence: NodeJS.Timeout | undefined;
  #isLeft = false;

  constructor(note: LinkNote, on: DeskLinkEvents) {
    this.#note = note;
    this.#on = on;
  }

  async open(uplink: AudioUplink<Buffer>): Promise<void> {
    const login = await this.#on.login().catch((error: unknown) => {
      this.#on.away(messageOf(error));
      return undefined;
    });
    if (this.#isLeft) return;
    if (login === null) this.#on.away(loggedOut(this.#note.server));
    if (!login) return uplink.lost();
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
      this.#heard(socket);
      uplink.opened(socket);
    });
    socket.on('ping', () => this.#heard(socket));
    socket.on('message', (data: Buffer) => {
      this.#heard(socket);
      const message = parsedJson(data.toString('utf8'));
      if (message !== undefined) return this.#receive(message, uplink);
      why = noMitschrift(login.server).message;
      socket.terminate();
    });
    socket.on('close', () => {
      clearTimeout(this.#silence);
      if (!this.#isLeft) this.#on.away(why ?? `${login.server} closed the connection.`);
      uplink.lost();
    });
  }

  leave(): void {
    this.#isLeft = true;
    clearTimeout(this.#silence);
    this.#socket?.terminate();
  }

  #heard(socket: WebSocket): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => socket.terminate(), silentMs);
  }

  #receive(message: unknown, uplink: AudioUplink<Buffer>): void {
    const parsed = incomingFrame.safeParse(message);
    // Most frames of a feed are about other things.
    if (!parsed.success) return;
    const frame = parsed.data;
    if (frame.type !== 'transition') uplink.heard(frame);
    else if (frame.recording_id === this.#note.recordingId) {
      if (frame.event === 'recording.resumed') this.#on.resumed();
      else this.#on.stopped();
    }
  }
}

/** Why a WebSocket was refused, in words. */
function refusedHandshake(server: string, status: number): string {
  if (status === 401) return loggedOut(server);
  if (status === 503) return `${server} is just starting or stopping.`;
  return `${server} refused the connection (HTTP ${status}).`;
}

const samples = z.number().int().nonnegative();

/** The frames of the service that concern a sender. */
const incomingFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('audio.ready'),
    recording_id: z.string(),
    samples,
    stopped: z.boolean().optional(),
    ended: z.boolean().optional(),
  }),
  z.object({ type: z.literal('audio.ack'), samples }),
  z.object({ type: z.literal('audio.ended'), samples, reason: z.string() }),
  z.object({
    type: z.literal('warning'),
    code: z.string(),
    reason: z.string().optional(),
    detail: z.string(),
    recording_id: z.string().optional(),
  }),
  z.object({
    type: z.literal('transition'),
    recording_id: z.string(),
    event: z.enum(['recording.resumed', 'audio.captured']),
  }),
]);
