import type { Context, Middleware } from 'koa';
import { createHash, timingSafeEqual } from 'node:crypto';
import { detail } from '../../words/details.ts';
import type { Sentence } from '../../words/params.ts';
import { Problem } from '../problems.ts';
import { type Reader, languageWanted } from '../readers-language.ts';
import type { HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { WhoMayCall, State } from '../state.ts';
import type { Tickets } from '../tickets.ts';

/** Lets in who may call a route, before anything else of the request is looked at. */
export function authenticate(
  {
    accounts,
    tickets,
    settings,
  }: Pick<HttpServices, 'accounts' | 'settings'> & { tickets: Tickets },
  { access, asksPassword, whileLimited = [] }: WhoMayCall,
): Middleware<State> {
  const isMetricsToken = (token: string): boolean => {
    const expected = settings()['metrics.token'];
    return expected !== null && sameSecret(token, expected);
  };
  return async (ctx, next) => {
    ctx.state.access = access;
    if (access === 'ticket' && typeof ctx.query['ticket'] === 'string') {
      const caller = await tickets.redeem(ctx.query['ticket'], ctx.path);
      if (!caller) throw notAuthenticated(detail('ticket-expired'));
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
        throw new Problem('not-admin');
      }
    }
    assertUnlimited(ctx.state.caller, whileLimited);
    if (asksPassword) await assertConfirmed(accounts, ctx.state);
    return next();
  };
}

/** @throws {Problem} the password was not given within five minutes: who finds a session open must not do this */
export async function assertConfirmed(
  accounts: Pick<HttpServices['accounts'], 'isConfirmed'>,
  state: State,
): Promise<void> {
  if (await accounts.isConfirmed(callerOf(state))) return;
  throw new Problem('confirmation-required');
}

/** @throws {Problem} another password has to be chosen, or two-step login set up: nothing else opens before */
export function assertUnlimited(
  caller: Pick<Caller, 'limited'> | undefined,
  answers: WhoMayCall['whileLimited'] = [],
): void {
  const limited = caller?.limited ?? null;
  if (limited === null || answers.includes(limited)) return;
  throw new Problem(limited === 'totp' ? 'two-step-required' : 'password-change-required');
}

/** The caller of a route that needs a login. */
export function callerOf(state: State): Caller {
  // Only a public route that asks who calls leads here; failing closed is the answer to it.
  if (!state.caller) throw notAuthenticated();
  return state.caller;
}

/** Who reads an answer, and in which language. */
export const readerOf = (ctx: Pick<Context, 'acceptsLanguages'> & { state: State }): Reader => ({
  language: languageWanted(ctx),
  isAdmin: callerOf(ctx.state).isAdmin,
});

export const notAuthenticated = (said: Sentence = detail('token-missing')): Problem =>
  new Problem('not-authenticated', {
    said,
    headers: { 'WWW-Authenticate': 'Bearer realm="mitschrift"' },
  });

const bearerToken = (header: string): string | undefined =>
  /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header)?.[1];

/** Whether two secrets are the same; how long it takes tells nothing of either. */
const sameSecret = (a: string, b: string): boolean => timingSafeEqual(hashOf(a), hashOf(b));

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
