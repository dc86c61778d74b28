import { counting, leadsBy } from '../events/facts/counting.ts';
import { type Files, filesAfter, noFiles } from '../events/facts/files.ts';
import { type Sources, noSources, sourcesAfter } from '../events/facts/sources.ts';
import type { RecordingFact, Stage } from '../events/facts/recording.ts';
import type { NewFact } from '../events/facts/envelope.ts';

/** What the machine remembers of a recording: identifiers, counters and versions of facts, never text. */
export type RecordingContext = {
  recordingId: string;
  /** Whose it is, and which files it has: the rule is in `events/facts/files.ts`. */
  files: Files;
  /** Which facts count: the rule is in `events/facts/sources.ts`. */
  sources: Sources;
  /** Starts of stages in this run; each start is known by the number it got. */
  attempt: number;
  /** The start that counts of each stage that has started and whose state has not been left since. */
  running: Partial<Record<Stage, number>>;
  /** Starts of each stage without any progress since. After a crash: how often the process died in it. */
  deaths: Partial<Record<Stage, number>>;
  /** The stage that led to the state `error`. */
  failed: Stage | null;
};

/** The context of a recording before its first fact. */
export const initialContext = (recordingId: string): RecordingContext => ({
  recordingId,
  files: noFiles,
  sources: noSources,
  attempt: 0,
  running: {},
  deaths: {},
  failed: null,
});

/**
 * What the machine sees of a fact: everything but its content, so that no text of a person's can
 * reach the context. `version` is the fact's place in its stream; for one not yet stored, the place
 * it would get.
 */
export type RecordingMachineEvent = WithoutContent<RecordingFact>;

/** A stored fact, or one to be checked before it is, as an event of the machine. */
export function toMachineEvent(
  fact: NewFact<RecordingFact> & { version: number },
): RecordingMachineEvent {
  const { type, data, version, by, command, run, attempt } = fact;
  return {
    type,
    data,
    version,
    by,
    command,
    ...(run === undefined ? {} : { run }),
    ...(attempt === undefined ? {} : { attempt }),
  } as RecordingMachineEvent;
}

/** The context after an event that the machine has accepted. Pure. */
export function contextAfter(
  before: RecordingContext,
  event: RecordingMachineEvent,
): RecordingContext {
  const sources = sourcesAfter(before.sources, event);
  const context = { ...before, sources, files: filesAfter(before.files, event) };
  switch (event.type) {
    case 'audio.extended':
    case 'audio.assembled':
      return { ...context, attempt: 0, failed: null, deaths: {} };
    case 'stage.started':
    case 'stage.interrupted':
    case 'stage.failed':
      return afterStageFact(context, event);
    case 'reprocessing.requested':
      return { ...context, attempt: 0, deaths: {} };
    case 'retry.requested':
    case 'processing.cancelled':
    case 'error.cleared':
      return { ...context, failed: null, deaths: {} };
    case 'recording.discarded':
    case 'recording.erased':
      return skeletonOf(context);
    default:
      return isProgress(event) ? { ...context, deaths: {} } : context;
  }
}

/** A stage is done, or a person did something: no death before it counts against the recording. */
const isProgress = ({ type }: RecordingMachineEvent): boolean =>
  type === 'utterance.recognised' ||
  counting[type]?.ends !== undefined ||
  leadsBy(type) !== undefined;

/** What is left of a recording that was erased. */
const skeletonOf = ({ recordingId, files, sources, attempt }: RecordingContext) => ({
  ...initialContext(recordingId),
  files,
  sources,
  attempt,
});

type StageFact = Extract<
  RecordingMachineEvent,
  { type: 'stage.started' | 'stage.interrupted' | 'stage.failed' }
>;

function afterStageFact(context: RecordingContext, event: StageFact): RecordingContext {
  switch (event.type) {
    case 'stage.started': {
      const { stage } = event.data;
      const attempt = context.attempt + 1;
      return {
        ...context,
        attempt,
        running: { ...context.running, [stage]: attempt },
        deaths: { ...context.deaths, [stage]: (context.deaths[stage] ?? 0) + 1 },
      };
    }
    case 'stage.interrupted': {
      const { stage } = event.data;
      const deaths = Math.max(0, (context.deaths[stage] ?? 0) - 1);
      const isCurrent = event.attempt === context.running[stage];
      return {
        ...(isCurrent ? withoutAttempt(context, stage) : context),
        deaths: { ...context.deaths, [stage]: deaths },
      };
    }
    default:
      return { ...context, failed: event.data.stage };
  }
}

/** Forgets which start of a stage counts, so that no answer of it does any more. Pure. */
export function withoutAttempt(context: RecordingContext, stage: Stage): RecordingContext {
  const { [stage]: _left, ...running } = context.running;
  return { ...context, running };
}

type WithoutContent<F extends RecordingFact> = F extends RecordingFact
  ? Pick<F, 'type' | 'data'> & {
      version: number;
      by: string;
      command: string;
      run?: number;
      attempt?: number;
    }
  : never;
