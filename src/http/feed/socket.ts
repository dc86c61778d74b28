import { spokenFor } from '../problem-answer.ts';
import { WebSocket } from 'ws';
import type { Log } from '../../shared/log.ts';
import type { AudioConnection, BrowserAudio, OpenBrowserAudio } from './browser-audio.ts';
import { isLevelFrame, readClientFrame, positionFrame } from './frames.ts';
import type { DeviceLevel, LevelConnection } from './device-level.ts';
import { limits } from '../limits.ts';
import type { Listener, Feed } from './feed.ts';
import type { Language } from '../../words/params.ts';
import type { HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';

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
  /** Whether it is of this computer and records with its browser's microphone. */
  recordsHere(): boolean;
  /** The session is over: goodbye at once, or as soon as the audio it carries has ended. */
  endSession(text: string): void;
  /** Says goodbye, and ends the connection soon whatever the other side does. */
  close(reason: keyof typeof closeCodes, text: string): void;
};

/** Serves one accepted WebSocket until it closes. */
export function serveSocket(
  socket: WebSocket,
  request: {
    caller: Caller;
    token: string;
    after: number | undefined;
    all: boolean;
    language: Language | undefined;
    isHere: boolean;
  },
  services: {
    accounts: HttpServices['accounts'];
    feed: Feed;
    log: Log;
    openAudio: OpenBrowserAudio;
    openLevel: (connection: LevelConnection) => DeviceLevel;
  },
): Client {
  const { caller } = request;
  const connection: Connection = {
    socket,
    services,
    caller,
    language: request.language,
    gone: new AbortController(),
    alive: true,
    refused: 0,
    following: false,
    flushed: Promise.resolve(),
  };
  const listener = listenerOn(connection, request);
  const audio = services.openAudio(audioOn(connection));
  const level = services.openLevel(levelOn(connection));
  const heartbeat = setInterval(
    () => beat(connection, { listener, audio, token: request.token }),
    limits.heartbeatMs,
  );

  socket.on('pong', () => {
    connection.alive = true;
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    connection.alive = true;
    if (isBinary) audio.samples(data);
    else take(connection, data.toString('utf8'), { audio, level });
  });
  // Ends in `close`; what the other side did wrong (a frame too large, broken UTF-8) is its own affair.
  socket.on('error', (err) => services.log.debug({ err, user: caller.userId }, 'WebSocket failed'));
  socket.on('close', (code) => {
    clearInterval(heartbeat);
    connection.gone.abort();
    audio.gone();
    level.gone();
    services.log.debug({ user: caller.userId, code }, 'WebSocket closed');
  });

  void join(connection, listener, request.after);
  return {
    sessionId: caller.sessionId,
    userId: caller.userId,
    recordsHere: () => request.isHere && audio.carries(),
    endSession: (text) => {
      level.gone();
      endSession(connection, audio, text);
    },
    close: (reason, text) => closeSocket(socket, reason, text),
  };
}

/** An accepted WebSocket, and how far it is. */
type Connection = {
  readonly socket: WebSocket;
  readonly services: Parameters<typeof serveSocket>[2];
  /** Aborts when no more of the feed is to be sent. */
  readonly gone: AbortController;
  caller: Caller;
  readonly language: Language | undefined;
  alive: boolean;
  /** Messages that were refused since one began a recording. */
  refused: number;
  following: boolean;
  /** Resolves when everything handed over so far has been written out. */
  flushed: Promise<void>;
};

const listenerOn = (
  connection: Connection,
  { all, isHere }: Pick<Listener, 'all' | 'isHere'>,
): Listener => ({
  get caller() {
    return connection.caller;
  },
  language: connection.language,
  isHere,
  all,
  signal: connection.gone.signal,
  send(frame) {
    if (!connection.gone.signal.aborted) send(connection, frame);
  },
  async drained() {
    const { socket } = connection;
    if (socket.bufferedAmount < limits.socketBufferBytesMax / 4) return;
    const timer = setTimeout(() => closeSocket(socket, 'tryAgain', tooSlow), limits.socketDrainMs);
    await connection.flushed.finally(() => clearTimeout(timer));
  },
  fail: () =>
    closeSocket(connection.socket, 'mistake', 'the service could not go on; resume with `after`'),
});

/** A text message of a client. */
function take(
  connection: Connection,
  text: string,
  { audio, level }: { audio: BrowserAudio; level: DeviceLevel },
): void {
  const frame = readClientFrame(text);
  if ('refused' in frame) audioOn(connection).warn('not-understood', frame.refused);
  else if (isLevelFrame(frame)) level.message(frame);
  else audio.message(frame);
}

const levelOn = (connection: Connection): LevelConnection => ({
  ...audioOn(connection),
  refuse() {
    connection.refused += 1;
    endWhenRefused(connection);
  },
});

function endWhenRefused({ refused, socket }: Connection): void {
  if (refused < limits.refusedMessagesMax) return;
  closeSocket(socket, 'tryAgain', 'too many refused messages');
}

const audioOn = (connection: Connection): AudioConnection => ({
  caller: () => connection.caller,
  send(frame) {
    if (frame.type === 'audio.ready') connection.refused = 0;
    send(connection, JSON.stringify(frame));
  },
  warn(code, said, about) {
    connection.refused += 1;
    const { language = 'en', caller } = connection;
    const { code: reason, ...spoken } = spokenFor({ language, isAdmin: caller.isAdmin }, said);
    const frame = { type: 'warning', ...about, code, ...(reason !== undefined && { reason }) };
    send(connection, JSON.stringify({ ...frame, ...spoken }));
    endWhenRefused(connection);
  },
  close: () => closeSocket(connection.socket, 'tryAgain', 'this node does not record it any more'),
  hold(held) {
    const { socket } = connection;
    if (held === socket.isPaused) return;
    if (held) socket.pause();
    else socket.resume();
  },
});

async function join(
  connection: Connection,
  listener: Listener,
  after: number | undefined,
): Promise<void> {
  const { feed, log } = connection.services;
  try {
    await feed.join(listener, after);
    connection.following = true;
  } catch (err) {
    if (connection.gone.signal.aborted) return;
    const user = connection.caller.userId;
    log.error({ err, user }, 'sending missed events to a client failed');
    listener.fail();
  }
}

function beat(
  connection: Connection,
  { listener, audio, token }: { listener: Listener; audio: BrowserAudio; token: string },
): void {
  const { socket } = connection;
  // A client that is not read from cannot be heard.
  if (!connection.alive && !socket.isPaused) {
    socket.terminate();
    return;
  }
  connection.alive = false;
  socket.ping();
  // Also where it is no other than before: pages see by it that the connection is one.
  if (connection.following) listener.send(positionFrame(connection.services.feed.position()));
  void authenticateAgain(connection, audio, token);
}

/** A session may end without notice, and an administrator's rights may be taken away. */
async function authenticateAgain(
  connection: Connection,
  audio: BrowserAudio,
  token: string,
): Promise<void> {
  const { accounts, log } = connection.services;
  if (connection.gone.signal.aborted) return;
  try {
    const caller = await accounts.authenticate(token);
    if (caller === null) endSession(connection, audio, 'the session has ended');
    // Two-step login is asked for since: the session goes on, and who comes back is told why nothing opens.
    else if (caller.limited) end(connection, audio, 'goingAway', 'two-step login is needed first');
    else connection.caller = caller;
  } catch (err) {
    log.warn({ err }, 'session of a connection could not be checked');
  }
}

const endSession = (connection: Connection, audio: BrowserAudio, text: string): void =>
  end(connection, audio, 'policy', text);

/** At once, or as soon as the audio it carries has ended. */
function end(
  { socket, gone }: Connection,
  audio: BrowserAudio,
  reason: keyof typeof closeCodes,
  text: string,
): void {
  if (!audio.carries()) {
    closeSocket(socket, reason, text);
    return;
  }
  gone.abort();
  audio.retire(() => closeSocket(socket, reason, text));
}

function send(connection: Connection, frame: string): void {
  const { socket } = connection;
  if (socket.readyState !== WebSocket.OPEN) return;
  if (socket.bufferedAmount > limits.socketBufferBytesMax) {
    closeSocket(socket, 'tryAgain', tooSlow);
    return;
  }
  const bytes = bytesOf(frame);
  // Only a slow reader is waited for; for the others it would be much of the work.
  if (socket.bufferedAmount < limits.socketBufferBytesMax / 8) socket.send(bytes, asText);
  else {
    connection.flushed = new Promise((resolve) => socket.send(bytes, asText, () => resolve()));
  }
}

const tooSlow = 'too slow; resume with `after`';

/** Says goodbye, and ends the connection soon whatever the other side does. */
export function closeSocket(
  socket: WebSocket,
  reason: keyof typeof closeCodes,
  text: string,
): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.close(closeCodes[reason], text);
  setTimeout(() => socket.terminate(), limits.socketCloseMs).unref();
}
