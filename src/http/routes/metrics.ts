import type { AddRoutes } from './add-routes.ts';

/** `GET /metrics`, for Prometheus. Who may read it: `access.ts`. */
export const metricsRoutes: AddRoutes = (router, { metrics }) => {
  router.get('/metrics', async (ctx) => {
    const { contentType, text } = await metrics.told();
    ctx.set('Content-Type', contentType);
    ctx.body = text;
  });
};
