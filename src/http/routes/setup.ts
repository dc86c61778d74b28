import { z } from 'zod';
import { jsonBody } from '../json-body.ts';
import { peerOf } from '../peer.ts';
import type { AddRoutes } from './add-routes.ts';

/** First run: the first administrator, and nobody after them. */
export const setupRoutes: AddRoutes = (router, { accounts }) => {
  router.get('/setup/state', async (ctx) => {
    ctx.body = await accounts.setupState(peerOf(ctx));
  });
  router.post('/setup', async (ctx) => {
    const request = await jsonBody(ctx, setupSchema);
    ctx.body = await accounts.setup(request, peerOf(ctx));
    ctx.status = 201;
  });
};

const setupSchema = z.strictObject({
  username: z.string().max(200),
  password: z.string().max(1024),
  setup_code: z.string().max(200).optional(),
});
