import type { Context, Middleware } from 'koa';
import { randomUUID } from 'node:crypto';
import type { Log } from '../../shared/log.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { State } from '../state.ts';

/**
 * Gives each request an id, counts it, and logs one line about it: method, path without its query, status, time.
 * Never bodies, headers or query strings: they hold transcripts and tokens. Paths of documents hold
 * titles, so only their first segment is logged.
 */
export function requestLog(log: Log, metrics: Pick<Metrics, 'answered'>): Middleware<State> {
  const count = requestCounter(metrics);
  return async (ctx, next) => {
    const startedAt = performance.now();
    ctx.state.requestId = randomUUID();
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
    await next();
    const ms = performance.now() - startedAt;
    count(ctx, ms / 1000);
    log.info(
      {
        request: ctx.state.requestId,
        method: ctx.method,
        path: pathForLog(ctx.path),
        status: ctx.status,
        ms: Math.round(ms),
        ...(ctx.state.caller ? { user: ctx.state.caller.userId } : {}),
      },
      'request answered',
    );
  };
}

export function pathForLog(path: string): string {
  const [, first = '', second] = path.split('/');
  const keepsIds = first === 'recordings';
  return keepsIds || second === undefined ? path.slice(0, 200) : `/${first.slice(0, 40)}/…`;
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const patterns = new WeakMap<RegExp, string>();

/** Counts answered requests by the pattern of the route that answered them; `none`: it got to none. */
function requestCounter(metrics: Pick<Metrics, 'answered'>) {
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
