import { createActor, fromCallback, type EventObject } from 'xstate';
import type { CommandMetadata } from '../../events/command-handler.ts';
import { stages, type RecordingFact, type Stage } from '../../events/facts/recording.ts';
import type { Held, Ownership } from '../../events/ownership.ts';
import { recordingMachine, type RecordingSnapshot } from '../../machines/recording.ts';
import { toMachineEvent } from '../../machines/context.ts';
import type { ActivityInput } from '../../machines/transitions.ts';
import type { DecideRecording } from '../../projections/recording/decide.ts';
import type { Recording } from '../../projections/recording/recording.ts';
import type { Log } from '../shared/log.ts';
import type { LoggedRecordingFact } from '../../events/facts/catalogue.ts';
import type { RecordingHandler } from './handle.ts';

/** Runs a stage's activity until it is done or `signal` aborts. Never throws: it appends facts. */
export type RunStage = (
  stage: Stage,
  recording: RecordingAggregate,
  signal: AbortSignal,
) => Promise<void>;

/**
 * One recording in memory. Facts are durable before the state changes or an activity starts; its actor
 * moves by what the log says, and activities run only while the recording is owned.
 */
export interface RecordingAggregate {
  readonly recordingId: string;
  snapshot(): RecordingSnapshot;
  /** Version of the stream the snapshot stands for. */
  version(): number;
  /** Its key is lost: its work waits, and only what ends it is accepted. */
  isUnreadable(): boolean;
  /**
   * Appends facts, all or none, and returns the last one. A command that was stored before returns what
   * it led to then. At most 1000. @throws as `RecordingHandler.handle`
   */
  append(facts: readonly RecordingFact[], metadata: CommandMetadata): Promise<LoggedRecordingFact>;
  /** As `append`, with what is decided on the newest state; returns all facts, none without a change. */
  decide(
    metadata: CommandMetadata,
    decide: DecideRecording,
  ): Promise<readonly LoggedRecordingFact[]>;
  /** What the log says of it, after every command that was given before. */
  read(): Promise<Recording>;
  /** Resolves when no activity runs any more that was started before. */
  quiet(): Promise<void>;
  /** Claims the recording; starts the activities of its state when the claim is granted. */
  start(): Promise<void>;
  /** Stops the activities and waits for commands that were given before. */
  stop(): Promise<void>;
}

export type AggregateDeps = {
  handler: RecordingHandler;
  ownership: Ownership;
  /** Whether other processes append too: then the log is read on before acting. */
  isShared: boolean;
  runStage: RunStage;
  log: Log;
  /** Called after each fact of an open recording. */
  moved(recording: RecordingAggregate): void;
};

/** Opens a recording. Null when it does not exist and `create` is not set. */
export async function openAggregate(
  recordingId: string,
  deps: AggregateDeps,
  options: { create?: boolean } = {},
): Promise<RecordingAggregate | null> {
  const { handler, log } = deps;
  const activities = stageActivities(
    (stage, signal) => deps.runStage(stage, aggregate, signal),
    (error, stage) =>
      log.error({ err: error, recordingId, stage }, 'an activity failed unexpectedly'),
  );
  let snapshot: RecordingSnapshot;
  let isUnreadable = false;
  let version: number;
  let acting: Acting | null = null;
  const stopping = new AbortController();

  const aggregate: RecordingAggregate = {
    recordingId,
    snapshot: () => snapshot,
    version: () => version,
    isUnreadable: () => isUnreadable,
    async append(facts, metadata) {
      const stored = await handler.handle(recordingId, metadata, () => facts, options);
      return stored.at(-1)!;
    },
    decide: (metadata, decide) => handler.handle(recordingId, metadata, decide, options),
    read: async () => (await handler.read(recordingId)).recording,
    quiet: () => activities.quiet(),
    async start() {
      const held = await deps.ownership.claim(`recording:${recordingId}`, stopping.signal);
      if (!held) return;
      if (deps.isShared) await handler.readOn(recordingId);
      if (stopping.signal.aborted) {
        await held.release();
        return;
      }
      const actor = startActor(activities.actors, snapshot, (error) =>
        // A defect in the machine: it must be seen, and not end the process.
        log.error({ err: error, recordingId }, 'machine failed'),
      );
      acting = { actor, held };
      held.lost.addEventListener('abort', () => actor.stop(), { once: true });
    },
    async stop() {
      stopping.abort();
      acting?.actor.stop();
      await handler.settled(recordingId);
      followed?.unfollow();
      await activities.quiet();
      await acting?.held.release();
      acting = null;
    },
  };
  const followed = await handler.follow(recordingId, options, (state, present) => {
    ({ snapshot, isUnreadable } = state);
    version = present;
    return (fact, next) => {
      // Facts are handed over again when the stream is read again.
      if (fact.version <= version) return;
      version = fact.version;
      ({ snapshot, isUnreadable } = next);
      acting?.actor.send(toMachineEvent(fact));
      deps.moved(aggregate);
    };
  });
  return followed && aggregate;
}

type Acting = { actor: ReturnType<typeof startActor>; held: Held };

function startActor(
  actors: ReturnType<typeof stageActivities>['actors'],
  snapshot: RecordingSnapshot,
  onError: (error: unknown) => void,
) {
  const actor = createActor(recordingMachine.provide({ actors }), {
    snapshot: recordingMachine.getPersistedSnapshot(snapshot),
  });
  actor.subscribe({ error: onError });
  return actor.start();
}

/** What the machine starts in its states: an activity a stage, until it leaves the state or is stopped. */
function stageActivities(
  run: (stage: Stage, signal: AbortSignal) => Promise<void>,
  onDefect: (error: unknown, stage: Stage) => void,
) {
  const running = new Set<Promise<void>>();
  const start = (stage: Stage, signal: AbortSignal): void => {
    // After the actor has settled in its new state, so that the activity sees it.
    const work = Promise.resolve()
      .then(() => (signal.aborted ? undefined : run(stage, signal)))
      .catch((error: unknown) => onDefect(error, stage))
      .finally(() => running.delete(work));
    running.add(work);
  };
  const activity = (stage: Stage) =>
    fromCallback<EventObject, ActivityInput>(() => {
      const left = new AbortController();
      start(stage, left.signal);
      return () => left.abort();
    });
  return {
    actors: Object.fromEntries(stages.map((stage) => [stage, activity(stage)])) as Record<
      Stage,
      ReturnType<typeof activity>
    >,
    async quiet() {
      await Promise.all(running);
    },
  };
}
