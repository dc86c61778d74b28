import { untilReady } from './middleware/ready.ts';
import { type Layer, Router, type RouterMiddleware } from '@koa/router';
import Koa from 'koa';
import { answerProblems } from './middleware/problems.ts';
import { authenticate } from './middleware/authenticate.ts';
import { compressAnswers } from './middleware/compress.ts';
import { checkHost, hostsOf, securityHeaders } from './middleware/security.ts';
import { Problem, notFound, onlyWorks } from './problems.ts';
import { rememberAnswers } from './middleware/idempotency.ts';
import { makeRoom } from './middleware/make-room.ts';
import { requestLog } from './middleware/request-log.ts';
import { audioDeviceRoutes } from './routes/devices.ts';
import { audioRoutes } from './routes/audio.ts';
import { backupRoutes } from './routes/backup.ts';
import { configRoutes } from './routes/config.ts';
import { docsRoutes, openApiRoutes, pageRoutes, socketRoutes } from './routes/pages.ts';
import { documentChangeRoutes, transcriptRoutes } from './routes/documents.ts';
import {
  doctorRoutes,
  healthRoutes,
  machineRoutes,
  metricsRoutes,
  nodeRoutes,
  recognitionRoutes,
  statusRoutes,
} from './routes/status.ts';
import { eventRoutes, recordingRoutes } from './routes/recordings.ts';
import { exportRoutes } from './routes/export.ts';
import { acceptRoutes, invitationRoutes } from './routes/invitations.ts';
import { guideRoutes } from './routes/guide.ts';
import { modelRoutes } from './routes/models.ts';
import { openRoutes } from './routes/open.ts';
import { profileRoutes } from './routes/profiles.ts';
import { recordingChangeRoutes } from './routes/recording-edits.ts';
import { recordingCommandRoutes } from './routes/recording-actions.ts';
import { searchRoutes } from './routes/search.ts';
import { ownSessionRoutes, sessionRoutes, setupRoutes, ticketRoutes } from './routes/session.ts';
import { speakersRoutes } from './routes/speakers.ts';
import { toggleRoutes } from './routes/toggle.ts';
import { tusRoutes } from './routes/tus.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { userRoutes } from './routes/users.ts';
import { vaultRoutes } from './routes/vault.ts';
import { versionRoutes } from './routes/versions.ts';
import type { AddRoutes, HttpServices, RouteServices } from './services.ts';
import type { State } from './state.ts';
import { openTickets } from './tickets.ts';
import { openUploadPlaces } from './uploads/places.ts';

/**
 * The HTTP interface. The order of what happens to a request is the order of the lines: first what must
 * be true of every answer, then who it is from, only then what it asks for.
 */
export function createApp(services: HttpServices): Koa<State> {
  const app = new Koa<State>();
  app.use(requestLog(services.log, services.metrics));
  app.use(securityHeaders());
  app.use(answerProblems(services));
  app.use(compressAnswers());
  app.use(checkHost(hostsOf(services)));
  if (!services.standing.serves) app.use(onlyFigures);
  const tickets = openTickets(services.accounts, services.ticketRows);
  app.use(authenticate(services.accounts, tickets, () => services.settings()['metrics.token']));
  app.use(untilReady(services.readiness));
  app.use(rememberAnswers());
  app.use(makeRoom(services));

  app.use(answerByRoute({ ...services, tickets, uploads: openUploadPlaces() }));
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

const onlyFigures: Koa.Middleware<State> = (ctx, next) => {
  if (!['health', 'metrics'].includes(firstSegment(ctx.path))) throw onlyWorks();
  return next();
};

/**
 * Which routers answer which paths, by the first segment of the path: a router compares a path with each of
 * its routes, which for all ninety of them takes longer than most answers.
 */
const resources: readonly (readonly [segments: readonly string[], ...routes: AddRoutes[]])[] = [
  [['health'], healthRoutes],
  [['openapi.json'], openApiRoutes],
  [['docs', 'assets'], docsRoutes, guideRoutes, pageRoutes],
  [['metrics'], metricsRoutes],
  [['doctor'], doctorRoutes],
  [['nodes'], nodeRoutes],
  [['recognition'], recognitionRoutes],
  [['setup'], setupRoutes, pageRoutes],
  [['login', 'logout'], sessionRoutes, pageRoutes],
  [['config'], configRoutes],
  [['backup'], backupRoutes],
  [['users'], ownSessionRoutes, vaultRoutes, userRoutes, invitationRoutes],
  [['invitations'], acceptRoutes],
  [['status'], statusRoutes],
  [['uploads'], tusRoutes],
  [
    ['recordings'],
    uploadRoutes,
    recordingRoutes,
    recordingCommandRoutes,
    recordingChangeRoutes,
    versionRoutes,
    ticketRoutes,
    audioRoutes,
    exportRoutes,
  ],
  [['audio'], audioDeviceRoutes],
  [['models'], modelRoutes],
  [['search'], searchRoutes],
  [['open'], openRoutes],
  [['speakers', 'people'], speakersRoutes, profileRoutes, pageRoutes],
  [['toggle'], toggleRoutes],
  [['transcripts'], transcriptRoutes, documentChangeRoutes],
  [['machine'], machineRoutes],
  [['events'], eventRoutes],
  [['ws'], socketRoutes],
];

/** The routers of the interface. `pages` answers for every first segment that is not in `bySegment`. */
export function openRouters(services: RouteServices): {
  bySegment: ReadonlyMap<string, Router<State>>;
  pages: Router<State>;
} {
  const routerOf = (routes: readonly AddRoutes[]) => {
    // Case and slashes count, as in `accessTo`: a path has one meaning.
    const router = new Router<State>({ sensitive: true, strict: true });
    for (const addRoutes of routes) addRoutes(router, services);
    return router;
  };
  const bySegment = new Map<string, Router<State>>();
  for (const [segments, ...routes] of resources) {
    const router = routerOf(routes);
    for (const segment of segments) bySegment.set(segment, router);
  }
  return { bySegment, pages: routerOf([pageRoutes]) };
}

/** The first segment of a path, without its slashes. */
export function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path.slice(1) : path.slice(1, end);
}

function answerByRoute(services: RouteServices): RouterMiddleware<State> {
  const { bySegment, pages } = openRouters(services);
  const routes = new Map([...bySegment].map(([segment, router]) => [segment, router.routes()]));
  const rest = pages.routes();
  return (ctx, next) => (routes.get(firstSegment(ctx.path)) ?? rest)(ctx, next);
}
