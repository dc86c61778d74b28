import type { Sources } from '../events/facts/sources.ts';
import { noSources } from '../events/facts/sources.ts';
import type { Stage } from '../events/facts/recording.ts';

/** What the machine remembers of a recording: identifiers, counters and versions of facts, never text. */
export type RecordingContext = {
  recordingId: string;
  /** User id. Null until the recording has begun. */
  owner: string | null;
  /** Which facts count: the rule is in `events/facts/sources.ts`. */
  sources: Sources;
  /** Starts of stages in this run; each start is known by the number it got. */
  attempt: number;
  /** The start that counts of each stage that has started and whose state has not been left since. */
  running: Partial<Record<Stage, number>>;
  /** Starts of each stage without any progress since. After a crash: how often the process died in it. */
  deaths: Partial<Record<Stage, number>>;
  failed: { stage: Stage; retriable: boolean } | null;
  /** Whether there is audio to work on. */
  audio: boolean;
  /** Version of the fact that handed it to its present owner; null: it has always been theirs. */
  handedOver: number | null;
};

/** The context of a recording before its first fact. */
export const initialContext = (recordingId: string): RecordingContext => ({
  recordingId,
  owner: null,
  sources: noSources,
  attempt: 0,
  running: {},
  deaths: {},
  failed: null,
  audio: false,
  handedOver: null,
});
