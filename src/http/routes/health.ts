import type { AddRoutes } from './add-routes.ts';

/**
 * `GET /health`: whoever gets this answer has reached a running service. 503 as long as it takes
 * nothing new; with damage that leaves it writable (a key, an audio file) 200 and `damaged`. A restart
 * mends neither, so nothing should restart a service because of it.
 */
export const healthRoutes: AddRoutes = (router, services) => {
  router.get('/health', (ctx) => {
    const { state, writable } = services.health();
    ctx.status = writable ? 200 : 503;
    ctx.body = { status: state, version: services.version };
  });
};
