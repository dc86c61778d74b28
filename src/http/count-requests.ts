import type { Context } from 'koa';
import type { Metrics } from '../metrics/metrics.ts';

/** Counts answered requests by the pattern of the route that answered them; `none`: it got to none. */
export function requestCounter(metrics: Pick<Metrics, 'answered'>) {
  return (ctx: Pick<Context, 'method' | 'status'>, seconds: number): void => {
    const matched = (ctx as { _matchedRoute?: string | RegExp })._matchedRoute;
    metrics.answered({
      method: methods.has(ctx.method) ? ctx.method : 'other',
      route: matched === undefined ? 'none' : patternOf(matched),
      status: ctx.status,
      seconds,
    });
  };
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** `/^\/transcripts\/(.+)$/` → `/transcripts/:path`, as routes without a regular expression look. */
function patternOf(route: string | RegExp): string {
  if (typeof route === 'string') return route;
  let pattern = patterns.get(route);
  if (pattern === undefined) {
    pattern = route.source
      .replaceAll('\\/', '/')
      .replaceAll(/^\^|\$$/g, '')
      .replaceAll('(.+)', ':path');
    patterns.set(route, pattern);
  }
  return pattern;
}

const patterns = new WeakMap<RegExp, string>();
