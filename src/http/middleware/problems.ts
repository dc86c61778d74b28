import type { Middleware, ParameterizedContext } from 'koa';
import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { limits } from '../limits.ts';
import { pageSaying, problemBody } from '../problem-answer.ts';
import type { Problem, ProblemType } from '../problems.ts';
import { answerVisit } from '../app-pages.ts';
import type { HttpServices } from '../services.ts';
import type { State } from '../state.ts';
import { toProblem } from '../to-problem.ts';
import { clientAddress } from '../peer.ts';
import { languageWanted } from '../readers-language.ts';
import { pathForLog } from './request-log.ts';

/**
 * Turns whatever was thrown below into a problem document. Our own mistakes and who was turned away are
 * logged, once, here.
 */
export function answerProblems(
  services: Pick<HttpServices, 'log' | 'settings'>,
): Middleware<State> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const problem = toProblem(error);
      const { requestId, caller } = ctx.state;
      logRefusal(services, ctx.req, problem, {
        request: requestId,
        ...(caller ? { user: caller.userId } : {}),
      });
      // A start is not a failure.
      if (problem.status >= 500 && problem.type !== 'starting') {
        services.log.error(
          { request: requestId, problem: problem.type, err: problem.cause },
          'request failed',
        );
      }
      if (isVisit(ctx) && nowhere.has(problem.type) && (await answerVisit(ctx))) return;
      ctx.status = problem.status;
      ctx.set(problem.headers);
      const reader = { language: languageWanted(ctx), isAdmin: caller?.isAdmin === true };
      ctx.set('Content-Language', reader.language);
      const body = problemBody(problem, reader, requestId);
      // No file of the app is answered under that name either.
      if (isVisit(ctx) && problem.type === 'host-not-allowed') {
        ctx.type = 'text/html; charset=utf-8';
        ctx.body = pageSaying(body);
        return;
      }
      const text = JSON.stringify(body);
      ctx.type = 'application/problem+json';
      const unread = ctx.req.method !== 'GET' && !ctx.req.complete;
      if (unread) {
        ctx.set('Connection', 'close');
        ctx.body = Readable.from(lingering(text, ctx.req));
        ctx.length = Buffer.byteLength(text);
      } else {
        ctx.body = text;
      }
    }
  };
}

/** Whether a browser asks for something to be shown; programs, and the app itself, ask for JSON or anything. */
const isVisit = (ctx: ParameterizedContext<State>): boolean =>
  (ctx.method === 'GET' || ctx.method === 'HEAD') &&
  ctx.req.headers.authorization === undefined &&
  ctx.state.access !== 'ticket' &&
  ctx.accepts('json', 'html') === 'html';

/** Whoever is logged in or not: a visit sends no token, so what is asked for is nothing that can be shown. */
const nowhere: ReadonlySet<ProblemType> = new Set<ProblemType>(['not-found', 'not-authenticated']);

/**
 * Logs who was turned away, marked `category: 'security'`: one line if the problem is a refusal,
 * for those who watch for intruders. No query string: it may hold a token.
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
      path: pathForLog((request.url ?? '').replace(/\?.*$/su, '')),
      ...more,
    },
    'request refused',
  );
}

/** Logins and setup are logged by the accounts. */
const refusals: ReadonlySet<ProblemType> = new Set<ProblemType>([
  'not-authenticated',
  'not-admin',
  'outside-space',
  'cross-origin',
  'host-not-allowed',
]);

/**
 * The answer at once, its end a little later: closing a connection with unread data resets it, and the
 * client, still sending, would never see why. So the rest of the body is read and dropped, within limits.
 */
async function* lingering(text: string, request: IncomingMessage): AsyncGenerator<string> {
  yield text;
  await new Promise<void>((resolve) => {
    let bytes = 0;
    const timer = setTimeout(resolve, limits.lingerMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', done).once('close', done);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.lingerBytesMax) done();
    });
    request.resume();
  });
}
