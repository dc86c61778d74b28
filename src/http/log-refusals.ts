import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { clientAddress } from './peer.ts';
import { toProblem, type Problem, type ProblemType } from './problems.ts';
import { pathForLog } from './request-log.ts';
import type { HttpServices } from './services.ts';
import type { State } from './state.ts';

/** Tells the log who was turned away, marked `category: 'security'`. What is answered does not change. */
export function logRefusals(services: Pick<HttpServices, 'log' | 'settings'>): Middleware<State> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { requestId, caller } = ctx.state;
      logRefusal(services, ctx.req, toProblem(error), {
        request: requestId,
        ...(caller ? { user: caller.userId } : {}),
      });
      throw error;
    }
  };
}

/** One line if the problem is a refusal, for whoever watches for intruders. No query string: it may hold a token. */
export function logRefusal(
  { log, settings }: Pick<HttpServices, 'log' | 'settings'>,
  request: IncomingMessage,
  problem: Problem,
  more: Record<string, unknown> = {},
): void {
  if (!refusals.has(problem.type)) return;
  log.warn(
    {
      category: 'security',
      problem: problem.type,
      address: clientAddress(request, settings()['server.trusted_proxies']),
      method: request.method,
      path: pathForLog((request.url ?? '').split('?')[0]!),
      ...more,
    },
    'refused',
  );
}

/** Logins and setup are told by the accounts themselves. */
const refusals: ReadonlySet<ProblemType> = new Set<ProblemType>([
  'not-authenticated',
  'not-admin',
  'outside-space',
  'cross-origin',
  'host-not-allowed',
]);
