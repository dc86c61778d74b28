import type { Middleware } from 'koa';
import type { HostCheck } from './hosts.ts';
import { Problem } from './problems.ts';

/** Refuses names that are not ours (421) and writes that another site's page sends (403). */
export function checkHost(hosts: HostCheck): Middleware {
  return async (ctx, next) => {
    const host = ctx.req.headers.host;
    if (!hosts.allows(host)) throw hostNotAllowed();
    const reading = ctx.method === 'GET' || ctx.method === 'HEAD';
    const crossSite =
      !hosts.sameOrigin(ctx.req.headers.origin, host) || ctx.get('Sec-Fetch-Site') === 'cross-site';
    if (!reading && crossSite) {
      throw new Problem('cross-origin', 'Only pages of this service may send this.');
    }
    await next();
  };
}

export const hostNotAllowed = (): Problem =>
  new Problem(
    'host-not-allowed',
    'The service does not answer to this host name. An administrator can add it to `server.allowed_hosts`.',
  );
