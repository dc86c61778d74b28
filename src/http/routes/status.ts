import * as z from 'zod';
import { limits } from '../limits.ts';
import { presentStatus } from '../status-answer.ts';
import { languageWanted } from '../readers-language.ts';
import { trySpeech } from '../../doctor/try-servers.ts';
import { checkIn, checked } from '../../doctor/check.ts';
import { chartJson } from '../../../machines/chart.ts';
import { node } from '../openapi/activity-answers.ts';
import * as answers from '../openapi/other-answers.ts';
import { statusSchema } from '../openapi/recording-answers.ts';
import { perApp, routesOf } from '../route.ts';

const route = routesOf({ tag: 'Status' });
const watching = routesOf({ tag: 'Watching', access: 'admin', needs: [] });

const statechart = perApp(() => Buffer.from(JSON.stringify(chartJson())));

/** What is going on for the caller, and what a recording can go through. */
export const statusRoutes = [
  route('get', '/status', {
    id: 'status',
    summary: 'What is going on for the caller, and what waits for them',
    answers: { 200: { description: 'The status.', json: statusSchema } },
    async run({ ctx, caller }, services) {
      return await presentStatus(services, caller, {
        // Who says nothing of languages is answered in the house's.
        language: ctx.get('Accept-Language') === '' ? undefined : languageWanted(ctx),
      });
    },
  }),
  route('get', '/machine', {
    id: 'machine',
    summary: 'The statechart of a recording',
    needs: [],
    answers: { 200: { description: 'The statechart as the server runs it.', json: answers.chart } },
    run: (_, services) => statechart(services),
  }),
  // For everybody, since what nothing recognises can be recorded all the same.
  route('get', '/recognition', {
    id: 'recognition',
    summary: 'Whether a speech engine is chosen, so that what is recorded becomes text',
    answers: {
      200: {
        description:
          '`chosen`: a separate server, or a model on this server. Whether a separate server responds is not checked.',
        json: z.object({ chosen: z.boolean() }),
      },
    },
    async run(_, { config, models, log }) {
      const settings = config.settings();
      // Whether a server answers is seen when it is asked; it is waited for.
      if (settings['stt.base_url'] !== null) return { chosen: true };
      return { chosen: (await trySpeech(settings, { modelsDir: models.folders, log })).ok };
    },
  }),
  // For those who look after the service.
  routesOf({ tag: 'Server', access: 'public' })('get', '/health', {
    id: 'health',
    summary: 'Whether the server responds',
    description: 'With `?ready`: 503 while it starts, too.',
    answers: {
      200: { description: 'The server is running.', json: answers.health },
      503: { description: 'It runs, and takes nothing new.', json: answers.health },
    },
    /**
     * 200 and `starting` while it starts; 503 as long as it takes nothing new; with damage that leaves it writable (a
     * key, an audio file) 200 and `damaged`. A restart mends neither, so nothing should restart a service because of it.
     */
    async run({ ctx }, { readiness, health, version }) {
      if (wantsReady(ctx)) await readiness.started(limits.readyWaitMs);
      const { state, writable } = health();
      const progress = readiness.progress();
      const isReady = writable && progress === null;
      ctx.status = (wantsReady(ctx) ? isReady : writable) ? 200 : 503;
      return progress === null || !writable
        ? { status: state, version }
        : { status: 'starting', version, fraction: progress.fraction };
    },
  }),
  watching('get', '/doctor', {
    id: 'doctor',
    summary: 'What is there, what is missing, and what to do about it',
    description:
      'Looks at everything at once, each within a time of its own: the speech engine recognises a sample, the ' +
      'language model answers a question. All requests while it looks get the same answer.',
    answers: {
      200: { description: 'The checks.', json: z.object({ checks: z.array(checked) }) },
    },
    async run({ ctx }, { doctor }) {
      const language = languageWanted(ctx);
      return {
        checks: (await doctor()).map((one) => checkIn(language, one)),
      };
    },
  }),
  watching('get', '/nodes', {
    id: 'listNodes',
    summary: 'The nodes of a cluster, and what each holds since when',
    description:
      'Also those that died or were cut off within a day. Empty where one process has the log for itself.',
    answers: {
      200: { description: 'The first to start first.', json: z.object({ nodes: z.array(node) }) },
    },
    async run(_, { cluster }) {
      const nodes = (await cluster?.nodes()) ?? [];
      return {
        nodes: nodes.map((node) => ({ ...node, current: node.id === cluster?.self.id })),
      };
    },
  }),
  watching('get', '/metrics', {
    id: 'metrics',
    summary: 'Metrics for Prometheus',
    description:
      'For administrators, and for clients that send `metrics.token` as the bearer token.',
    access: 'metrics',
    answers: { 200: { description: 'The metrics.', media: ['text/plain'] } },
    async run({ ctx }, { metrics }) {
      const { contentType, text } = await metrics.text();
      ctx.set('Content-Type', contentType);
      ctx.body = text;
    },
  }),
];

export const wantsReady = ({ query }: { query: Record<string, unknown> }): boolean =>
  'ready' in query;
