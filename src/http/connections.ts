import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../shared/log.ts';
import { networkOf } from '../shared/network.ts';
import { limits } from './limits.ts';

/** How often the log says so at most, in milliseconds. */
const warnEveryMs = 60_000;

/**
 * Closes connections of one address (an IPv6 /64) beyond `limits.connectionsPerAddressMax`, so that it
 * cannot take them all. Those of trusted proxies are not counted.
 */
export function limitConnections(
  server: Server,
  isTrustedProxy: (address: string) => boolean,
  log: Pick<Log, 'warn'>,
): void {
  const open = new Map<string, number>();
  let warnedAt = Number.NEGATIVE_INFINITY;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrustedProxy(remoteAddress)) return;
    const place = networkOf(remoteAddress);
    const count = open.get(place) ?? 0;
    if (count >= limits.connectionsPerAddressMax) {
      socket.destroy();
      if (performance.now() - warnedAt < warnEveryMs) return;
      warnedAt = performance.now();
      log.warn(
        { category: 'security', address: remoteAddress },
        'too many connections of one address; a reverse proxy belongs into server.trusted_proxies',
      );
      return;
    }
    open.set(place, count + 1);
    socket.once('close', () => {
      const left = open.get(place)! - 1;
      if (left === 0) open.delete(place);
      else open.set(place, left);
    });
  });
}
