/**
 * Processes for `http.bench.ts`: the data of a service with 1 000 transcripts, and servers whose processor
 * time can be told apart. They say what is wanted of them by messages to their parent.
 */
import { Router } from '@koa/router';
import Koa from 'koa';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ulid } from 'ulid';
import { WebSocketServer, type WebSocket } from 'ws';
import type { LoggedFact } from '../../events/catalogue.ts';
import { openFileKeys } from '../../events/file-keys.ts';
import { openLog } from '../../events/level-log.ts';
import { hostFrom } from '../../src/host.ts';
import type { AppliedListener } from '../../projections/runner.ts';
import type { HttpServices } from '../../src/http/services.ts';
import { openSockets } from '../../src/http/upgrade.ts';
import { openLogger } from '../../src/log.ts';
import { startService } from '../../src/main.ts';
import {
  completed,
  factTeller,
  tellFinish,
  tellImport,
  tellSpeech,
} from '../support/fact-teller.ts';

const transcripts = 1000;
const [what = ''] = process.argv.slice(2);
const tell = (message: object): void => void process.send?.(message);

process.on('message', (message: { ask: string; [member: string]: unknown }) => {
  if (message.ask === 'exit') process.exit(0);
});

if (what === 'fill') await fill();
else if (what === 'bare') bareHttp();
else if (what === 'bare-sockets') bareSockets();
else ourSockets();

/** Makes a data directory to be served: a user with many transcripts. */
async function fill(): Promise<void> {
  const host = { ...hostFrom(process.env), port: 0 };
  const log = openLogger('info');
  const env = {};
  const first = await startService({ host, env, log });
  const body = { username: 'ada', password: 'correct horse battery' };
  const headers = { 'content-type': 'application/json' };
  const post = { method: 'POST', headers, body: JSON.stringify(body) };
  const token = ((await (await fetch(`${first.url}/setup`, post)).json()) as { token: string })
    .token;
  await first.close();

  // A user's id is the subject of their first fact.
  const store = await openLog({
    directory: host.data.log,
    keys: await openFileKeys(host.data.keys),
  });
  let owner = '';
  for await (const fact of store.read('users', { limit: 1 })) {
    owner = (fact.data as { user_id: string }).user_id;
  }
  const teller = factTeller(store);
  const together = 50;
  for (let index = 0; index < transcripts; index += together) {
    await Promise.all(
      Array.from({ length: together }, async (_, offset) => {
        const id = ulid();
        const startedAt = new Date(1.7e12 + (index + offset) * 60_000).toISOString();
        await tellImport(teller, id, { owner, startedAt });
        await tellSpeech(teller, id, ['Guten', 'Tag']);
        await teller.of(
          id,
          completed(),
          'transcribing.finishing(punctuate.running,summarise.running)',
        );
        await tellFinish(teller, id, `Besprechung ${index + offset}`);
      }),
    );
  }
  await store.close();
  // Its projections too: what is measured is answering.
  await (await startService({ host, env, log })).close();
  tell({ token });
  process.disconnect();
}

/** Answers every path with what it was told to. */
function bareHttp(): void {
  const answers = new Map<string, string>();
  process.on('message', (message: { path?: string; body?: string }) => {
    if (message.path === undefined) return;
    answers.set(message.path, message.body ?? '');
    tell({ set: message.path });
  });
  const app = new Koa();
  const router = new Router();
  for (const path of ['/status', '/transcripts']) {
    router.get(path, (ctx) => {
      ctx.type = 'application/json';
      ctx.body = answers.get(path);
    });
  }
  app.use(router.routes());
  const server = app.listen(0, '127.0.0.1', () => {
    tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
}

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
    tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
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
    desk: { activity: () => [], onActivity: nothing },
    captures: { now: () => null, onNow: nothing, onWarnings: nothing },
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
    tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
}
