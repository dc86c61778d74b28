import { callerOf } from '../authenticate.ts';
import { presentStatus } from '../present-status.ts';
import type { AddRoutes } from './add-routes.ts';

/** `GET /status`: what is going on for the caller, and what waits for them. */
export const statusRoutes: AddRoutes = (router, services) => {
  router.get('/status', async (ctx) => {
    ctx.body = await presentStatus(services, callerOf(ctx.state));
  });
};
