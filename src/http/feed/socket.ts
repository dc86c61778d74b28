import { WebSocket } from 'ws';
import type { Log } from '../../shared/log.ts';
import type { OpenBrowserAudio } from './browser-audio.ts';
import { positionFrame } from './frames.ts';
import { limits } from '../limits.ts';
import type { Listener, Feed } from './feed.ts';
import type { Caller, HttpServices } from '../services.ts';

/** Close codes: RFC 6455, 7.4.1, and IANA's registry for 1013. */
const closeCodes = { goingAway: 1001, policy: 1008, mistake: 1011, tryAgain: 1013 } as const;

const asText = { binary: false };

/** A frame goes to one client after another: its bytes are made once. */
function bytesOf(frame: string): Buffer {
  if (frame !== newest.frame) newest = { frame, bytes: Buffer.from(frame) };
  return newest.bytes;
}

let newest = { frame: '', bytes: Buffer.alloc(0) };

/** One connected client. */
export type Client = {
  readonly sessionId: string;
  readonly userId: string;
  /** The session is over: goodbye at once, or as soon as the audio it carries has ended. */
  endSession(text: string): void;
  /** Says goodbye, and ends the connection soon whatever the other side does. */
  close(reason: keyof typeof closeCodes, text: string): void;
};

/** Serves one accepted WebSocket until it closes. */
export function serveSocket(
  socket: WebSocket,
  request: { caller: Caller; token: string; after: number | undefined; all: boolean },
  services: {
    accounts: HttpServices['accounts'];
    feed: Feed;
    log: Log;
    openAudio: OpenBrowserAudio;
  },
): Client {
  const { accounts, feed, log, openAudio } = services;
  /** Aborts when no more of the feed is to be sent. */
  const gone = new AbortController();
  let { caller } = request;
  let alive = true;
  /** Messages that were refused since one began a recording. */
  let refused = 0;
  let toldPosition = 0;
  let following = false;
  /** Resolves when everything handed over so far has been written out. */
  let flushed: Promise<void> = Promise.resolve();

  const listener: Listener = {
    get caller() {
      return caller;
    },
    all: request.all,
    signal: gone.signal,
    send(frame) {
      if (!gone.signal.aborted) send(frame);
    },
    async drained() {
      if (socket.bufferedAmount < limits.socketBufferBytesMax / 4) return;
      const timer = setTimeout(
        () => close('tryAgain', 'too slow; resume with `after`'),
        limits.socketDrainMs,
      );
      await flushed.finally(() => clearTimeout(timer));
    },
    fail: () => close('mistake', 'the service could not go on; resume with `after`'),
  };

  const audio = openAudio({
    caller: () => caller,
    send(frame) {
      if (frame.type === 'audio.ready') refused = 0;
      if (frame.type === 'warning') refused += 1;
      send(JSON.stringify(frame));
      if (refused >= limits.refusedMessagesMax) close('policy', 'too many refused messages');
    },
    hold(held) {
      if (held === socket.isPaused) return;
      if (held) socket.pause();
      else socket.resume();
    },
  });

  const heartbeat = setInterval(() => {
    // Who is not read from cannot be heard.
    if (!alive && !socket.isPaused) {
      socket.terminate();
      return;
    }
    alive = false;
    socket.ping();
    if (following && feed.position() > toldPosition) {
      toldPosition = feed.position();
      listener.send(positionFrame(toldPosition));
    }
    void lookAgain();
  }, limits.heartbeatMs);

  socket.on('pong', () => {
    alive = true;
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    alive = true;
    if (isBinary) audio.samples(data);
    else audio.message(data.toString('utf8'));
  });
  // Ends in `close`; what the other side did wrong (a frame too large, broken UTF-8) is its own affair.
  socket.on('error', (error) => log.debug({ err: error, user: caller.userId }, 'socket failed'));
  socket.on('close', (code) => {
    clearInterval(heartbeat);
    gone.abort();
    audio.gone();
    log.debug({ user: caller.userId, code }, 'socket closed');
  });

  void join();

  async function join(): Promise<void> {
    try {
      await feed.join(listener, request.after);
      following = true;
    } catch (error) {
      if (gone.signal.aborted) return;
      log.error({ err: error, user: caller.userId }, 'a client could not be brought up to date');
      listener.fail();
    }
  }

  /** A session may end without anybody saying so, and an administrator may be one no longer. */
  async function lookAgain(): Promise<void> {
    if (gone.signal.aborted) return;
    try {
      const now = await accounts.authenticate(request.token);
      if (now === null) endSession('the session has ended');
      else caller = now;
    } catch (error) {
      log.warn({ err: error }, 'a session could not be looked up');
    }
  }

  function endSession(text: string): void {
    if (!audio.carries()) {
      close('policy', text);
      return;
    }
    gone.abort();
    audio.retire(() => close('policy', text));
  }

  function send(frame: string): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (socket.bufferedAmount > limits.socketBufferBytesMax) {
      close('tryAgain', 'too slow; resume with `after`');
      return;
    }
    const bytes = bytesOf(frame);
    // Only who reads slowly is waited for; for the others it would be much of the work.
    if (socket.bufferedAmount < limits.socketBufferBytesMax / 8) socket.send(bytes, asText);
    else flushed = new Promise((resolve) => socket.send(bytes, asText, () => resolve()));
  }

  function close(reason: keyof typeof closeCodes, text: string): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.close(closeCodes[reason], text);
    setTimeout(() => socket.terminate(), limits.socketCloseMs).unref();
  }

  return { sessionId: caller.sessionId, userId: caller.userId, endSession, close };
}
