/**
 * For `sockets.bench.ts`: a server of WebSockets, ours or bare, that sends what its parent asks for. Its
 * argument says which.
 */
import { type WebSocket, WebSocketServer } from 'ws';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withAda } from '../support/http-client.ts';
import { stageStarted } from './fill-log.ts';

/** A user has 32 connections at most. */
const usersMin = 32;

if (process.argv[2] === 'bare') bareSockets();
else await ourSockets();

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

/** The service as `main.ts` composes it, with a recording that moves as often as the parent asks for. */
async function ourSockets(): Promise<void> {
  const { service, token: owner } = await withAda({ after: () => undefined });
  const stream = `recording-${await service.settled(owner)}`;
  // Each administrator sees the moves of everybody's recordings.
  const tokens: string[] = [owner];
  while (tokens.length < usersMin) tokens.push(await service.addUser(`user${tokens.length}`, true));
  process.on('message', (message: { times?: number }) => {
    void (async () => {
      const facts = Array.from({ length: message.times ?? 1 }, (_, index) => stageStarted(index));
      const appended = await service.store.append(
        stream,
        facts,
        await service.store.version(stream),
      );
      await service.projections.applied('all', appended.at(-1)!.position);
      process.send?.({ applied: facts.length });
    })();
  });
  process.send?.({ url: service.url, tokens });
}
