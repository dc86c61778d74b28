import type { AddRoutes } from './add-routes.ts';

/** `GET /metrics`, for Prometheus. Who may read it: `access.ts`. */
export const metricsRoutes: AddRoutes = (router, { metrics }) => {
  router.get('/metrics', async (ctx) => {
    const text = await metrics.text();
    ctx.set('Content-Type', metrics.contentType);
    ctx.body = text;
  });
};
