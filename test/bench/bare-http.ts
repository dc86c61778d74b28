/** Koa with its router, answering every path with what its parent has set. */
import { Router } from '@koa/router';
import Koa from 'koa';
import type { AddressInfo } from 'node:net';

const answers = new Map<string, string>();
process.on('message', (message: { path: string; body: string }) => {
  answers.set(message.path, message.body);
  process.send?.({ set: message.path });
});
const router = new Router();
for (const path of ['/status', '/transcripts']) {
  router.get(path, (ctx) => {
    ctx.type = 'application/json';
    ctx.body = answers.get(path);
  });
}
const app = new Koa();
app.use(router.routes());
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
