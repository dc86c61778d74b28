import type { AddRoutes } from './add-routes.ts';

/** `GET /health`: whoever gets this answer has reached a running service. */
export const healthRoutes: AddRoutes = (router, services) => {
  router.get('/health', (ctx) => {
    ctx.body = { status: 'ok', version: services.version };
  });
};
