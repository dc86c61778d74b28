/**
 * For `sockets.bench.ts`: a server of WebSockets, ours or bare, that sends what its parent asks for. Its
 * argument says which.
 */
import { ulid } from 'ulid';
import { type WebSocket, WebSocketServer } from 'ws';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { AppliedListener } from '../../projections/runner/runner.ts';
import type { HttpServices } from '../../src/http/services.ts';
import { openSockets } from '../../src/http/feed/upgrade.ts';
import { openLogger } from '../../src/shared/log.ts';

if (process.argv[2] === 'bare') bareSockets();
else ourSockets();

/** Sends every client the same frame, stringified once. */
function bareSockets(): void {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const clients = new Set<WebSocket>();
  sockets.on('connection', (socket) => clients.add(socket));
  process.on('message', (message: { broadcast?: object; times?: number }) => {
    if (!message.broadcast) return;
    for (let time = 0; time < (message.times ?? 1); time += 1) {
      const frame = JSON.stringify(message.broadcast);
      for (const socket of clients) socket.send(frame);
    }
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
}

/** The service's own WebSockets and stream, over a log that is in memory: what is told is what is measured. */
function ourSockets(): void {
  const owner = 'somebody';
  const recordingId = ulid();
  const facts: LoggedFact[] = [];
  const listeners = new Set<AppliedListener>();
  const nothing = () => () => {};
  const services = {
    log: openLogger('silent'),
    address: '127.0.0.1',
    version: 'bench',
    settings: () => ({ 'server.allowed_hosts': [], 'server.trusted_proxies': [] }),
    certificateNames: () => [],
    accounts: {
      // 32 clients a user, each of whom watches everybody.
      authenticate: async (token: string) => ({
        userId: `user-${Math.floor(Number(token) / 32)}`,
        username: 'x',
        isAdmin: true,
        sessionId: token,
      }),
      onSessionEnded: nothing,
    },
    recordingService: { activity: () => [], onActivity: nothing, onHeard: nothing },
    captures: { now: () => null, warnings: () => null, onNow: nothing, onWarnings: nothing },
    elsewhere: { warnings: () => [] },
    models: { onProgress: nothing },
    readiness: { until: async () => {} },
    health: () => ({ state: 'ok', writable: true, advice: [], damage: [], more: 0 }),
    space: { warning: () => null, onWarning: nothing },
    metrics: { socketOpened: nothing },
    storage: { get: async () => undefined, getMany: async () => [], async *range() {} },
    projections: {
      position: () => facts.length,
      onApplied: (listener: AppliedListener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    store: {
      async *read() {
        yield { data: { owner } };
      },
      async *readAll({ afterPosition, limit }: { afterPosition: number; limit: number }) {
        yield* facts.slice(afterPosition, afterPosition + limit);
      },
    },
  } as unknown as HttpServices;
  const sockets = openSockets(services);
  const server = createServer();
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));
  process.on('message', (message: { broadcast?: object; times?: number }) => {
    if (!message.broadcast) return;
    for (let time = 0; time < (message.times ?? 1); time += 1) {
      const position = facts.length + 1;
      facts.push({
        ...message.broadcast,
        type: 'stage.started',
        data: { stage: 'write' },
        stream: `recording-${recordingId}`,
        position,
      } as LoggedFact);
    }
    const added = facts.slice(-(message.times ?? 1));
    for (const listener of listeners) listener(added, facts.length);
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
}
