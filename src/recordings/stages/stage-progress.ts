import type { Stage } from '../../../events/facts/recording.ts';
import type { Sentence } from '../../words/params.ts';
import { openListeners } from '../../shared/listeners.ts';

/**
 * What a stage waits for: a slot at an engine, a server that is away (`cause` says why), … `ahead`: how many come first;
 * `since`: RFC 3339.
 */
export type Waiting = { for: Sentence; cause?: Sentence; ahead: number; since: string };

/** A stage that is going on. */
export type StageNow = {
  stage: Stage;
  attempt: number;
  /** 0 to 1; null while it is not known. */
  fraction: number | null;
  /** Seconds, by how fast it has been since it last waited; null before a tenth of it is done. */
  seconds_left: number | null;
  waiting: Waiting | null;
  /** Seconds of what was said that are not recognised yet, of a recording that is followed. */
  behind?: number;
};

/** What may have been said: a guess, until the fact of it is there. */
export type PartialUtterance = {
  index: number;
  start: number;
  end: number;
  text: string;
  /** A label such as `VOICE_1`. */
  speaker: string | null;
};

type StageChange = Partial<Omit<StageNow, 'seconds_left'>>;

/** What is going on right now, for those who watch. Lives and dies with the process. */
export interface StageProgress {
  add(recordingId: string, stage: Stage): void;
  set(recordingId: string, stage: Stage, change: StageChange): void;
  remove(recordingId: string, stage: Stage): void;
  of(recordingId: string): StageNow[];
  onChange(listener: (recordingId: string, activity: StageNow) => void): () => void;
  /** @param heard null: nothing is guessed any more */
  hear(recordingId: string, heard: PartialUtterance | null): void;
  onHeard(listener: HeardListener): () => void;
}

export type HeardListener = (recordingId: string, heard: PartialUtterance | null) => void;

/** Smaller steps of progress than this are not announced. */
const fractionStep = 0.01;
const behindStep = 1;

function isSmall(
  activity: Pick<StageNow, 'fraction' | 'behind'>,
  { fraction, behind, ...more }: StageChange,
): boolean {
  if (Object.keys(more).length > 0) return false;
  const isStep =
    typeof fraction === 'number' &&
    (fraction >= 1 || Math.abs(fraction - (activity.fraction ?? -1)) >= fractionStep);
  const before = activity.behind ?? -behindStep;
  const isLag = behind !== undefined && Math.abs(behind - before) >= behindStep;
  return !isStep && !isLag;
}

/** Before so much is done, half of it since the speed is measured, little can be said of how long the rest takes. */
const tellingPart = 0.1;

/** @param now a clock in milliseconds that is never set back; another one for tests. */
export function openStageProgress(now: () => number = () => performance.now()): StageProgress {
  const activities = new Map<string, Map<Stage, Followed>>();
  const asNow = ({ pace, ...activity }: Followed): StageNow => ({
    ...activity,
    seconds_left: secondsLeft(pace, activity, now()),
  });
  const changes = openListeners<[recordingId: string, activity: StageNow]>();
  const heard = openListeners<Parameters<HeardListener>>();

  return {
    add(recordingId, stage) {
      const stages = activities.get(recordingId) ?? new Map<Stage, Followed>();
      activities.set(recordingId, stages);
      stages.set(stage, { stage, attempt: 0, fraction: null, waiting: null, pace: null });
    },
    set(recordingId, stage, change) {
      const activity = activities.get(recordingId)?.get(stage);
      if (!activity) return;
      if (isSmall(activity, change)) return;
      Object.assign(activity, change);
      activity.pace = paceAfter(activity, now());
      changes.tell(recordingId, asNow(activity));
    },
    remove(recordingId, stage) {
      const stages = activities.get(recordingId);
      stages?.delete(stage);
      if (stages?.size === 0) activities.delete(recordingId);
    },
    of: (recordingId) => [...(activities.get(recordingId)?.values() ?? [])].map(asNow),
    onChange: changes.add,
    hear: heard.tell,
    onHeard: heard.add,
  };
}

/** A stage, and from where on its speed is measured. */
type Followed = Omit<StageNow, 'seconds_left'> & { pace: Pace | null };
type Pace = { fraction: number; at: number };

/** Measured from the first fraction on: what an earlier attempt did took none of this one's time. */
function paceAfter({ fraction, waiting, pace }: Followed, at: number): Pace | null {
  if (fraction === null || waiting) return null;
  return pace && pace.fraction <= fraction ? pace : { fraction, at };
}

function secondsLeft(
  pace: Pace | null,
  { fraction }: Pick<StageNow, 'fraction'>,
  now: number,
): number | null {
  if (!pace || fraction === null) return null;
  const done = fraction - pace.fraction;
  if (fraction < tellingPart || done < tellingPart / 2) return null;
  return Math.round(((now - pace.at) / 1000) * ((1 - fraction) / done));
}
