import type { Middleware } from 'koa';
import { accessTo } from './access.ts';
import { Problem } from './problems.ts';
import { sameSecret } from './same-secret.ts';
import type { Caller, HttpServices } from './services.ts';
import type { State } from './state.ts';
import type { Tickets } from './tickets.ts';

/** Lets in who may call, before anything else of the request is looked at. */
export function authenticate(
  accounts: Pick<HttpServices['accounts'], 'authenticate'>,
  tickets: Tickets,
  metricsToken: () => string | null,
): Middleware<State> {
  const isMetricsToken = (token: string): boolean => {
    const expected = metricsToken();
    return expected !== null && sameSecret(token, expected);
  };
  return async (ctx, next) => {
    const access = accessTo(ctx.method, ctx.path);
    if (access === 'ticket' && typeof ctx.query['ticket'] === 'string') {
      const caller = tickets.redeem(ctx.query['ticket'], ctx.path);
      if (!caller) throw notAuthenticated('The ticket is not, or no longer, good for this.');
      ctx.state.caller = caller;
    } else if (access !== 'public') {
      const token = bearerToken(ctx.req.headers.authorization ?? '');
      const caller = token === undefined ? null : await accounts.authenticate(token);
      const watches = access === 'metrics' && token !== undefined && isMetricsToken(token);
      if (token && caller) {
        ctx.state.caller = caller;
        ctx.state.token = token;
      } else if (access !== 'upload' && !watches) {
        throw notAuthenticated();
      }
      const forAdmins = access === 'admin' || (access === 'metrics' && !watches);
      if (forAdmins && !ctx.state.caller?.isAdmin) {
        throw new Problem('not-admin', 'Ask an administrator of this service.');
      }
    }
    return next();
  };
}

/** The caller of a route that needs a login. */
export function callerOf(state: State): Caller {
  // Only a mistake in `access.ts` leads here; failing closed is the answer to it.
  if (!state.caller) throw notAuthenticated();
  return state.caller;
}

export const notAuthenticated = (
  detail = 'Log in and send the token as `Authorization: Bearer <token>`.',
): Problem =>
  new Problem('not-authenticated', detail, {
    headers: { 'WWW-Authenticate': 'Bearer realm="mitschrift"' },
  });

const bearerToken = (header: string): string | undefined =>
  /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header)?.[1];
