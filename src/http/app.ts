import { type Layer, Router, type RouterMiddleware } from '@koa/router';
import Koa from 'koa';
import { answerProblems } from './middleware/problems.ts';
import { authenticate } from './middleware/authenticate.ts';
import { checkHost, hostCheck, securityHeaders } from './middleware/security.ts';
import { Problem, notFound } from './problems.ts';
import { rememberAnswers } from './middleware/idempotency.ts';
import { requestLog } from './middleware/request-log.ts';
import { audioDeviceRoutes } from './routes/devices.ts';
import { audioRoutes } from './routes/audio.ts';
import { configRoutes } from './routes/config.ts';
import { docsRoutes, openApiRoutes, pageRoutes, socketRoutes } from './routes/pages.ts';
import { documentChangeRoutes, transcriptRoutes } from './routes/documents.ts';
import {
  doctorRoutes,
  healthRoutes,
  machineRoutes,
  metricsRoutes,
  statusRoutes,
} from './routes/status.ts';
import { eventRoutes, recordingRoutes } from './routes/recordings.ts';
import { exportRoutes } from './routes/export.ts';
import { openRoutes } from './routes/open.ts';
import { recordingChangeRoutes } from './routes/recording-edits.ts';
import { recordingCommandRoutes } from './routes/recording-actions.ts';
import { searchRoutes } from './routes/search.ts';
import { sessionRoutes, setupRoutes, ticketRoutes } from './routes/session.ts';
import { speakersRoutes } from './routes/speakers.ts';
import { toggleRoutes } from './routes/toggle.ts';
import { tusRoutes } from './routes/tus.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { userRoutes } from './routes/users.ts';
import type { HttpServices, State } from './services.ts';
import { openTickets } from './tickets.ts';

/**
 * The HTTP interface. The order of what happens to a request is the order of the lines: first what must
 * be true of every answer, then who it is from, only then what it asks for.
 */
export function createApp(services: HttpServices): Koa<State> {
  const app = new Koa<State>();
  app.use(requestLog(services.log, services.metrics));
  app.use(securityHeaders());
  app.use(answerProblems(services));
  app.use(
    checkHost(
      hostCheck({
        address: services.address,
        allowed: () => services.settings()['server.allowed_hosts'],
      }),
    ),
  );
  const tickets = openTickets(services.accounts);
  app.use(authenticate(services.accounts, tickets, () => services.settings()['metrics.token']));
  app.use(rememberAnswers());

  // Case and slashes count, as in `access.ts`: a path has one meaning.
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const addRoutes of resources) addRoutes(router, { ...services, tickets });
  app.use(bySegment(router));
  app.use((ctx) => {
    // Only what no route answered gets here. `matched`: routes of that path, whatever their method.
    const methods = new Set(
      (ctx.matched as Layer[] | undefined)?.flatMap((route) => route.methods),
    );
    if (methods.size === 0) throw notFound();
    throw new Problem('method-not-allowed', `Allowed here: ${[...methods].join(', ')}.`, {
      headers: { Allow: [...methods].join(', ') },
    });
  });
  // What fails after the answer has begun (a client that went away, a file that shrank).
  app.on('error', (error: unknown) => services.log.debug({ err: error }, 'connection failed'));
  return app;
}

const resources = [
  pageRoutes,
  healthRoutes,
  openApiRoutes,
  docsRoutes,
  metricsRoutes,
  doctorRoutes,
  setupRoutes,
  sessionRoutes,
  configRoutes,
  userRoutes,
  statusRoutes,
  uploadRoutes,
  tusRoutes,
  recordingRoutes,
  recordingCommandRoutes,
  recordingChangeRoutes,
  ticketRoutes,
  audioDeviceRoutes,
  audioRoutes,
  exportRoutes,
  searchRoutes,
  openRoutes,
  speakersRoutes,
  toggleRoutes,
  transcriptRoutes,
  documentChangeRoutes,
  machineRoutes,
  eventRoutes,
  socketRoutes,
];

/**
 * The routes of a router, found by the first segment of the path: the router compares a path with every
 * route it has, which for ninety of them takes longer than most answers. What the routes are, and what is
 * told of those that matched, stays the router's own.
 */
export function bySegment(all: Router<State>): RouterMiddleware<State> {
  const anywhere = (layer: Layer) => segmentOf(layer.path) === undefined;
  const routers = new Map<string, RouterMiddleware<State>>();
  for (const layer of all.stack as Layer[]) {
    const segment = segmentOf(layer.path);
    if (segment === undefined || routers.has(segment)) continue;
    // In their order, for the first that matches answers.
    const layers = (all.stack as Layer[]).filter(
      (other) => anywhere(other) || segmentOf(other.path) === segment,
    );
    routers.set(segment, routesOf(all, layers));
  }
  const rest = routesOf(all, (all.stack as Layer[]).filter(anywhere));
  const find: RouterMiddleware<State> = (ctx, next) => {
    const end = ctx.path.indexOf('/', 1);
    const segment = end === -1 ? ctx.path.slice(1) : ctx.path.slice(1, end);
    return (routers.get(segment) ?? rest)(ctx, next);
  };
  return Object.assign(find, { router: all });
}

function routesOf(all: Router<State>, layers: Layer[]): RouterMiddleware<State> {
  const router = new Router<State>(all.opts);
  router.stack.push(...(layers as typeof router.stack));
  return router.routes();
}

/** The first segment that every path of a route has; undefined: it may have any. */
function segmentOf(path: string | RegExp): string | undefined {
  if (typeof path === 'string') return /^\/([\w.-]*)(?=\/|$)/.exec(path)?.[1];
  return /^\^\\\/([\w-]*)(?=\\\/|\$$)/.exec(path.source)?.[1];
}
