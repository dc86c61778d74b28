import type { Middleware } from 'koa';
import type { Metrics } from '../metrics/metrics.ts';

/** Counts every request by the pattern of the route that answered it; `none`: it got to none. */
export function countRequests(metrics: Pick<Metrics, 'answered'>): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const matched = (ctx as { _matchedRoute?: string | RegExp })._matchedRoute;
    metrics.answered({
      method: methods.has(ctx.method) ? ctx.method : 'other',
      route: matched === undefined ? 'none' : patternOf(matched),
      status: ctx.status,
      seconds: (performance.now() - startedAt) / 1000,
    });
  };
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** `/^\/transcripts\/(.+)$/` → `/transcripts/:path`, as routes without a regular expression look. */
const patternOf = (route: string | RegExp): string =>
  typeof route === 'string'
    ? route
    : route.source
        .replaceAll('\\/', '/')
        .replaceAll(/^\^|\$$/g, '')
        .replaceAll('(.+)', ':path');
