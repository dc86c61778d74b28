import { type Layer, Router } from '@koa/router';
import Koa from 'koa';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { bySegment } from '../../src/http/app.ts';
import type { State } from '../../src/http/services.ts';

type Told = { by?: string; params?: Record<string, string>; matched: string[] };

/** Serves routes that say who they are; what none answers is told too. */
async function serve(t: TestContext, paths: (string | RegExp)[]) {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const path of paths) {
    router.get(path, (ctx) => {
      ctx.body = { by: String(path), params: ctx.params };
    });
  }
  const app = new Koa<State>();
  app.use(async (ctx, next) => {
    await next();
    const matched = ((ctx.matched ?? []) as Layer[]).map((layer) => String(layer.path));
    ctx.body = { ...(ctx.body as object | undefined), matched };
  });
  app.use(bySegment(router));
  const server = app.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return async (path: string, method = 'GET') =>
    (await (await fetch(`http://127.0.0.1:${port}${path}`, { method })).json()) as Told;
}

test('the same route answers as without it, whatever its path is written as', async (t) => {
  const paths = [
    '/',
    '/status',
    '/status/:part',
    /^\/notes\/(.+)\/again$/,
    /^\/notes\/(.+)$/,
    '/a.b',
    '/:any/x',
  ];
  const ask = await serve(t, paths);
  for (const [path, by] of [
    ['/', '/'],
    ['/status', '/status'],
    ['/status?q=1', '/status'],
    ['/status/now', '/status/:part'],
    ['/status/x', '/status/:part'],
    ['/notes/a/again', '/^\\/notes\\/(.+)\\/again$/'],
    ['/notes/a%2fb', '/^\\/notes\\/(.+)$/'],
    ['/a.b', '/a.b'],
    ['/other/x', '/:any/x'],
    ['/%73tatus/x', '/:any/x'],
    ['/axb', undefined],
    ['/Status', undefined],
    ['/status/', undefined],
    ['//status', undefined],
    ['/statusx', undefined],
  ] as const) {
    assert.equal((await ask(path)).by, by, path);
  }
  assert.deepEqual((await ask('/status/now')).params, { part: 'now' });
});

test('what is told of routes that matched is as without it, also when the method is another', async (t) => {
  const ask = await serve(t, ['/status', '/:any', '/status/:part', /(?:)/]);
  assert.deepEqual((await ask('/status')).matched, ['/status', '/:any', '/(?:)/']);
  assert.deepEqual(await ask('/status', 'POST'), { matched: ['/status', '/:any', '/(?:)/'] });
  assert.deepEqual((await ask('/else')).matched, ['/:any', '/(?:)/']);
});
