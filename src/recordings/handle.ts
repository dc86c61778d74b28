import type { LoggedFact, LoggedRecordingFact, OfferedFact } from '../../events/facts/catalogue.ts';
import {
  type Aggregate,
  type CommandMetadata,
  type Decision,
  commandHandler,
  isRefusal,
} from '../../events/command-handler.ts';
import {
  type RecordingFact,
  type RecordingFactType,
  recordingOf,
  recordingStream,
} from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import type { DecideRecording, RecordingRefusal } from '../../projections/recording/decide.ts';
import {
  type ReadFact,
  type Recording,
  evolve as read,
  noRecording,
} from '../../projections/recording/recording.ts';
import { stateName } from '../../machines/states.ts';
import {
  type RecordingSnapshot,
  nextSnapshot,
  initialState,
  machineVersion,
} from '../../machines/recording.ts';
import { toMachineEvent } from '../../machines/context.ts';
import {
  UnknownRecording,
  audioNotTaken,
  type NotLegal,
  type Unknown,
  type Unreadable,
  unreadable,
  unknown,
  withoutDocuments,
  refusalError,
  notLegal,
} from './refusals.ts';

/** What is known of a recording when a command is decided: what it says, and what may happen. */
export type RecordingState = {
  recording: Recording;
  snapshot: RecordingSnapshot;
  /** Its key is lost: only what ends it is accepted. */
  isUnreadable: boolean;
};

/** The state of a recording of which nothing is left. */
export const erasedState = 'idle.erased';

/** The state its last fact led to; undefined without any. */
export async function lastState(
  store: Pick<EventStore, 'read' | 'version'>,
  recordingId: string,
): Promise<string | undefined> {
  return (await lastFact(store, recordingId))?.to;
}

/** Its last fact; undefined without any. Nothing before that fact is read. */
export async function lastFact(
  store: Pick<EventStore, 'read' | 'version'>,
  recordingId: string,
): Promise<LoggedFact | undefined> {
  const stream = recordingStream(recordingId);
  const last = await store.version(stream);
  if (last === 0) return undefined;
  for await (const fact of store.read(stream, { afterVersion: last - 1, limit: 1 })) return fact;
  return undefined;
}

/** Facts that a recording accepts whose key is lost. */
const ending: ReadonlySet<RecordingFactType> = new Set([
  'error.cleared',
  'processing.cancelled',
  'recording.discarded',
  'recording.erased',
  'recording.handed_over',
  'stage.interrupted',
] as const);

/** A recording: the fold says what there is, the machine says what may happen. */
export const recordingAggregate: Aggregate<RecordingState, RecordingFact, NotLegal | Unreadable> = {
  initial(stream) {
    const recordingId = recordingOf(stream) ?? '';
    const snapshot = initialState(recordingId);
    return { recording: noRecording(recordingId), snapshot, isUnreadable: false };
  },
  evolve({ recording, snapshot, isUnreadable }, fact) {
    const after = read(recording, fact);
    const next = nextSnapshot(snapshot, toMachineEvent(fact));
    const isErased = stateName(next.value) === erasedState;
    return {
      recording: isErased ? withoutContent(after) : after,
      snapshot: next,
      isUnreadable: isUnreadable || fact.unreadable === true,
    };
  },
  accept({ snapshot, isUnreadable }, version, facts, metadata) {
    if (isUnreadable && !facts.every(({ type }) => ending.has(type))) return unreadable;
    const accepted: OfferedFact[] = [];
    let present = snapshot;
    for (const fact of facts) {
      // The machine counts the starts of stages; the fact says what it counted to.
      const { attempt } = present.context;
      const start = fact.type === 'stage.started' ? { attempt: attempt + 1 } : {};
      // What is carried over from elsewhere says itself of which attempt it is.
      const wanted = { ...metadata, ...fact, ...start };
      const event = toMachineEvent({ ...wanted, version: version + accepted.length + 1 });
      if (!present.can(event)) return notLegal(present, fact);
      const next = nextSnapshot(present, event);
      accepted.push({
        ...wanted,
        from: stateName(present.value),
        to: stateName(next.value),
        machine: machineVersion,
        ...(fact.content === undefined ? {} : { subject: present.context.recordingId }),
      });
      present = next;
    }
    return accepted;
  },
};

export type RecordingHandlerDeps = {
  store: EventStore;
  /** Awaited before the fact is stored after which nothing of the recording may be left. */
  erasing(recordingId: string): Promise<void>;
  /** Awaited before the fact is stored that says there are documents. */
  saving(recordingId: string): Promise<void>;
  /** Whether audio of a recording lies where it was captured, which no fact names yet. */
  isCaptured(recordingId: string): Promise<boolean>;
};

/** Follows one recording: called with each fact in order, and the state after it. */
export type FactListener = (fact: LoggedRecordingFact, state: RecordingState) => void;

/** The only way into recordings' streams. */
export type RecordingHandler = {
  /**
   * Returns the facts that the command led to, now or when it was given before; none when it changes
   * nothing. Durable then.
   * @throws {NotAccepted}, {CommandRefused} nothing was stored; {UnknownRecording}; {EventStoreError}
   */
  handle(
    recordingId: string,
    metadata: CommandMetadata,
    decide: DecideRecording,
    options?: { create?: boolean },
  ): Promise<readonly LoggedRecordingFact[]>;
  /** The state after every command that was given before. @throws {UnknownRecording} */
  read(recordingId: string): Promise<RecordingState>;
  /**
   * Hands `begin` the present state, before anything else is appended, and the listener it returns all
   * facts from then on. Null when the recording does not exist and `create` is not set.
   */
  follow(
    recordingId: string,
    options: { create?: boolean },
    begin: (state: RecordingState, version: number) => FactListener,
  ): Promise<{ unfollow(): void } | null>;
  /** Takes in what other processes have appended, and hands it to the listener. */
  readOn(recordingId: string): Promise<void>;
  /** Resolves when every command that was given before has been decided and stored. */
  settled(recordingId: string): Promise<void>;
};

/** Commands that may wait for one recording; more is a defect of a caller. */
const waitingMax = 1000;
/** Recordings whose state is kept in memory, and characters of what is said in them, all together. */
const recordingsMax = 200;
const charactersMax = 24 * 1024 * 1024;

export function recordingHandler(deps: RecordingHandlerDeps): RecordingHandler {
  const listeners = new Map<string, FactListener>();
  const handler = commandHandler(deps.store, recordingAggregate, {
    waitingMax,
    streamsMax: recordingsMax,
    sizeOf: ({ content }) => (content === undefined ? 1 : JSON.stringify(content).length),
    sizeMax: charactersMax,
    beforeAppend: (stream, facts) => notePromises(deps, recordingOf(stream)!, facts),
    onFact: (fact, state) => listeners.get(fact.stream)?.(fact, state),
  });
  return {
    async handle(recordingId, metadata, decide, { create = false } = {}) {
      const decided = await handler.handle(
        recordingStream(recordingId),
        metadata,
        (
          state,
          version,
        ): Decision<RecordingFact, RecordingRefusal | Unknown | NotLegal | Unreadable> => {
          if (version === 0 && !create) return unknown;
          const decision = decide(state.recording, stateName(state.snapshot.value));
          // What is missing from it may only be what cannot be read.
          if (isRefusal(decision) && state.isUnreadable) return unreadable;
          const isUndocumented = isRefusal(decision) && decision.refused === 'NO_DOCUMENTS';
          return isUndocumented ? withoutDocuments(state.snapshot, decision.type) : decision;
        },
      );
      if (!isRefusal(decided)) return decided;
      throw refusalError(recordingId, decided);
    },
    read: (recordingId) =>
      handler.read(recordingStream(recordingId), (state, version) => {
        if (version === 0) throw new UnknownRecording(recordingId);
        return state;
      }),
    async follow(recordingId, { create = false }, begin) {
      const stream = recordingStream(recordingId);
      return await handler.read(stream, (state, version) => {
        if (version === 0 && !create) return null;
        const listener = begin(state, version);
        listeners.set(stream, listener);
        return {
          unfollow() {
            if (listeners.get(stream) === listener) listeners.delete(stream);
          },
        };
      });
    },
    readOn: (recordingId) => handler.readOn(recordingStream(recordingId)),
    settled: (recordingId) => handler.settled(recordingStream(recordingId)),
  };
}

/** What was said must not stay in memory when it is erased. */
const withoutContent = (recording: Recording): Recording => ({
  ...recording,
  facts: recording.facts.map(({ content: _content, ...fact }): ReadFact => fact),
});

async function notePromises(
  { erasing, saving, isCaptured }: RecordingHandlerDeps,
  recordingId: string,
  facts: readonly OfferedFact[],
): Promise<void> {
  const isErased = facts.some(({ to }) => to === erasedState);
  // Clearing an error keeps what there is.
  if (
    isErased &&
    facts.some(({ type }) => type === 'error.cleared') &&
    (await isCaptured(recordingId))
  )
    throw audioNotTaken();
  if (isErased) await erasing(recordingId);
  if (facts.some(({ type }) => type === 'documents.saved')) await saving(recordingId);
}
