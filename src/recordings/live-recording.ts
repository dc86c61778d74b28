import { createActor } from 'xstate';
import type { LoggedFact, OfferedFact } from '../../events/facts/catalogue.ts';
import { type RecordingFact, type Stage, recordingStream } from '../../events/facts/recording.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import {
  type RecordingSnapshot,
  evolve,
  initialState,
  machineVersion,
  recordingMachine,
  toMachineEvent,
} from '../../machines/recording.ts';
import { possibleFacts } from '../../machines/possible.ts';
import { stateName } from '../../machines/state-name.ts';
import type { Log } from '../shared/log.ts';
import type { LoggedRecordingFact } from './logged-recording-fact.ts';
import { NotAccepted } from './not-accepted.ts';
import { rememberedCommands } from './remembered-commands.ts';
import { stageLaunchers } from './stage-launchers.ts';
import { whyNot } from './why-not.ts';

/** What an offer to the door carries besides the fact. */
export type OfferCircumstances = { by: string; command: string; run?: number; attempt?: number };

/** Runs a stage's activity until it is done or `signal` aborts. Never throws: it offers facts. */
export type RunStage = (
  stage: Stage,
  recording: LiveRecording,
  signal: AbortSignal,
) => Promise<void>;

/** One recording's door. What passes it is on disk before anything moves. */
export interface LiveRecording {
  readonly recordingId: string;
  snapshot(): RecordingSnapshot;
  /** Version of the stream the snapshot stands for. */
  version(): number;
  /**
   * Check, append, act. A command that was stored before returns the fact it led to.
   * @throws {NotAccepted} nothing was written; {EventStoreError} what the log says.
   */
  record(fact: RecordingFact, circumstances: OfferCircumstances): Promise<LoggedRecordingFact>;
  /** As `record`, all or none; the last one is returned. At most 1000. */
  recordAll(
    facts: readonly RecordingFact[],
    circumstances: OfferCircumstances,
  ): Promise<LoggedRecordingFact>;
  /** Resolves when no activity runs any more that was started before. */
  quiet(): Promise<void>;
  /** Starts the activities of the present state. */
  start(): void;
  /** Stops the activities and waits for what is under way at the door. */
  stop(): Promise<void>;
}

/** At most this many offers wait at one recording's door; more is a caller gone wrong. */
const waitingMax = 1000;

/**
 * Opens a recording by folding its stream. `null` when the stream does not exist and `create` is not set.
 */
export async function openRecording(
  recordingId: string,
  deps: {
    store: EventStore;
    runStage: RunStage;
    log: Log;
    moved(recording: LiveRecording): void;
    /** Awaited before the fact is stored after which nothing of the recording may be left. */
    erasing?(recordingId: string): Promise<void>;
    /** Awaited before the fact is stored that says there are documents. */
    saving?(recordingId: string): Promise<void>;
  },
  options: { create?: boolean } = {},
): Promise<LiveRecording | null> {
  const { store, log } = deps;
  const stream = recordingStream(recordingId);
  let version = 0;
  let folded = initialState(recordingId);
  const commands = rememberedCommands();
  for await (const fact of store.read(stream)) {
    folded = evolve(folded, toMachineEvent(asRecordingFact(fact)));
    version = fact.version;
    commands.add(asRecordingFact(fact));
  }
  if (version === 0 && options.create !== true) return null;

  const activities = stageLaunchers(
    (stage, signal) => deps.runStage(stage, live, signal),
    (error, stage) => {
      log.error({ err: error, recordingId, stage }, 'an activity ended without an answer');
    },
  );
  const actor = createActor(recordingMachine.provide({ actors: activities.actors }), {
    snapshot: recordingMachine.getPersistedSnapshot(folded),
  });
  // An error here is a defect in the machine; it must be heard, not end the process.
  actor.subscribe({ error: (error) => log.error({ err: error, recordingId }, 'machine failed') });

  let started = false;
  let waiting = 0;
  let tail: Promise<unknown> = Promise.resolve();
  /** The last append may or may not have been stored: read before deciding anything. */
  let uncertain = false;

  const live: LiveRecording = {
    recordingId,
    snapshot: () => (started ? actor.getSnapshot() : folded),
    version: () => version,
    record: (fact, circumstances) => live.recordAll([fact], circumstances),
    recordAll(facts, circumstances) {
      if (waiting >= waitingMax) {
        return Promise.reject(
          new EventStoreError('BUSY', `More than ${waitingMax} commands wait for this recording`),
        );
      }
      waiting += 1;
      const turn = tail.then(() => decide(facts, circumstances)).finally(() => (waiting -= 1));
      tail = turn.catch(() => undefined);
      return turn;
    },
    start() {
      if (started) return;
      started = true;
      actor.start();
    },
    async stop() {
      actor.stop();
      await tail;
      await activities.quiet();
    },
    quiet: () => activities.quiet(),
  };
  return live;

  async function decide(
    facts: readonly RecordingFact[],
    offered: OfferCircumstances,
  ): Promise<LoggedRecordingFact> {
    if (uncertain) await catchUp();
    const last = facts.at(-1)!;
    const earlier = commands.get(last.type, offered.command);
    if (earlier) return earlier;
    let state = live.snapshot();
    const decided: OfferedFact[] = [];
    for (const fact of facts) {
      const before = state;
      // The machine counts the starts of stages; the fact says what it counted to.
      const circumstances =
        fact.type === 'stage.started'
          ? { ...offered, attempt: before.context.attempt + 1 }
          : offered;
      const next = version + decided.length + 1;
      const event = toMachineEvent({ ...fact, ...circumstances, version: next });
      if (!before.can(event)) {
        const why = whyNot(before, fact);
        throw new NotAccepted(fact.type, stateName(before.value), possibleFacts(before), why);
      }
      state = evolve(before, event);
      decided.push({
        ...fact,
        ...circumstances,
        from: stateName(before.value),
        to: stateName(state.value),
        machine: machineVersion,
        ...('content' in fact && fact.content !== undefined ? { subject: recordingId } : {}),
      });
    }
    if (stateName(state.value) === 'idle.erased') await deps.erasing?.(recordingId);
    if (last.type === 'documents.saved') await deps.saving?.(recordingId);
    try {
      const stored = await store.append(stream, decided, version);
      return stored.map((fact) => move(asRecordingFact(fact))).at(-1)!;
    } catch (error) {
      if (!(error instanceof EventStoreError)) throw error;
      if (error.code !== 'OUTCOME_UNKNOWN' && error.code !== 'VERSION_CONFLICT') throw error;
      uncertain = true;
      await catchUp();
      const stored = commands.get(last.type, offered.command);
      if (stored) return stored;
      // Not there after all: the same offer again may pass. A conflict with our own past is the same.
      throw new EventStoreError('OUTCOME_UNKNOWN', error.message, { cause: error });
    }
  }

  /** Takes in what the log has and we have not: an append whose outcome we never heard. */
  async function catchUp(): Promise<void> {
    for await (const fact of store.read(stream, { afterVersion: version })) {
      move(asRecordingFact(fact));
    }
    uncertain = false;
  }

  function move(fact: LoggedRecordingFact): LoggedRecordingFact {
    version = fact.version;
    commands.add(fact);
    const event = toMachineEvent(fact);
    if (started) actor.send(event);
    else folded = evolve(folded, event);
    deps.moved(live);
    return fact;
  }
}

const asRecordingFact = (fact: LoggedFact): LoggedRecordingFact => fact as LoggedRecordingFact;
