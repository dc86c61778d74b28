import { LRUCache } from 'lru-cache';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { Stage } from '../../events/facts/recording.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { counting } from '../../events/facts/counting.ts';
import { unsettledRecordings, recordingsByStatus } from '../../projections/recordings.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import type { ClusterMember } from '../storage/cluster.ts';
import {
  type AddGauge,
  type Figures,
  type NodeSources,
  addFigures,
  watchNode,
} from './node-metrics.ts';

/** Counters and gauges. Labels are names of ours only: never content, ids or users. */
export interface Metrics {
  /** All of them in the Prometheus text format, and its media type. */
  text(): Promise<{ contentType: string; text: string }>;
  /** An HTTP request was answered. `route` is the pattern that answered it. */
  answered(request: { method: string; route: string; status: number; seconds: number }): void;
  /** A WebSocket was accepted; call what is returned when it has closed. @param byLink it is of who has a link */
  socketOpened(byLink?: boolean): () => void;
  stop(): void;
}

/** Counts from now on; gauges are read when they are asked for. */
export async function openMetrics(sources: MetricsSources): Promise<Metrics> {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const { facts, stages, failures, forgotten, requests, sockets, listeners } = counters(register);
  const clock = stageClock();
  // What the projections catch up with at a start was counted before.
  const from = await sources.store.head();
  const stopListening = sources.projections.onApplied((applied) => {
    for (const fact of applied) {
      const finished = clock.note(fact);
      if (fact.position <= from) continue;
      facts.inc({ type: fact.type });
      if (fact.type === 'stage.failed') failures.inc({ stage: fact.data.stage });
      if (fact.type === 'recording.erased' && fact.data.retention) forgotten.inc({ part: 'notes' });
      if (fact.type === 'audio.removed' && fact.data.retention) forgotten.inc({ part: 'audio' });
      if (finished) stages.observe({ stage: finished.stage }, finished.seconds);
    }
  });
  const add: AddGauge = (gauge) => void new Gauge({ ...gauge, registers: [register] });
  watchLog(sources, add);
  watchRecordings(sources, add);
  watchSpace(sources.space, add);
  addFigures(add, figuresOf(sources));
  if (sources.cluster) watchNode({ ...sources, cluster: sources.cluster }, add);

  return {
    text: async () => ({ contentType: register.contentType, text: await register.metrics() }),
    answered({ method, route, status, seconds }) {
      requests.observe({ method, route, status: String(status) }, seconds);
    },
    socketOpened(byLink = false) {
      const counted = byLink ? [sockets, listeners] : [sockets];
      for (const gauge of counted) gauge.inc();
      let open = true;
      return () => {
        if (open) for (const gauge of counted) gauge.dec();
        open = false;
      };
    },
    stop: stopListening,
  };
}

/** What the metrics are taken from. */
export type MetricsSources = {
  store: NodeSources['store'];
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'states' | 'onApplied' | 'position'>;
  recordingService: Pick<OpenRecordingService, 'activity' | 'slotsUsed'>;
  /** How far the integrity scrub is: everything up to `verified` was found sound; when a pass was completed. */
  scrub: () => { verified: number; completedAt: string | null };
  /** Bytes that documents, recordings and uploads take, and may take; null: not counted yet, any number. */
  space: { taken(): number | null; limit(): number | null };
  /** What waits to be found by its meaning; null: nothing is known of it here. */
  passageMaker: { behind(): { waiting: number } | null };
  /** Notices and moments that other nodes were not told. */
  noticesDropped: () => number;
  /** This process among the nodes of a cluster; null: it is alone. */
  cluster: ClusterMember | null;
};

/** What is counted while the service runs. */
const counters = (register: Registry) => ({
  facts: new Counter({
    name: 'mitschrift_facts_total',
    help: 'Facts appended since the service started, by type.',
    labelNames: ['type'],
    registers: [register],
  }),
  stages: new Histogram({
    name: 'mitschrift_stage_seconds',
    help: 'How long finished stages of recordings took.',
    labelNames: ['stage'],
    buckets: stageBuckets,
    registers: [register],
  }),
  failures: new Counter({
    name: 'mitschrift_stage_failures_total',
    help: 'Stages that failed since the service started.',
    labelNames: ['stage'],
    registers: [register],
  }),
  forgotten: new Counter({
    name: 'mitschrift_retention_deleted_total',
    help: 'Notes, and audio of notes, that were deleted by retention since the service started.',
    labelNames: ['part'],
    registers: [register],
  }),
  requests: new Histogram({
    name: 'mitschrift_http_request_seconds',
    help: 'Answered HTTP requests by the pattern of their route.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestBuckets,
    registers: [register],
  }),
  sockets: new Gauge({
    name: 'mitschrift_websocket_clients',
    help: 'WebSockets that are open.',
    registers: [register],
  }),
  listeners: new Gauge({
    name: 'mitschrift_link_listeners',
    help: 'Those of them that follow a note by a link.',
    registers: [register],
  }),
});

/** Of a recording that goes through: seconds from 0.1 to four hours. */
const stageBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400];
const requestBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];

/** Starts of stages remembered; the oldest beyond that are forgotten, and their stages not timed. */
const beginningsMax = 10_000;

/** Recordings are counted at most this often, in milliseconds, so that frequent scrapes cost no more. */
const countEveryMs = 10_000;

/** Times stages by their own facts: from `stage.started` to the result. Stages that started before are not known. */
function stageClock() {
  const began = new LRUCache<string, number>({ max: beginningsMax });
  return {
    /** Takes note of a fact; answers with the stage it finished and how many seconds that took. */
    note({ stream, type, at, data }: LoggedFact): { stage: Stage; seconds: number } | undefined {
      const time = Date.parse(at);
      if (type === 'stage.started') {
        began.set(`${stream}/${data.stage}`, time);
        return undefined;
      }
      if (type === 'stage.failed' || type === 'stage.interrupted') {
        began.delete(`${stream}/${data.stage}`);
        return undefined;
      }
      const stage = counting[type]?.ends;
      const since = stage === undefined ? undefined : began.get(`${stream}/${stage}`);
      if (stage === undefined || since === undefined) return undefined;
      began.delete(`${stream}/${stage}`);
      return { stage, seconds: Math.max(0, time - since) / 1000 };
    },
  };
}

const figuresOf = ({ store, scrub, noticesDropped, passageMaker }: MetricsSources): Figures => ({
  mitschrift_log_head: ['Position of the last fact in the log.', () => store.head()],
  mitschrift_scrub_position: [
    'Everything in the log up to this position was found sound.',
    () => scrub().verified,
  ],
  mitschrift_scrub_completed_timestamp_seconds: [
    'When everything was last looked at; 0: never yet.',
    () => new Date(scrub().completedAt ?? 0).getTime() / 1000,
  ],
  mitschrift_notices_dropped: [
    'Notices that other nodes were not told since the service started, as there were too many.',
    noticesDropped,
  ],
  mitschrift_passages_waiting: [
    'Recordings that wait to be found by their meaning; 0 where another node looks after them, or no embedding server is set.',
    () => passageMaker.behind()?.waiting ?? 0,
  ],
});

function watchLog({ store, projections }: MetricsSources, add: AddGauge): void {
  add({
    name: 'mitschrift_projection_behind',
    help: 'Facts that a projection has not applied yet.',
    labelNames: ['projection'],
    async collect() {
      const head = await store.head();
      for (const { name, position } of projections.states()) {
        this.set({ projection: name }, Math.max(0, head - position));
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

function watchRecordings({ storage, recordingService }: MetricsSources, add: AddGauge): void {
  let counted: { at: number; statuses: Record<string, number> } = {
    at: -countEveryMs,
    statuses: {},
  };
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
        for (const { stage, waiting } of recordingService.activity(recordingId)) {
          this.inc({ stage, waiting: waiting ? 'yes' : 'no' });
        }
      }
    },
  });
}

/** Without a limit, or before anything was counted, there is no sample: 0 would be a figure. */
function watchSpace(space: MetricsSources['space'], add: AddGauge): void {
  const gauges = [
    ['taken', 'Bytes that documents, recordings and uploads take.'],
    ['limit', 'Bytes that they may take (limits.spaces_gb).'],
  ] as const;
  for (const [name, help] of gauges) {
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
