import { recordOf } from '../../shared/keys-of.ts';
import { ulid } from 'ulid';
import { createActor, fromCallback, type EventObject } from 'xstate';
import type { CommandMetadata } from '../../../events/command-handler.ts';
import { stages, type RecordingFact, type Stage } from '../../../events/facts/recording.ts';
import type { Held } from '../../../events/ownership.ts';
import { EventStoreError } from '../../../events/store.ts';
import { recordingMachine, type RecordingSnapshot } from '../../../machines/recording.ts';
import { toMachineEvent } from '../../../machines/context.ts';
import { activeStages, isSettled } from '../../../machines/states.ts';
import type { ActivityInput } from '../../../machines/transitions.ts';
import type { DecideRecording } from '../../../projections/recording/decide.ts';
import type { Recording } from '../../../projections/recording/recording.ts';
import type { Log } from '../../shared/log.ts';
import type { LoggedRecordingFact } from '../../../events/facts/catalogue.ts';
import { retry } from '../../shared/retry.ts';
import type { RecordingHandler } from '../handle.ts';
import { NotAccepted } from '../refusals.ts';

/** Runs a stage's activity until it is done or `signal` aborts. Never throws: it appends facts. */
export type RunStage = (
  stage: Stage,
  recording: RecordingAggregate,
  signal: AbortSignal,
) => Promise<void>;

/**
 * One recording in memory, as the log says it is. Whoever has it open reads and decides; its actor moves and its
 * activities run only while this process holds the recording (`Ownership`). Facts are durable before either.
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
  /** Takes in what other processes have appended. */
  readOn(): Promise<void>;
  /**
   * Acts under what is held of it, which is given back when it has settled, or at once when there is nothing to do
   * and it is not new. For one that is not acted for. @throws what reading on throws; then nothing is held
   */
  act(held: Held, options?: { isNew?: boolean }): Promise<void>;
  /** Whether its actor moves in this process, or activities of it still end. */
  isActedFor(): boolean;
  /** Resolves when no activity runs any more that was started before. */
  quiet(): Promise<void>;
  /** Stops the activities and waits for commands that were given before. */
  stop(): Promise<void>;
}

export type AggregateDeps = {
  handler: RecordingHandler;
  runStage: RunStage;
  /** Whether this process goes on acting for a recording in this state; what it leaves is another's. */
  actsIn(snapshot: RecordingSnapshot): boolean;
  log: Log;
  /** Called after each fact that this process appended, or acts on. */
  moved(recording: RecordingAggregate): void;
  /** Called when it has something to do and is not acted for in this process. */
  waits(recording: RecordingAggregate): void;
  /** Called when this process has given it back, or lost it. */
  left(recording: RecordingAggregate): void;
};

/** Opens a recording. Null when it does not exist and `create` is not set. */
export async function openAggregate(
  recordingId: string,
  deps: AggregateDeps,
  options: { create?: boolean } = {},
): Promise<RecordingAggregate | null> {
  const { handler } = deps;
  let snapshot: RecordingSnapshot;
  let isUnreadable = false;
  let version: number;
  /** Commands of this process under way. */
  let commands = 0;
  const acting = actingFor(recordingId, deps, {
    snapshot: () => snapshot,
    recording: () => aggregate,
  });
  const handle = async (metadata: CommandMetadata, decide: DecideRecording) => {
    commands += 1;
    try {
      return await handler.handle(recordingId, metadata, decide, options);
    } finally {
      commands -= 1;
    }
  };

  const aggregate: RecordingAggregate = {
    recordingId,
    snapshot: () => snapshot,
    version: () => version,
    isUnreadable: () => isUnreadable,
    append: async (facts, metadata) => (await handle(metadata, () => facts)).at(-1)!,
    decide: handle,
    read: async () => (await handler.read(recordingId)).recording,
    readOn: () => handler.readOn(recordingId),
    act: acting.begin,
    isActedFor: acting.isBusy,
    quiet: acting.quiet,
    async stop() {
      acting.halt();
      await handler.settled(recordingId);
      followed?.unfollow();
      await acting.end();
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
      acting.take(fact);
      // What another process did with a recording that is only open here is its own to follow up.
      if (commands > 0 || acting.isGoing()) deps.moved(aggregate);
      if (!acting.isBusy() && !isUnreadable && !isSettled(snapshot)) deps.waits(aggregate);
    };
  });
  return followed && aggregate;
}

/** Acts for a recording while it is held: the actor, and the activities it starts. */
function actingFor(
  recordingId: string,
  { handler, runStage, actsIn, log, waits, left }: AggregateDeps,
  of: { snapshot(): RecordingSnapshot; recording(): RecordingAggregate },
) {
  const activities = stageActivities(
    (stage, signal) => runStage(stage, of.recording(), signal),
    (err, stage) => log.error({ err, recordingId, stage }, 'processing step failed unexpectedly'),
  );
  let going: Acting | null = null;
  /** Resolves when what was held has been given back; null when that has been done. */
  let leaving: Promise<void> | null = null;
  const stopping = new AbortController();

  /** The activities stop at once; what was held is given back when none runs any more. */
  const leave = (mine: Acting): void => {
    if (going !== mine) return;
    going = null;
    mine.actor.stop();
    const isLost = mine.held.lost.aborted; // it lives, so that is no death
    const said = isLost && sayInterrupted(of.recording(), log, stopping.signal);
    leaving = Promise.all([activities.quiet(), said])
      .then(() => mine.held.release())
      .catch((err: unknown) => log.warn({ err, recordingId }, 'recording could not be released'))
      .then(() => {
        leaving = null;
        left(of.recording());
        // A fact may have come since. What was lost is another's.
        if (!stopping.signal.aborted && !isLost && !isSettled(of.snapshot())) waits(of.recording());
      });
  };
  return {
    async begin(held: Held, { isNew = false } = {}): Promise<void> {
      try {
        await handler.readOn(recordingId);
      } catch (error) {
        await held.release();
        throw error;
      }
      const isWanted = isNew || (!isSettled(of.snapshot()) && actsIn(of.snapshot()));
      if (stopping.signal.aborted || held.lost.aborted || !isWanted) return await held.release();
      const actor = startActor(activities.actors, of.snapshot(), (error) =>
        // A defect in the machine: it must be seen, and not end the process.
        log.error({ err: error, recordingId }, 'statechart failed'),
      );
      const mine = (going = { actor, held });
      held.lost.addEventListener('abort', () => leave(mine), { once: true });
    },
    isGoing: () => going !== null,
    isBusy: () => going !== null || leaving !== null,
    take(fact: LoggedRecordingFact): void {
      const mine = going;
      if (mine && !actsIn(of.snapshot())) leave(mine); // before it begins what comes next
      if (!mine || going !== mine) return;
      mine.actor.send(toMachineEvent(fact));
      if (!isSettled(of.snapshot())) return;
      void activities.quiet().then(() => isSettled(of.snapshot()) && leave(mine));
    },
    quiet: activities.quiet,
    halt(): void {
      stopping.abort();
      going?.actor.stop();
    },
    async end(): Promise<void> {
      await activities.quiet();
      if (going) leave(going);
      await leaving;
    },
  };
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
    actors: recordOf(stages, activity),
    async quiet() {
      await Promise.all(running);
    },
  };
}

/** Pauses between tries while the log does not answer, in milliseconds. */
export const logPauses = { first: 50, max: 5000 };

/**
 * Says in the log that the stages which run here end, and that no death of the process ended them: without that three
 * restarts, of the service or of its database, would blame the recording. Never throws.
 * @param whileAway until it aborts, the log is asked again while it cannot be; without it once
 */
export async function sayInterrupted(
  recording: RecordingAggregate,
  log: Log,
  whileAway?: AbortSignal,
): Promise<void> {
  const { recordingId } = recording;
  const { running, sources } = recording.snapshot().context;
  const { run } = sources;
  const starts = activeStages(recording.snapshot()).flatMap((stage) => {
    const attempt = running[stage];
    return attempt === undefined ? [] : [{ stage, attempt, command: ulid() }];
  });
  for (const { stage, attempt, command } of starts) {
    const say = () =>
      recording.append([{ type: 'stage.interrupted', data: { stage } }], {
        by: 'system',
        command,
        run,
        attempt,
      });
    const said = whileAway
      ? retry(say, { pauses: logPauses, signal: whileAway, isTransient: isLogAway })
      : say();
    await said.catch((err: unknown) => {
      // It has moved on, and what counts has been counted.
      if (err instanceof NotAccepted || whileAway?.aborted) return;
      log.warn({ err, recordingId, stage }, 'interruption of a step could not be saved');
    });
  }
}

/** The log cannot be asked now. */
export const isLogAway = (error: unknown): error is EventStoreError =>
  error instanceof EventStoreError && error.retriable;
