import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../shared/log.ts';
import { networkOf } from '../shared/network.ts';
import { limits } from './limits.ts';
import { isTrusted } from './peer.ts';
import { openCounts } from '../shared/counts.ts';

/** How often the log says so at most, in milliseconds. */
const warnEveryMs = 60_000;

/** The other end of a connection, which an encrypted one has as well. */
export const farEnd = ({ remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress} ${remotePort}`;

/**
 * Closes connections of one address (an IPv6 /64) beyond `limits.connectionsPerAddressMax`, so that it
 * cannot take them all; and while more than half of all are in use, those that have asked for nothing for `unaskedMs`,
 * the longest first. Those of trusted proxies are neither counted nor closed.
 */
export function limitConnections(
  server: Server,
  trustedProxies: () => readonly string[],
  { log, connectionsMax, unaskedMs }: Limited,
): void {
  const open = openCounts();
  const unasked = whatAsksNothing(server, { connectionsMax, unaskedMs });
  let warnedAt = Number.NEGATIVE_INFINITY;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress, trustedProxies())) return;
    const place = networkOf(remoteAddress);
    if (open.of(place) >= limits.connectionsPerAddressMax) {
      socket.destroy();
      if (performance.now() - warnedAt < warnEveryMs) return;
      warnedAt = performance.now();
      log.warn(
        { category: 'security', address: remoteAddress },
        'too many connections from one address; if it is a reverse proxy, add it to server.trusted_proxies',
      );
      return;
    }
    open.add(place);
    unasked.add(socket);
    socket.once('close', () => open.remove(place));
  });
}

type Limited = { log: Pick<Log, 'warn'>; connectionsMax: number; unaskedMs: number };

/**
 * Connections, and since when each of them has asked for nothing: slow headers may take a minute (Node has one time
 * for all), so a few addresses could hold every connection there is.
 */
function whatAsksNothing(
  server: Server,
  { connectionsMax, unaskedMs }: Omit<Limited, 'log'>,
): { add(socket: Socket): void } {
  const all = new Map<string, Socket>();
  /** By the end of the last answer, or the beginning; the longest first. Milliseconds of `performance.now()`. */
  const since = new Map<string, number>();
  server.on('request', ({ socket }: IncomingMessage, outgoing) => {
    const end = farEnd(socket);
    since.delete(end);
    outgoing.once('close', () => {
      if (all.has(end)) since.set(end, performance.now());
    });
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => since.delete(farEnd(socket)));
  const look = (): void => {
    const before = performance.now() - unaskedMs;
    let tooMany = all.size - connectionsMax / 2;
    for (const [end, began] of since) {
      if (tooMany <= 0 || began > before) return;
      tooMany -= 1;
      all.get(end)?.destroy();
    }
  };
  const timer = setInterval(look, Math.min(unaskedMs, limits.unaskedLookMs)).unref();
  server.once('close', () => clearInterval(timer));
  return {
    add(socket) {
      const end = farEnd(socket);
      all.set(end, socket);
      since.set(end, performance.now());
      socket.once('close', () => {
        all.delete(end);
        since.delete(end);
      });
    },
  };
}
