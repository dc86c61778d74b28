import { type EventObject, fromCallback } from 'xstate';
import { type Stage, stages } from '../../events/facts/recording.ts';
import type { ActivityInput } from '../../machines/recording.ts';

/** What the machine starts in its states: an actor a stage. */
export type StageLaunchers = {
  actors: Record<Stage, ReturnType<typeof launcher>>;
  /** Resolves when no activity runs any more that was started before. */
  quiet(): Promise<void>;
};

/**
 * @param run runs a stage's activity until it is done or the signal aborts; what it throws is a mistake
 * @param onMistake told of it, with the stage
 */
export function stageLaunchers(
  run: (stage: Stage, signal: AbortSignal) => Promise<void>,
  onMistake: (error: unknown, stage: Stage) => void,
): StageLaunchers {
  const running = new Set<Promise<void>>();
  const launch = (stage: Stage) =>
    launcher((signal) => {
      // Started after the actor has settled in its new state, so that the activity sees it.
      const work = Promise.resolve()
        .then(() => run(stage, signal))
        .catch((error: unknown) => onMistake(error, stage))
        .finally(() => running.delete(work));
      running.add(work);
    });
  return {
    actors: Object.fromEntries(
      stages.map((stage) => [stage, launch(stage)]),
    ) as StageLaunchers['actors'],
    async quiet() {
      await Promise.all(running);
    },
  };
}

const launcher = (start: (signal: AbortSignal) => void) =>
  fromCallback<EventObject, ActivityInput>(() => {
    const stop = new AbortController();
    start(stop.signal);
    return () => stop.abort();
  });
