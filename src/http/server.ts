import { limitConnections } from './connections.ts';
import type { StartingApp } from './starting.ts';
import { isTrusted } from './peer.ts';
import type { HttpServices, State } from './services.ts';
import { refuseUpgrade, type Sockets } from './feed/upgrade.ts';
import type Koa from 'koa';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { limits } from './limits.ts';

export interface RunningServer {
  /** `http://127.0.0.1:8765` */
  readonly url: string;
  readonly port: number;
  /** Answers with this app and takes WebSockets from now on. */
  serve(app: Koa<State>, sockets: Sockets, services: Pick<HttpServices, 'settings'>): void;
  /** Lets what is under way finish (limit in `limits.ts`), says goodbye to WebSockets, takes nothing new. */
  close(): Promise<void>;
}

/**
 * Listens. Until `serve` is called, `starting` answers; what it has no answer to waits a little first. Port 0 takes any free one; other times are for tests.
 * @throws what listening throws (`EADDRINUSE`, `EACCES`, …)
 */
export async function listen(
  starting: StartingApp,
  options: { address: string; port: number; headersTimeoutMs?: number; idleTimeoutMs?: number },
): Promise<RunningServer> {
  const { address, port, headersTimeoutMs, idleTimeoutMs } = { ...limits, ...options };
  const service = whenServed(starting);
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(headersTimeoutMs / 2, limits.timeoutsCheckedMs),
      keepAliveTimeout: limits.keepAliveTimeoutMs,
    },
    service.request,
  );
  server.maxConnections = limits.connectionsMax;
  // A body that stops arriving; WebSockets take their own care.
  server.setTimeout(idleTimeoutMs);
  server.on('upgrade', service.upgrade);
  let { settings } = starting;
  const isTrustedProxy = (address: string) =>
    isTrusted(address, settings()['server.trusted_proxies']);
  limitConnections(server, isTrustedProxy, starting.log);

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: address }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = server.address() as AddressInfo;
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;

  return {
    url: `http://${host}:${bound.port}`,
    port: bound.port,
    serve(app, sockets, services) {
      settings = services.settings;
      const answer = app.callback();
      service.begin((incoming, outgoing) => void answer(incoming, outgoing), sockets);
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const timer = setTimeout(() => server.closeAllConnections(), limits.closeMs);
      // A connection whose last answer has just gone out would stay open for the next question.
      const sweep = setInterval(() => server.closeIdleConnections(), limits.closeSweepMs);
      await service.sockets()?.close();
      await closed.finally(() => {
        clearTimeout(timer);
        clearInterval(sweep);
      });
    },
  };
}

/** What answers: the app that tells of the start, then the service. */
function whenServed(starting: StartingApp) {
  let served: { handle: RequestListener; sockets: Sockets } | undefined;
  let begun = () => {};
  const beginning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const orTooLate = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limits.readyWaitMs);
    });
    await Promise.race([beginning, late]).finally(() => clearTimeout(timer));
  };

  const request: RequestListener = (incoming, outgoing) => {
    if (served) return served.handle(incoming, outgoing);
    if (starting.answers(incoming.url ?? '')) {
      return starting.request(incoming, outgoing);
    }
    void orTooLate().then(() => (served?.handle ?? starting.request)(incoming, outgoing));
  };
  const upgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (served) return served.sockets.upgrade(incoming, socket, head);
    const onError = () => void socket.destroy();
    socket.on('error', onError);
    void orTooLate().then(() => {
      socket.off('error', onError);
      if (served) served.sockets.upgrade(incoming, socket, head);
      else refuseUpgrade(socket, starting.problem());
    });
  };
  return {
    request,
    upgrade,
    sockets: () => served?.sockets,
    begin(handle: RequestListener, sockets: Sockets): void {
      served = { handle, sockets };
      begun();
    },
  };
}
