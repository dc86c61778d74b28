import type Koa from 'koa';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limits } from './limits.ts';
import { sweepUploads, uploadsDirOf } from './uploads/receive-upload.ts';
import type { HttpServices, State } from './services.ts';
import { openSockets } from './feed/upgrade.ts';

export interface RunningServer {
  /** `http://127.0.0.1:8765` */
  readonly url: string;
  readonly port: number;
  /** Lets what is under way finish (limit in `limits.ts`), says goodbye to WebSockets, takes nothing new. */
  close(): Promise<void>;
}

/**
 * Serves the app and its WebSocket. Port 0 takes any free one; other times are for tests.
 * @throws what listening throws (`EADDRINUSE`, `EACCES`, …)
 */
export async function listen(
  app: Koa<State>,
  services: HttpServices,
  options: { port: number; headersTimeoutMs?: number; idleTimeoutMs?: number },
): Promise<RunningServer> {
  const { port, headersTimeoutMs, idleTimeoutMs } = { ...limits, ...options };
  await sweepUploads(uploadsDirOf(services.dataDir));
  const sockets = openSockets(services);
  const handle = app.callback();
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(headersTimeoutMs / 2, limits.timeoutsCheckedMs),
      keepAliveTimeout: limits.keepAliveTimeoutMs,
    },
    (request, response) => void handle(request, response),
  );
  server.maxConnections = limits.connectionsMax;
  // A body that stops arriving; WebSockets take their own care.
  server.setTimeout(idleTimeoutMs);
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: services.address }, () => {
      server.off('error', reject);
      resolve();
    });
  }).catch(async (error: unknown) => {
    await sockets.close();
    throw error;
  });
  const bound = server.address() as AddressInfo;
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;

  return {
    url: `http://${host}:${bound.port}`,
    port: bound.port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const timer = setTimeout(() => server.closeAllConnections(), limits.closeMs);
      // A connection whose last answer has just gone out would stay open for the next question.
      const sweep = setInterval(() => server.closeIdleConnections(), limits.closeSweepMs);
      await sockets.close();
      await closed.finally(() => {
        clearTimeout(timer);
        clearInterval(sweep);
      });
    },
  };
}
