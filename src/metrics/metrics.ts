import { endedBy } from '../../projections/recording-fold.ts';
import { loadOnce } from '../load-once.ts';
import { counters } from './counted.ts';
import type { MetricsSources } from './metrics-sources.ts';
import { stageClock } from './stage-clock.ts';

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
