import Koa from 'koa';
import type { RequestListener } from 'node:http';
import { answerProblems } from './middleware/problems.ts';
import type { StartProgress } from './middleware/ready.ts';
import { requestLog } from './middleware/request-log.ts';
import { hostCheck, securityHeaders } from './middleware/security.ts';
import { type Problem, starting } from './problems.ts';
import { answerPage, isPageOrFile } from './app-pages.ts';
import { wantsReady } from './routes/status.ts';
import type { HttpServices } from './services.ts';
import type { State } from './state.ts';

/** What the port answers while the log is opened. */
export type StartingApp = {
  /** Pages and `/health`; 503 `starting` to all else. */
  request: RequestListener;
  /** Whether this is answered now; all else is worth a little waiting. */
  answers(url: string, accept: string | undefined): boolean;
  problem(): Problem;
} & Pick<HttpServices, 'log' | 'settings'>;

const openingLog: StartProgress = { waitsFor: ['log'], fraction: null, retryAfter: 1 };

/** Under a host name that only the settings in the log may allow, 503 as well. */
export function createStartingApp(
  parts: Pick<HttpServices, 'log' | 'version' | 'address' | 'settings'>,
): StartingApp {
  const { log, version, address, settings } = parts;
  const problem = () => starting(openingLog);
  const hosts = hostCheck({ address, allowed: () => settings()['server.allowed_hosts'] });

  const app = new Koa<State>();
  app.use(requestLog(log, { answered: () => {} }));
  app.use(securityHeaders());
  app.use(answerProblems(parts));
  app.use((ctx, next) => {
    if (!hosts.allows(ctx.req.headers.host)) throw problem();
    return next();
  });
  app.use(async (ctx) => {
    if (ctx.path !== '/health') {
      if (await answerPage(ctx)) return;
      throw problem();
    }
    ctx.status = wantsReady(ctx) ? 503 : 200;
    ctx.body = { status: 'starting', version, fraction: openingLog.fraction };
  });
  app.on('error', (error: unknown) =>
    log.debug({ err: error }, 'connection failed after the answer had begun'),
  );
  const answer = app.callback();
  return {
    request: (incoming, outgoing) => void answer(incoming, outgoing),
    answers(url, accept) {
      const [path = ''] = url.split('?');
      return (path === '/health' || isPageOrFile(path, accept)) && !/\?.*\bready\b/.test(url);
    },
    problem,
    log,
    settings,
  };
}
