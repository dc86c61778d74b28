import type { Stage } from '../../../events/facts/recording.ts';

/** A stage that is going on. */
export type StageNow = {
  stage: Stage;
  attempt: number;
  /** 0 to 1; null while it is not known. */
  fraction: number | null;
  /** What it waits for: a slot at an engine, a server that is away, … */
  waiting: { for: string; ahead: number; since: string } | null;
};

/** What is going on right now, for those who watch. Lives and dies with the process. */
export interface StageProgress {
  add(recordingId: string, stage: Stage): void;
  set(recordingId: string, stage: Stage, change: Partial<StageNow>): void;
  remove(recordingId: string, stage: Stage): void;
  of(recordingId: string): StageNow[];
  onChange(listener: (recordingId: string, activity: StageNow) => void): () => void;
}

/** Smaller steps of progress than this are not announced. */
const fractionStep = 0.01;

export function openStageProgress(): StageProgress {
  const activities = new Map<string, Map<Stage, StageNow>>();
  const listeners = new Set<(recordingId: string, activity: StageNow) => void>();

  return {
    add(recordingId, stage) {
      const stages = activities.get(recordingId) ?? new Map<Stage, StageNow>();
      activities.set(recordingId, stages);
      stages.set(stage, { stage, attempt: 0, fraction: null, waiting: null });
    },
    set(recordingId, stage, change) {
      const activity = activities.get(recordingId)?.get(stage);
      if (!activity) return;
      const small =
        Object.keys(change).length === 1 &&
        typeof change.fraction === 'number' &&
        change.fraction < 1 &&
        Math.abs(change.fraction - (activity.fraction ?? -1)) < fractionStep;
      if (small) return;
      Object.assign(activity, change);
      for (const listener of listeners) listener(recordingId, { ...activity });
    },
    remove(recordingId, stage) {
      const stages = activities.get(recordingId);
      stages?.delete(stage);
      if (stages?.size === 0) activities.delete(recordingId);
    },
    of: (recordingId) => [...(activities.get(recordingId)?.values() ?? [])].map((a) => ({ ...a })),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
