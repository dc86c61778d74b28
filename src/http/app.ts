import { Router, type Layer } from '@koa/router';
import Koa from 'koa';
import { answerProblems } from './answer-problems.ts';
import { authenticate } from './authenticate.ts';
import { checkHost } from './check-host.ts';
import { hostCheck } from './hosts.ts';
import { Problem, notFound } from './problems.ts';
import { rememberAnswers } from './remember-answers.ts';
import { requestLog } from './request-log.ts';
import { bySegment } from './by-segment.ts';
import { audioDeviceRoutes } from './routes/audio-devices.ts';
import { audioRoutes } from './routes/audio.ts';
import { configRoutes } from './routes/config.ts';
import { docsRoutes } from './routes/docs.ts';
import { documentChangeRoutes } from './routes/document-changes.ts';
import { doctorRoutes } from './routes/doctor.ts';
import { eventRoutes } from './routes/events.ts';
import { exportRoutes } from './routes/export.ts';
import { healthRoutes } from './routes/health.ts';
import { machineRoutes } from './routes/machine.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { openRoutes } from './routes/open.ts';
import { pageRoutes } from './routes/pages.ts';
import { recordingChangeRoutes } from './routes/recording-changes.ts';
import { recordingCommandRoutes } from './routes/recording-commands.ts';
import { recordingRoutes } from './routes/recordings.ts';
import { searchRoutes } from './routes/search.ts';
import { sessionRoutes } from './routes/session.ts';
import { setupRoutes } from './routes/setup.ts';
import { socketRoutes } from './routes/socket.ts';
import { speakersRoutes } from './routes/speakers.ts';
import { statusRoutes } from './routes/status.ts';
import { ticketRoutes } from './routes/tickets.ts';
import { toggleRoutes } from './routes/toggle.ts';
import { transcriptRoutes } from './routes/transcripts.ts';
import { tusRoutes } from './routes/tus.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { userRoutes } from './routes/users.ts';
import { securityHeaders } from './security-headers.ts';
import type { HttpServices } from './services.ts';
import type { State } from './state.ts';
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
