import type { Middleware } from 'koa';
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
  return async (ctx, next) => {
    const startedAt = performance.now();
    ctx.state.requestId = randomUUID();
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
    await next();
    const ms = performance.now() - startedAt;
    metrics.answered({
      method: methods.has(ctx.method) ? ctx.method : 'other',
      route: ctx.state.route ?? 'none',
      status: ctx.status,
      seconds: ms / 1000,
    });
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
