import type { IncomingMessage } from 'node:http';
import { clientAddress } from './peer.ts';
import type { Problem, ProblemType } from './problems.ts';
import { pathForLog } from './request-log.ts';
import type { HttpServices } from './services.ts';

/**
 * Tells the log who was turned away, marked `category: 'security'`: one line if the problem is a refusal,
 * for whoever watches for intruders. No query string: it may hold a token.
 */
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
