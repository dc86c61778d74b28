/**
 * Koa, ws, xstate and LevelDB, loaded and listening: what a service of these parts takes at least to
 * start. Built into one file as the service is (`bareBuild`).
 */
import Koa from 'koa';
import { Level } from 'level';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { createActor, createMachine } from 'xstate';

const app = new Koa();
app.use((ctx) => {
  ctx.body = 'ok';
});
const db = new Level(process.env['MITSCHRIFT_DATA']!);
await db.open();
createActor(createMachine({ initial: 'idle', states: { idle: {} } })).start();
const handle = app.callback();
const server = createServer((request, response) => void handle(request, response));
const sockets = new WebSocketServer({ server });
server.on('close', () => sockets.close());
server.listen(0, '127.0.0.1', () => {
  console.error(`The bare server is at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
