import {
  Counter,
  Gauge,
  type GaugeConfiguration,
  type Metric,
  Registry,
  collectDefaultMetrics,
} from 'prom-client';
import { recordingsByStatus, unsettledRecordings } from '../../projections/recordings.ts';
import type { Counted, MetricsSources } from './metrics.ts';
import type { Durations, Tally } from './tally.ts';

/** Writes down for Prometheus what was counted, and what is looked up when somebody asks. */
export type Figures = {
  told(): Promise<{ contentType: string; text: string }>;
};

/** Recordings are counted anew at most this often, in milliseconds: who asks all the time costs no more. */
const countEveryMs = 10_000;

/** The process is watched (event loop, garbage) from here on; everything else was counted before. */
export function openFigures(sources: MetricsSources, counted: Counted): Figures {
  const register = new Registry();
  if (sources.process === true) collectDefaultMetrics({ register });
  // Read when somebody asks.
  const add: AddGauge = (gauge) => {
    register.registerMetric(new Gauge({ ...gauge, registers: [] }));
  };
  watchLog(sources, add);
  watchRecordings(sources, add);
  if (sources.scrub) watchScrub(sources.scrub, add);
  if (sources.space) watchSpace(sources.space, add);

  register.registerMetric(
    counterOf(counted.facts, {
      name: 'mitschrift_facts_total',
      help: 'Facts appended since the service started, by type.',
      labelNames: ['type'],
    }),
  );
  register.registerMetric(
    histogramOf(counted.stages, {
      name: 'mitschrift_stage_seconds',
      help: 'How long finished stages of recordings took.',
    }),
  );
  register.registerMetric(
    counterOf(counted.failures, {
      name: 'mitschrift_stage_failures_total',
      help: 'Stages that failed since the service started.',
      labelNames: ['stage'],
    }),
  );
  register.registerMetric(
    histogramOf(counted.requests, {
      name: 'mitschrift_http_request_seconds',
      help: 'Answered HTTP requests by the pattern of their route.',
    }),
  );
  add({
    name: 'mitschrift_websocket_clients',
    help: 'WebSockets that are open.',
    collect() {
      this.set(counted.sockets);
    },
  });

  return {
    told: async () => ({ contentType: register.contentType, text: await register.metrics() }),
  };
}

type AddGauge = (gauge: Omit<GaugeConfiguration<string>, 'registers'>) => void;

function counterOf<Label extends string>(
  counted: Tally<Label>,
  description: { name: string; help: string; labelNames: Label[] },
): Metric {
  return new Counter({
    ...description,
    registers: [],
    collect() {
      this.reset();
      for (const { labels, count } of counted.counts()) this.inc(labels, count);
    },
  });
}

/**
 * A histogram whose observations were counted elsewhere. The package's own can only observe one by one;
 * its registry takes whatever has a `get()` of this shape (prom-client, lib/registry.js).
 */
function histogramOf<Label extends string>(
  counted: Durations<Label>,
  { name, help }: { name: string; help: string },
): Metric {
  const values = () =>
    [...counted.taken()].flatMap(({ labels, count, sum, upTo }) => [
      ...[...upTo, { bound: '+Inf', count }].map((bucket) => ({
        metricName: `${name}_bucket`,
        labels: { ...labels, le: bucket.bound },
        value: bucket.count,
      })),
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ]);
  const get = async () => ({ name, help, type: 'histogram', values: values() });
  return { name, get } as unknown as Metric;
}

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

/** Without a limit, or before anything was counted, there is no sample: 0 would be a figure. */
function watchSpace(space: NonNullable<MetricsSources['space']>, add: AddGauge): void {
  const told = [
    ['taken', 'Bytes that documents, recordings and uploads take.'],
    ['limit', 'Bytes that they may take (limits.spaces_gb).'],
  ] as const;
  for (const [name, help] of told) {
    add({
      name: `mitschrift_space_${name}_bytes`,
      help,
      collect() {
        const bytes = space[name]();
        if (bytes === null) this.remove();
        else this.set(bytes);
      },
    });
  }
}
