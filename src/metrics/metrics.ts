import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type GaugeConfiguration,
} from 'prom-client';
import { endedBy } from '../../projections/recording-fold.ts';
import type { ProjectionStorage } from '../../projections/projection.ts';
import { recordingsByStatus, unsettledRecordings } from '../../projections/recordings.ts';
import type { ProjectionRunner } from '../../projections/runner.ts';
import type { RecordingsDesk } from '../recordings/desk.ts';
import { stageClock } from './stage-clock.ts';

/** Figures for those who watch the service. Labels are names of ours only: never content, ids or users. */
export interface Metrics {
  readonly contentType: string;
  /** All of them, in Prometheus' text format. */
  text(): Promise<string>;
  /** An HTTP request was answered. `route` is the pattern that answered it. */
  answered(request: { method: string; route: string; status: number; seconds: number }): void;
  /** A WebSocket was accepted; call what is returned when it has closed. */
  socketOpened(): () => void;
  stop(): void;
}

export type MetricsSources = {
  store: { head(): number };
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'states' | 'onApplied'>;
  desk: Pick<RecordingsDesk, 'activity'>;
  /** How far the integrity scrub is: everything up to `verified` was found sound; when a pass was completed. */
  scrub?: () => { verified: number; completedAt: string | null };
  /** Whether to tell of the process too (memory, processor, event loop). */
  process?: boolean;
};

/** Recordings are counted anew at most this often, in milliseconds: who asks all the time costs no more. */
const countEveryMs = 10_000;
/** Of a recording that goes through: seconds from 0.1 to four hours. */
const stageBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400];
const requestBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];

export function openMetrics(sources: MetricsSources): Metrics {
  const { projections } = sources;
  const register = new Registry();
  const registers = [register];
  if (sources.process === true) collectDefaultMetrics({ register });
  // Gauges that are read when somebody asks.
  const add: AddGauge = (gauge) => {
    register.registerMetric(new Gauge({ ...gauge, registers: [] }));
  };
  watchLog(sources, add);
  watchRecordings(sources, add);
  if (sources.scrub) watchScrub(sources.scrub, add);

  const facts = new Counter({
    name: 'mitschrift_facts_total',
    help: 'Facts appended since the service started, by type.',
    labelNames: ['type'],
    registers,
  });
  const stages = new Histogram({
    name: 'mitschrift_stage_seconds',
    help: 'How long finished stages of recordings took.',
    labelNames: ['stage'],
    buckets: stageBuckets,
    registers,
  });
  const failures = new Counter({
    name: 'mitschrift_stage_failures_total',
    help: 'Stages that failed since the service started.',
    labelNames: ['stage'],
    registers,
  });
  const clock = stageClock(endedBy);
  const stopListening = projections.onApplied((applied) => {
    for (const fact of applied) {
      facts.inc({ type: fact.type });
      if (fact.type === 'stage.failed') failures.inc({ stage: fact.data.stage });
      const finished = clock.note(fact);
      if (finished) stages.observe({ stage: finished.stage }, finished.seconds);
    }
  });

  const requests = new Histogram({
    name: 'mitschrift_http_request_seconds',
    help: 'Answered HTTP requests by the pattern of their route.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestBuckets,
    registers,
  });
  const sockets = new Gauge({
    name: 'mitschrift_websocket_clients',
    help: 'WebSockets that are open.',
    registers,
  });

  return {
    contentType: register.contentType,
    text: () => register.metrics(),
    answered({ method, route, status, seconds }) {
      requests.observe({ method, route, status: String(status) }, seconds);
    },
    socketOpened() {
      sockets.inc();
      return () => sockets.dec();
    },
    stop: stopListening,
  };
}

type AddGauge = (gauge: Omit<GaugeConfiguration<string>, 'registers'>) => void;

function watchLog({ store, projections }: MetricsSources, add: AddGauge): void {
  add({
    name: 'mitschrift_log_head',
    help: 'Position of the last fact in the log.',
    collect() {
      this.set(store.head());
    },
  });
  add({
    name: 'mitschrift_projection_behind',
    help: 'Facts that a projection has not applied yet.',
    labelNames: ['projection'],
    collect() {
      for (const { name, position } of projections.states()) {
        this.set({ projection: name }, Math.max(0, store.head() - position));
      }
    },
  });
  add({
    name: 'mitschrift_projection_running',
    help: '0: the projection has stopped.',
    labelNames: ['projection'],
    collect() {
      for (const { name, state } of projections.states()) {
        this.set({ projection: name }, state === 'stopped' ? 0 : 1);
      }
    },
  });
}

function watchRecordings({ storage, desk }: MetricsSources, add: AddGauge): void {
  let counted = { at: -countEveryMs, statuses: {} as Record<string, number> };
  add({
    name: 'mitschrift_recordings',
    help: 'Recordings by status.',
    labelNames: ['status'],
    async collect() {
      const now = performance.now();
      if (now - counted.at >= countEveryMs) {
        counted = { at: now, statuses: await recordingsByStatus(storage) };
      }
      this.reset();
      for (const [status, count] of Object.entries(counted.statuses)) this.set({ status }, count);
    },
  });
  add({
    name: 'mitschrift_stages',
    help: 'Stages that run, and that wait for their turn at an engine or for a server.',
    labelNames: ['stage', 'waiting'],
    async collect() {
      this.reset();
      for await (const recordingId of unsettledRecordings(storage)) {
        for (const { stage, waiting } of desk.activity(recordingId)) {
          this.inc({ stage, waiting: waiting ? 'yes' : 'no' });
        }
      }
    },
  });
}

function watchScrub(scrub: NonNullable<MetricsSources['scrub']>, add: AddGauge): void {
  add({
    name: 'mitschrift_scrub_position',
    help: 'Everything in the log up to this position was found sound.',
    collect() {
      this.set(scrub().verified);
    },
  });
  add({
    name: 'mitschrift_scrub_completed_timestamp_seconds',
    help: 'When everything was last looked at; 0: never yet.',
    collect() {
      const { completedAt } = scrub();
      this.set(completedAt === null ? 0 : Date.parse(completedAt) / 1000);
    },
  });
}
