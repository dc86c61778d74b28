import * as z from 'zod';
import { callerOf, notAuthenticated } from '../authenticate.ts';
import { jsonBody } from '../json-body.ts';
import { peerOf } from '../peer.ts';
import type { AddRoutes } from './add-routes.ts';

/** Logging in and out. */
export const sessionRoutes: AddRoutes = (router, { accounts, settings }) => {
  router.post('/login', async (ctx) => {
    const peer = peerOf(ctx, settings()['server.trusted_proxies']);
    ctx.body = await accounts.login(await jsonBody(ctx, loginSchema), peer);
  });
  router.post('/logout', async (ctx) => {
    callerOf(ctx.state);
    if (ctx.state.token === undefined) throw notAuthenticated();
    await accounts.logout(ctx.state.token);
    ctx.status = 204;
  });
};

export const loginSchema = z.strictObject({
  username: z.string().max(200),
  password: z.string().max(1024),
});
