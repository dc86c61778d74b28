import type { OfferedFact } from '../../events/facts/catalogue.ts';
import {
  type Aggregate,
  type CommandMetadata,
  type Decision,
  type Refusal,
  commandHandler,
  isRefusal,
} from '../../events/command-handler.ts';
import type { StoredFact } from '../../events/facts/envelope.ts';
import {
  type RecordingFact,
  type RecordingFactType,
  recordingOf,
  recordingStream,
} from '../../events/facts/recording.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import type { DecideRecording, RecordingRefusal } from '../../projections/recording/decide.ts';
import {
  type ReadFact,
  type Recording,
  evolve as read,
  noRecording,
} from '../../projections/recording/recording.ts';
import { possibleFacts, stateName } from '../../machines/states.ts';
import {
  type RecordingSnapshot,
  nextSnapshot,
  initialState,
  machineVersion,
} from '../../machines/recording.ts';
import { toMachineEvent } from '../../machines/context.ts';

/** A fact of a recording as the log has it. */
export type LoggedRecordingFact = StoredFact<RecordingFact>;

/** What is known of a recording when a command is decided: what it says, and what may happen. */
export type RecordingState = {
  recording: Recording;
  snapshot: RecordingSnapshot;
  /** Its key is lost: only what ends it is accepted. */
  isUnreadable: boolean;
};

/** The state of a recording of which nothing is left. */
export const erasedState = 'idle.erased';

/** The recording's state does not allow the fact. HTTP answers 409 with both fields. */
export class NotAccepted extends Error {
  override name = 'NotAccepted';
  readonly code = 'NOT_ACCEPTED';
  /** Canonical state name. */
  readonly state: string;
  /** Types of the facts that are possible now. */
  readonly possible: readonly string[];
  constructor(type: string, state: string, possible: readonly string[], why?: string) {
    super(why ?? `${type} is not possible while the recording is ${state}`);
    this.state = state;
    this.possible = possible;
  }
}

/** There is no recording of that id. HTTP answers 404. */
export class UnknownRecording extends Error {
  override name = 'UnknownRecording';
  readonly code = 'UNKNOWN_RECORDING';
  constructor(recordingId: string) {
    super(`There is no recording ${recordingId}`);
  }
}

/** What a recording says does not allow the command. */
export class CommandRefused extends Error {
  override name = 'CommandRefused';
  readonly code: RecordingRefusal['refused'];
  readonly refusal: RecordingRefusal;
  constructor(refusal: RecordingRefusal) {
    super(refusal.message);
    this.code = refusal.refused;
    this.refusal = refusal;
  }
}

/** The machine does not accept a fact. */
type NotLegal = Refusal<'NOT_ACCEPTED'> & {
  type: RecordingFactType;
  state: string;
  possible: readonly string[];
};
type Unknown = Refusal<'UNKNOWN_RECORDING'>;
type Unreadable = Refusal<'UNREADABLE'>;

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
    const after = read(recording, fact as LoggedRecordingFact);
    const next = nextSnapshot(snapshot, toMachineEvent(fact as LoggedRecordingFact));
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
      const offered = { ...fact, ...metadata, ...start };
      const event = toMachineEvent({ ...offered, version: version + accepted.length + 1 });
      if (!present.can(event)) return notLegal(present, fact);
      const next = nextSnapshot(present, event);
      accepted.push({
        ...offered,
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
  erasing?: ((recordingId: string) => Promise<void>) | undefined;
  /** Awaited before the fact is stored that says there are documents. */
  saving?: ((recordingId: string) => Promise<void>) | undefined;
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
    onFact: (fact, state) => listeners.get(fact.stream)?.(fact as LoggedRecordingFact, state),
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
  facts: recording.facts.map(({ content: _content, ...fact }) => fact as ReadFact),
});

const unreadable: Unreadable = {
  refused: 'UNREADABLE',
  message: 'The key of the recording is missing or damaged.',
};
const unknown: Unknown = { refused: 'UNKNOWN_RECORDING', message: 'There is no such recording.' };

/** What refuses to change documents while there are none: the state does. */
const withoutDocuments = (snapshot: RecordingSnapshot, type: RecordingFactType): NotLegal => {
  const state = stateName(snapshot.value);
  const message = `${type} is not possible while the recording is ${state}`;
  return { refused: 'NOT_ACCEPTED', message, type, state, possible: [] };
};

function refusalError(
  recordingId: string,
  refusal: RecordingRefusal | Unknown | NotLegal | Unreadable,
): Error {
  if (refusal.refused === 'UNKNOWN_RECORDING') return new UnknownRecording(recordingId);
  if (refusal.refused === 'UNREADABLE') return new EventStoreError('UNREADABLE', refusal.message);
  if (refusal.refused !== 'NOT_ACCEPTED') return new CommandRefused(refusal);
  return new NotAccepted(refusal.type, refusal.state, refusal.possible, refusal.message);
}

async function notePromises(
  { erasing, saving }: RecordingHandlerDeps,
  recordingId: string,
  facts: readonly OfferedFact[],
): Promise<void> {
  if (facts.some(({ to }) => to === erasedState)) await erasing?.(recordingId);
  if (facts.some(({ type }) => type === 'documents.saved')) await saving?.(recordingId);
}

function notLegal(snapshot: RecordingSnapshot, { type, ...fact }: RecordingFact): NotLegal {
  const state = stateName(snapshot.value);
  const why = whyNot(snapshot, { type, ...fact } as RecordingFact);
  const message = why ?? `${type} is not possible while the recording is ${state}`;
  return { refused: 'NOT_ACCEPTED', message, type, state, possible: possibleFacts(snapshot) };
}

/** Why a fact is refused, in a sentence for a person, where the state alone does not say it. */
function whyNot(snapshot: RecordingSnapshot, fact: RecordingFact): string | undefined {
  const { audio, sources } = snapshot.context;
  if (fact.type !== 'reprocessing.requested') return undefined;
  if (snapshot.matches('error')) return failedBefore;
  if (!snapshot.matches('idle')) return undefined;
  const needsAudio = fact.data.from === 'speech-to-text' || fact.data.from === 'diarize';
  // There is only what was recognised before.
  return needsAudio && !audio && sources.draft.results.audio !== null ? audioRemoved : undefined;
}

const failedBefore =
  'The last try failed. Try that again (POST /recordings/{id}/retry), or clear its error first (POST /toggle ' +
  'with the action reset): then it can be processed from any stage on.';

const audioRemoved =
  'The audio of this recording was removed when its documents were written (audio.keep: none), so it ' +
  'cannot be listened to again. Its words are still there: process it again from language-model.';
