import { status, statusOf, type StatusView } from '../../../projections/status.ts';
import { callerOf } from '../authenticate.ts';
import { keptReads } from '../kept-reads.ts';
import { limits } from '../limits.ts';
import { presentStatus } from '../present-status.ts';
import type { AddRoutes } from './add-routes.ts';

/** `GET /status`: what is going on for the caller, and what waits for them. */
export const statusRoutes: AddRoutes = (router, services) => {
  const kept = keptReads<StatusView>(services.projections, status.name, limits.statusesKeptMax);
  // For how long something has been recording is told as of now.
  const still = ({ recordings }: StatusView) => recordings.length === 0;
  router.get('/status', async (ctx) => {
    ctx.body = await presentStatus(services, callerOf(ctx.state), {
      read: (storage, owner) => kept(owner, () => statusOf(storage, owner), still),
    });
  });
};
