import * as z from 'zod';
import type { Context } from 'koa';
import { callerOf, notAuthenticated, peerOf } from '../middleware/authenticate.ts';
import { jsonBody } from '../body.ts';
import type { AddRoutes } from '../services.ts';
import { visibleRecording } from '../visible-recording.ts';

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

/** `POST /recordings/{id}/ticket`: for `<audio>` and download links, which can send no header. */
export const ticketRoutes: AddRoutes = (router, services) => {
  router.post('/recordings/:id/ticket', async (ctx) => {
    const caller = callerOf(ctx.state);
    const { recording_id } = await visibleRecording(services, caller, ctx.params['id']!);
    const { ticket, expiresAt } = services.tickets.issue(caller, recording_id);
    ctx.status = 201;
    ctx.body = { ticket, expires_at: expiresAt.toISOString() };
  });
};
