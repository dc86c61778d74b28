/**
 * Sends a recording's audio over a WebSocket of its own. Not over the feed's: the service lets a connection
 * that carries audio live on when the session ends, stops reading it while its disk is slow, and drops a feed
 * that falls behind; none of it may touch the other.
 */
import type { Schema } from '../api.ts';
import { locale } from '../../words/i18n.ts';
import type { Frame } from '../feed.ts';
import { session } from '../session.ts';
import type { AudioStore, Kept } from './audio-store.ts';

export interface AudioLink {
  /** There is more to send. */
  poke(): void;
  /** Connects, or goes on when the service took nothing for a while. */
  begin(): void;
  /** Ends the recording once everything is acknowledged. @param total samples there are */
  stop(total: number): void;
  close(): void;
}

export type LinkEvents = {
  /** Whether the service takes what is sent. */
  linked(is: boolean): void;
  /** `kept` has changed: the service's id, or more of it is acknowledged. */
  changed(): void;
  /** Nothing more is taken from this connection. */
  ended(reason: string): void;
  /** The service does not begin, or go on with, this recording. */
  refused(code: string, detail: string): void;
};

/** Bytes that wait in the socket above which it is waited for it. */
const aheadBytesMax = 256 * 1024;
/** Blocks read at once. */
const atOnce = 32;
/** Looks at a socket that takes nothing more become this rare, in milliseconds. */
const [shortestLook, longestLook] = [50, 1000];
/** What is sent is acknowledged four times a second: after this long without a word the connection is dead. */
const deafMs = 15_000;
/** Waits between tries double up to this, in milliseconds. */
const longestWait = 10_000;

export function linkAudio(store: AudioStore, kept: Kept, on: LinkEvents): AudioLink {
  const link: Link = {
    store,
    kept,
    on,
    socket: null,
    sent: null,
    isAsking: false,
    isPumping: false,
    isWanted: false,
    tries: 0,
    timer: undefined,
    stopAt: null,
    isClosed: false,
    deaf: undefined,
    look: shortestLook,
  };
  const wake = () => {
    if (link.socket === null) begin(link);
  };
  addEventListener('online', wake);
  return {
    poke: () => void pump(link),
    begin: () => begin(link),
    stop(total) {
      link.stopAt = total;
      sayStop(link);
    },
    close() {
      link.isClosed = true;
      removeEventListener('online', wake);
      clearTimeout(link.timer);
      clearTimeout(link.deaf);
      link.socket?.close();
    },
  };
}

type Link = {
  readonly store: AudioStore;
  readonly kept: Kept;
  readonly on: LinkEvents;
  socket: WebSocket | null;
  /** Samples sent on this connection or before; null while nothing is taken. */
  sent: number | null;
  /** `audio.start` was said, and not answered yet. */
  isAsking: boolean;
  isPumping: boolean;
  /** Asked for while it was pumping. */
  isWanted: boolean;
  tries: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Samples behind which the recording ends; null: it goes on. */
  stopAt: number | null;
  isClosed: boolean;
  /** Until when the service has to say something of what was sent. */
  deaf: ReturnType<typeof setTimeout> | undefined;
  /** Until the next look at what the socket still holds, in milliseconds. */
  look: number;
};

function begin(link: Link): void {
  clearTimeout(link.timer);
  if (link.isClosed) return;
  if (link.sent !== null || link.isAsking) return;
  if (link.socket?.readyState === WebSocket.OPEN) return sayStart(link, link.socket);
  const current = session.get();
  // Another person's login sends nothing of it; its owner's does, whenever that is.
  if (link.socket !== null || current?.username !== link.kept.user) return again(link);
  const url = new URL('/ws', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  url.searchParams.set('language', locale.get());
  const mine = new WebSocket(url, ['mitschrift', current.token]);
  link.socket = mine;
  mine.addEventListener('open', () => sayStart(link, mine));
  mine.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') receive(link, JSON.parse(data) as Frame);
  });
  mine.addEventListener('close', () => lost(link, mine));
  expectWord(link, mine);
}

function lost(link: Link, socket: WebSocket): void {
  if (link.socket !== socket) return;
  clearTimeout(link.deaf);
  link.deaf = undefined;
  link.socket = null;
  link.sent = null;
  link.isAsking = false;
  link.on.linked(false);
  again(link);
}

/** A network may swallow everything and close nothing. */
function expectWord(link: Link, socket: WebSocket): void {
  link.deaf ??= setTimeout(() => {
    link.deaf = undefined;
    if (link.isClosed || link.socket !== socket) return;
    lost(link, socket);
    socket.close();
  }, deafMs);
}

function again(link: Link): void {
  if (link.isClosed) return;
  clearTimeout(link.timer);
  const wait = Math.min(longestWait, 500 * 2 ** link.tries) * (0.75 + Math.random() / 2);
  link.tries += 1;
  link.timer = setTimeout(() => begin(link), wait);
}

function sayStart(link: Link, socket: WebSocket): void {
  const { id, kind, rate, recordingId } = link.kept;
  link.isAsking = true;
  const start: Schema<'ClientFrame'> = {
    type: 'audio.start',
    kind,
    sample_rate: rate,
    // Its own id, so that a page that goes away before the answer does not begin another one.
    // And what it has recorded by now without the service.
    ...(recordingId === null
      ? { id, held: recordedSince(link.kept) }
      : { recording_id: recordingId }),
  };
  socket.send(JSON.stringify(start));
}

/** Samples at most. */
const recordedSince = ({ startedAt, rate }: Kept): number =>
  Math.max(0, Math.round(((Date.now() - Date.parse(startedAt)) / 1000) * rate));

function receive(link: Link, frame: Frame): void {
  const { kept, on } = link;
  clearTimeout(link.deaf);
  link.deaf = undefined;
  if (frame.type === 'audio.ready') {
    link.tries = 0;
    link.isAsking = false;
    link.sent = frame.samples;
    kept.recordingId = frame.recording_id;
    acknowledged(link, frame.samples);
    on.linked(true);
    void pump(link);
  } else if (frame.type === 'audio.ack') {
    acknowledged(link, frame.samples);
  } else if (frame.type === 'audio.ended') {
    link.sent = null;
    acknowledged(link, frame.samples);
    on.linked(false);
    on.ended(frame.reason);
  } else if (frame.type === 'warning' && !('recording_id' in frame)) {
    link.isAsking = false;
    on.refused(frame.code, frame.detail);
  }
}

/** Never less than before: a service whose disk was put back asks for what is gone here, too. */
function acknowledged(link: Link, samples: number): void {
  const { store, kept, on } = link;
  kept.acknowledged = Math.max(kept.acknowledged, samples);
  // What could not be dropped is dropped with the next; it is sent to nobody twice.
  store.acknowledge({ ...kept }).catch((error: unknown) => console.warn(error));
  on.changed();
  sayStop(link);
}

/** Said once on each connection that takes audio: from then on `sent` is null until it has ended. */
function sayStop(link: Link): void {
  const { socket, stopAt, sent, kept } = link;
  if (stopAt === null || sent === null || kept.acknowledged < stopAt) return;
  link.sent = null;
  socket?.send(JSON.stringify({ type: 'audio.stop' } satisfies Schema<'ClientFrame'>));
}

/** Sends what is in the store, in order; one pump at a time. */
async function pump(link: Link): Promise<void> {
  link.isWanted = true;
  if (link.isPumping) return;
  link.isPumping = true;
  try {
    while (link.isWanted) {
      link.isWanted = false;
      while (await sendSome(link));
    }
  } finally {
    link.isPumping = false;
  }
}

/** @returns whether there may be more to send at once */
async function sendSome(link: Link): Promise<boolean> {
  const { store, kept, socket, sent: from } = link;
  if (socket?.readyState !== WebSocket.OPEN || from === null) return false;
  if (socket.bufferedAmount > aheadBytesMax) {
    link.look = Math.min(longestLook, link.look * 2);
    await new Promise((resolve) => setTimeout(resolve, link.look));
    return true;
  }
  link.look = shortestLook;
  const blocks = await store.after(kept.id, from, atOnce);
  // Another connection meanwhile, or what was taken changed: from the beginning.
  if (link.socket !== socket || link.sent !== from) return link.sent !== null;
  let sent = from;
  for (const { end, pcm } of blocks) {
    const first = end - pcm.byteLength / 2;
    // What nobody heard, or has any more, is a gap: the service fills it, and what follows keeps its time.
    if (first > sent) sayGap(socket, first - sent);
    socket.send(first < sent ? pcm.slice((sent - first) * 2) : pcm);
    sent = end;
  }
  link.sent = sent;
  if (blocks.length > 0) expectWord(link, socket);
  return blocks.length > 0;
}

function sayGap(socket: WebSocket, samples: number): void {
  socket.send(JSON.stringify({ type: 'audio.gap', samples } satisfies Schema<'ClientFrame'>));
}
