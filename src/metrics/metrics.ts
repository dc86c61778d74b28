import { LRUCache } from 'lru-cache';
import { endedBy } from '../../projections/recording-fold.ts';
import { loadOnce } from '../shared/package.ts';
import { durations, tally } from './tally.ts';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { Stage } from '../../events/facts/recording.ts';
import type { ProjectionStorage } from '../../projections/projection.ts';
import type { ProjectionRunner } from '../../projections/runner.ts';
import type { RecordingsDesk } from '../recordings/desk.ts';

/** Figures for those who watch the service. Labels are names of ours only: never content, ids or users. */
export interface Metrics {
  /** All of them, in Prometheus' text format, and its media type. */
  told(): Promise<{ contentType: string; text: string }>;
  /** An HTTP request was answered. `route` is the pattern that answered it. */
  answered(request: { method: string; route: string; status: number; seconds: number }): void;
  /** A WebSocket was accepted; call what is returned when it has closed. */
  socketOpened(): () => void;
  stop(): void;
}

/** Counts from now on. What writes it down for Prometheus is loaded when it is first asked for. */
export function openMetrics(sources: MetricsSources): Metrics {
  const counted = counters();
  const clock = stageClock(endedBy);
  const stopListening = sources.projections.onApplied((applied) => {
    for (const fact of applied) {
      counted.facts.add({ type: fact.type });
      if (fact.type === 'stage.failed') counted.failures.add({ stage: fact.data.stage });
      const finished = clock.note(fact);
      if (finished) counted.stages.add({ stage: finished.stage }, finished.seconds);
    }
  });
  const figures = loadOnce(async () =>
    (await import('./figures.ts')).openFigures(sources, counted),
  );

  return {
    told: async () => (await figures()).told(),
    answered({ method, route, status, seconds }) {
      counted.requests.add({ method, route, status: String(status) }, seconds);
    },
    socketOpened() {
      counted.sockets += 1;
      let open = true;
      return () => {
        if (open) counted.sockets -= 1;
        open = false;
      };
    },
    stop: stopListening,
  };
}

/** What is counted while the service runs; the rest is looked up when somebody asks. */
export type Counted = ReturnType<typeof counters>;

/** Counters at zero. */
const counters = () => ({
  facts: tally(['type']),
  stages: durations(['stage'], stageBuckets),
  failures: tally(['stage']),
  requests: durations(['method', 'route', 'status'], requestBuckets),
  /** WebSockets that are open. */
  sockets: 0,
});

/** Of a recording that goes through: seconds from 0.1 to four hours. */
const stageBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400];
const requestBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];

/** Beginnings remembered; of more the oldest are forgotten, and their stages not timed. */
const beginningsMax = 10_000;

/** What the figures are taken from. */
export type MetricsSources = {
  store: { head(): number };
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'states' | 'onApplied'>;
  desk: Pick<RecordingsDesk, 'activity'>;
  /** How far the integrity scrub is: everything up to `verified` was found sound; when a pass was completed. */
  scrub?: () => { verified: number; completedAt: string | null };
  /** Bytes that documents, recordings and uploads take, and may take; null: not counted yet, any number. */
  space?: { taken(): number | null; limit(): number | null };
  /** Whether to tell of the process too (memory, processor, event loop). */
  process?: boolean;
};

/** Times stages by their own facts: from `stage.started` to the result. Stages of before are not known. */
function stageClock(endedBy: Readonly<Partial<Record<string, Stage>>>) {
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
      const stage = endedBy[type];
      const since = stage === undefined ? undefined : began.get(`${stream}/${stage}`);
      if (stage === undefined || since === undefined) return undefined;
      began.delete(`${stream}/${stage}`);
      return { stage, seconds: Math.max(0, time - since) / 1000 };
    },
  };
}
