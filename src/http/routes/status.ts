import * as z from 'zod';
import type { Router } from '@koa/router';
import { type StatusView, recordings, statusOf } from '../../../projections/recordings.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { cachedReads } from '../cached-reads.ts';
import { limits } from '../limits.ts';
import { presentStatus } from '../status-answer.ts';
import type { StartProgress } from '../middleware/ready.ts';
import { type Language, languageWanted, textIn } from '../readers-language.ts';
import type { AddRoutes } from '../services.ts';
import type { State } from '../state.ts';
import { trySpeech } from '../../doctor/try-servers.ts';
import type { Check } from '../../doctor/check.ts';
import { chartJson } from '../../../machines/chart.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import { node } from '../openapi/activity-answers.ts';
import * as answers from '../openapi/other-answers.ts';
import { statusSchema } from '../openapi/recording-answers.ts';

/** `GET /status`: what is going on for the caller, and what waits for them. */
export const statusRoutes: AddRoutes = (router, services) => {
  const kept = cachedReads<StatusView>(
    services.projections,
    recordings.name,
    limits.statusesKeptMax,
  );
  // For how long something has been recording is computed at each request.
  const still = ({ recordings }: StatusView) => recordings.length === 0;
  router.get('/status', async (ctx) => {
    ctx.body = await presentStatus(services, callerOf(ctx.state), {
      // Who says nothing of languages is answered in the house's.
      language: ctx.get('Accept-Language') === '' ? undefined : languageWanted(ctx),
      read: (storage, owner) => kept(owner, () => statusOf(storage, owner), still),
    });
  });
};

/**
 * `GET /health`: the service runs. 200 and `starting` while it starts; 503 as long as it takes nothing new;
 * with damage that leaves it writable (a key, an audio file) 200 and `damaged`. A restart mends neither, so
 * nothing should restart a service because of it. With `?ready`: 503 until it has started, too; waits a second
 * for that.
 */
export const healthRoutes: AddRoutes = (router, services) => {
  router.get('/health', async (ctx) => {
    if (wantsReady(ctx)) await services.readiness.started(limits.readyWaitMs);
    const { state, writable } = services.health();
    const progress = services.readiness.progress();
    const isReady = writable && progress === null;
    ctx.status = (wantsReady(ctx) ? isReady : writable) ? 200 : 503;
    ctx.body =
      progress === null || !writable
        ? { status: state, version: services.version }
        : { status: 'starting', version: services.version, fraction: progress.fraction };
  });
};

/** The same while the log is opened. */
export const startingHealth = (
  router: Router<State>,
  { version, progress }: { version: string; progress: StartProgress },
): void => {
  router.get('/health', (ctx) => {
    ctx.status = wantsReady(ctx) ? 503 : 200;
    ctx.body = { status: 'starting', version, fraction: progress.fraction };
  });
};

const wantsReady = ({ query }: { query: Record<string, unknown> }): boolean => 'ready' in query;

/** `GET /doctor`: for administrators. */
export const doctorRoutes: AddRoutes = (router, { doctor }) => {
  router.get('/doctor', async (ctx) => {
    const language = languageWanted(ctx);
    ctx.body = { checks: (await doctor()).map((check) => checkIn(language, check)) };
  });
};

/** `GET /recognition`: for everybody, since what nothing recognises can be recorded all the same. */
export const recognitionRoutes: AddRoutes = (router, { config, models, log }) => {
  router.get('/recognition', async (ctx) => {
    const settings = config.settings();
    // Whether a server answers is seen when it is asked; it is waited for.
    const isServer = settings['stt.base_url'] !== null;
    ctx.body = {
      chosen: isServer || (await trySpeech(settings, { modelsDir: models.folders, log })).ok,
    };
  });
};

const checkIn = (language: Language, check: Check): Check => ({
  ...check,
  title: textIn(language, check.title),
  detail: textIn(language, check.detail),
  remedy: check.remedy && { ...check.remedy, text: textIn(language, check.remedy.text) },
});

/** `GET /nodes`: for administrators. */
export const nodeRoutes: AddRoutes = (router, { cluster }) => {
  router.get('/nodes', async (ctx) => {
    const nodes = (await cluster?.nodes()) ?? [];
    ctx.body = {
      nodes: nodes.map((node) => ({ ...node, current: node.id === cluster?.self.id })),
    };
  });
};

/** `GET /metrics`, for Prometheus. Who may read it: `accessTo`. */
export const metricsRoutes: AddRoutes = (router, { metrics }) => {
  router.get('/metrics', async (ctx) => {
    const { contentType, text } = await metrics.text();
    ctx.set('Content-Type', contentType);
    ctx.body = text;
  });
};

/** `GET /machine`: the statechart, made from the machine's own definition. */
export const machineRoutes: AddRoutes = (router) => {
  const chart = Buffer.from(JSON.stringify(chartJson()));
  router.get('/machine', (ctx) => {
    ctx.type = 'application/json';
    ctx.body = chart;
  });
};

/** What is going on, and what looks after the service. */
export const hostOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/status',
    id: 'status',
    tag: 'Status',
    summary: 'What is going on for the caller, and what waits for them',
    answers: { 200: { description: 'The status.', json: statusSchema } },
  },
  {
    method: 'get',
    path: '/health',
    id: 'health',
    tag: 'Service',
    summary: 'Whether the service answers',
    description: 'With `?ready`: 503 while it starts, too.',
    answers: {
      200: { description: 'The service runs.', json: answers.health },
      503: { description: 'It runs, and takes nothing new.', json: answers.health },
    },
  },
  {
    method: 'get',
    path: '/machine',
    id: 'machine',
    tag: 'Status',
    summary: 'The statechart of a recording',
    answers: { 200: { description: 'Made from the machine itself.', json: answers.chart } },
  },
  {
    method: 'get',
    path: '/recognition',
    id: 'recognition',
    tag: 'Status',
    summary: 'Whether a speech engine is chosen, so that what is recorded becomes text',
    answers: {
      200: {
        description:
          '`chosen`: a server, or a model of this machine. Whether a server answers is not looked at.',
        json: z.object({ chosen: z.boolean() }),
      },
    },
  },
  {
    method: 'get',
    path: '/doctor',
    id: 'doctor',
    tag: 'Watching',
    summary: 'What is there, what is missing, and what to do about it',
    description:
      'Looks at everything at once, each within a time of its own: the speech engine recognises a sample, the ' +
      'language model answers a question. All requests while it looks get the same answer.',
    answers: {
      200: { description: 'The checks.', json: z.object({ checks: z.array(answers.check) }) },
    },
  },
  {
    method: 'get',
    path: '/nodes',
    id: 'listNodes',
    tag: 'Watching',
    summary: 'The nodes of a cluster, and what each holds since when',
    description:
      'Also those that died or were cut off within a day. Empty where one process has the log for itself.',
    answers: {
      200: {
        description: 'The first to start first.',
        json: z.object({ nodes: z.array(node) }),
      },
    },
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'metrics',
    tag: 'Watching',
    summary: 'Metrics for Prometheus',
    description:
      'For administrators, and for clients that send `metrics.token` as the bearer token.',
    answers: { 200: { description: 'The metrics.', media: ['text/plain'] } },
  },
];
