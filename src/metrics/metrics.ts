import { endedBy } from '../../projections/recording-fold.ts';
import type { ProjectionStorage } from '../../projections/projection.ts';
import type { ProjectionRunner } from '../../projections/runner.ts';
import { loadOnce } from '../load-once.ts';
import type { RecordingsDesk } from '../recordings/desk.ts';
import { stageClock } from './stage-clock.ts';
import { durations, tally } from './tally.ts';

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

/** What is counted while the service runs; the rest is looked up when somebody asks. */
export type Counted = ReturnType<typeof counters>;

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

/** Of a recording that goes through: seconds from 0.1 to four hours. */
const stageBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400];
const requestBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];

const counters = () => ({
  facts: tally(['type']),
  stages: durations(['stage'], stageBuckets),
  failures: tally(['stage']),
  requests: durations(['method', 'route', 'status'], requestBuckets),
  /** WebSockets that are open. */
  sockets: 0,
});
