import type { Context } from 'koa';
import * as z from 'zod';
import { jsonBody } from '../json-body.ts';
import { peerOf } from '../peer.ts';
import type { AddRoutes } from './add-routes.ts';

/** First run: the first administrator, and nobody after them. */
export const setupRoutes: AddRoutes = (router, { accounts, config, settings }) => {
  const from = (ctx: Context) => peerOf(ctx, settings()['server.trusted_proxies']);
  router.get('/setup/state', async (ctx) => {
    ctx.body = await accounts.setupState(from(ctx));
  });
  router.post('/setup', async (ctx) => {
    const { config: patch = {}, ...request } = await jsonBody(ctx, setupSchema);
    const peer = from(ctx);
    // Looked at before there is a user: with a faulty configuration nothing is set up.
    if ((await accounts.setupState(peer)).setup_required) config.check(patch);
    const session = await accounts.setup(request, peer);
    const caller = await accounts.authenticate(session.token);
    if (caller) await config.update(patch, { by: caller.userId });
    ctx.body = session;
    ctx.status = 201;
  });
};

export const setupSchema = z.strictObject({
  username: z.string().max(200),
  password: z.string().max(1024),
  setup_code: z.string().max(200).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
});
