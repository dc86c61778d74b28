import type { Middleware } from 'koa';
import type { HostCheck } from './hosts.ts';
import { Problem } from './problems.ts';

/** Refuses names that are not ours (421) and writes that another site's page sends (403). */
export function checkHost(hosts: HostCheck): Middleware {
  return (ctx, next) => {
    const host = ctx.req.headers.host;
    if (!hosts.allows(host)) throw hostNotAllowed();
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return next();
    if (
      !hosts.sameOrigin(ctx.req.headers.origin, host) ||
      ctx.req.headers['sec-fetch-site'] === 'cross-site'
    ) {
      throw new Problem('cross-origin', 'Only pages of this service may send this.');
    }
    return next();
  };
}

export const hostNotAllowed = (): Problem =>
  new Problem(
    'host-not-allowed',
    'The service does not answer to this host name. An administrator can add it to `server.allowed_hosts`.',
  );
