import type { Refusal } from '../../events/command-handler.ts';
import type { RecordingFact, RecordingFactType } from '../../events/facts/recording.ts';
import { EventStoreError } from '../../events/store.ts';
import type { RecordingRefusal } from '../../projections/recording/decide.ts';
import { possibleFacts, stateName } from '../../machines/states.ts';
import type { RecordingSnapshot } from '../../machines/recording.ts';

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
export type NotLegal = Refusal<'NOT_ACCEPTED'> & {
  type: RecordingFactType;
  state: string;
  possible: readonly string[];
};
export type Unknown = Refusal<'UNKNOWN_RECORDING'>;
export type Unreadable = Refusal<'UNREADABLE'>;

export const unreadable: Unreadable = {
  refused: 'UNREADABLE',
  message: 'The key of the recording is missing or damaged.',
};
export const unknown: Unknown = {
  refused: 'UNKNOWN_RECORDING',
  message: 'There is no such recording.',
};

/** What refuses to change documents while there are none: the state does. */
export const withoutDocuments = (
  snapshot: RecordingSnapshot,
  type: RecordingFactType,
): NotLegal => {
  const state = stateName(snapshot.value);
  const message = `${type} is not possible while the recording is ${state}`;
  return { refused: 'NOT_ACCEPTED', message, type, state, possible: [] };
};

/** The id of a command is one that another upload was given with. */
export class CommandUsedDifferently extends Error {
  override name = 'CommandUsedDifferently';
  readonly code = 'COMMAND_USED_DIFFERENTLY';
}

export function refusalError(
  recordingId: string,
  refusal: RecordingRefusal | Unknown | NotLegal | Unreadable,
): Error {
  if (refusal.refused === 'UNKNOWN_RECORDING') return new UnknownRecording(recordingId);
  if (refusal.refused === 'UNREADABLE') return new EventStoreError('UNREADABLE', refusal.message);
  if (refusal.refused !== 'NOT_ACCEPTED') return new CommandRefused(refusal);
  return new NotAccepted(refusal.type, refusal.state, refusal.possible, refusal.message);
}

export function notLegal(snapshot: RecordingSnapshot, { type, ...fact }: RecordingFact): NotLegal {
  const state = stateName(snapshot.value);
  const why = whyNot(snapshot, { type, ...fact } as RecordingFact);
  const message = why ?? `${type} is not possible while the recording is ${state}`;
  return { refused: 'NOT_ACCEPTED', message, type, state, possible: possibleFacts(snapshot) };
}

/** Why a fact is refused, in a sentence for a person, where the state alone does not say it. */
function whyNot(snapshot: RecordingSnapshot, fact: RecordingFact): string | undefined {
  const { files, sources } = snapshot.context;
  if (fact.type !== 'reprocessing.requested') return undefined;
  if (snapshot.matches('error')) return failedBefore;
  if (!snapshot.matches('idle')) return undefined;
  const needsAudio = fact.data.from === 'speech-to-text' || fact.data.from === 'diarize';
  // There is only what was recognised before.
  return needsAudio && files.audio === null && sources.draft.results.audio !== null
    ? audioRemoved
    : undefined;
}

const failedBefore =
  'The last try failed. Try that again (POST /recordings/{id}/retry), or clear its error first ' +
  '(POST /recordings/{id}/clear): then it can be processed from any stage on.';

const audioRemoved =
  'The audio of this recording was removed when its documents were written (audio.keep: none), so it ' +
  'cannot be listened to again. Its words are still there: process it again from language-model.';
