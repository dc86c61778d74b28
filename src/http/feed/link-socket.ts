import { WebSocket } from 'ws';
import type { Caller } from '../../accounts/caller.ts';
import type { Log } from '../../shared/log.ts';
import { limits } from '../limits.ts';
import type { LinkFeed, LinkListener } from './link-feed.ts';
import { type Client, closeSocket } from './socket.ts';

/** Serves the WebSocket of who has a link: it is told, and says nothing. */
export function serveLinkSocket(
  socket: WebSocket,
  { caller, link, from }: { caller: Caller; link: NonNullable<Caller['link']>; from: number },
  { feed, log }: { feed: LinkFeed; log: Log },
): Client {
  let isAlive = true;
  const listener: LinkListener = {
    ...link,
    send(frame) {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (socket.bufferedAmount > limits.socketBufferBytesMax)
        closeSocket(socket, 'tryAgain', 'too slow');
      else socket.send(frame);
    },
    over: () => closeSocket(socket, 'policy', 'the link is over'),
    fail: () => closeSocket(socket, 'mistake', 'the service could not go on; come back'),
  };
  const heartbeat = setInterval(() => {
    if (!isAlive) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
  }, limits.heartbeatMs);
  socket.on('pong', () => (isAlive = true));
  socket.on('message', () => closeSocket(socket, 'policy', 'nothing is taken from here'));
  // Ends in `close`; what the other side did wrong is its own affair.
  socket.on('error', (err) => log.debug({ err, user: caller.userId }, 'WebSocket failed'));
  socket.on('close', () => {
    clearInterval(heartbeat);
    feed.leave(listener);
  });
  feed.join(listener, from).catch((err: unknown) => {
    log.error({ err, user: caller.userId }, 'a listener by a link could not join');
    listener.fail();
  });
  return {
    sessionId: caller.userId,
    userId: caller.userId,
    recordsHere: () => false,
    endSession: (text) => closeSocket(socket, 'policy', text),
    close: (reason, text) => closeSocket(socket, reason, text),
  };
}
