import { detail } from '../words/details.ts';
import type { Sentence } from '../words/params.ts';
import { problemOf } from '../words/problems.ts';
import { inEnglish } from '../words/say.ts';
import { type Refusal, refuse } from '../../events/command-handler.ts';
import type { RecordingFact, RecordingFactType } from '../../events/facts/recording.ts';
import { assemblyFacts } from '../../events/facts/assembly.ts';
import { keysOf } from '../shared/keys-of.ts';
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
  /** Where the state alone does not say it. */
  readonly why: Sentence | undefined;
  constructor(type: string, state: string, possible: readonly string[], why?: Sentence) {
    super(why ? inEnglish(why) : `${type} is not possible while the recording is ${state}`);
    this.state = state;
    this.possible = possible;
    this.why = why;
  }
}

/** Its audio is put together anew only once all of it is there. */
export const audioStillComes = (state: string): NotAccepted =>
  new NotAccepted('audio.assembled', state, [], detail('audio-still-comes'));

/** An error is not cleared that keeps audio from its recording: without the error nothing would lead to it. */
export const audioNotTaken = (): NotAccepted =>
  new NotAccepted('error.cleared', 'error', ['retry.requested'], detail('audio-not-taken'));

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
    super(inEnglish(refusal.said));
    this.code = refusal.refused;
    this.refusal = refusal;
  }
}

/** The machine does not accept a fact. */
export type NotLegal = Refusal<'NOT_ACCEPTED'> & {
  type: RecordingFactType;
  state: string;
  possible: readonly string[];
  why?: Sentence | undefined;
};
export type Unknown = Refusal<'UNKNOWN_RECORDING'>;
export type Unreadable = Refusal<'UNREADABLE'>;

export const unreadable = refuse('UNREADABLE', problemOf('unreadable'));
export const unknown = refuse('UNKNOWN_RECORDING', detail('recording-not-found'));

/** What refuses to change documents while there are none: the state does. */
export const withoutDocuments = (
  snapshot: RecordingSnapshot,
  type: RecordingFactType,
): NotLegal => {
  const state = stateName(snapshot.value);
  return { refused: 'NOT_ACCEPTED', said: problemOf('not-accepted'), type, state, possible: [] };
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
  if (refusal.refused === 'UNREADABLE')
    return new EventStoreError('UNREADABLE', 'The key of the recording is missing or damaged.');
  if (refusal.refused !== 'NOT_ACCEPTED') return new CommandRefused(refusal);
  return new NotAccepted(refusal.type, refusal.state, refusal.possible, refusal.why);
}

export function notLegal(snapshot: RecordingSnapshot, { type, ...fact }: RecordingFact): NotLegal {
  const state = stateName(snapshot.value);
  const why = whyNot(snapshot, { type, ...fact } as RecordingFact);
  const said = why ?? problemOf('not-accepted');
  return { refused: 'NOT_ACCEPTED', said, type, state, possible: possibleFacts(snapshot), why };
}

const assemblyTypes: ReadonlySet<string> = new Set(keysOf(assemblyFacts));

/** Why a fact is refused, where the state alone does not say it. */
function whyNot(snapshot: RecordingSnapshot, fact: RecordingFact): Sentence | undefined {
  const { files, sources } = snapshot.context;
  if (snapshot.matches({ transcribing: 'assembling' })) return detail('being-assembled');
  if (assemblyTypes.has(fact.type))
    return snapshot.matches('idle') && files.audio === null && sources.published !== null
      ? detail('no-audio-to-assemble')
      : undefined;
  if (fact.type !== 'reprocessing.requested') return undefined;
  if (snapshot.matches('error')) return detail('processing-failed-before');
  if (!snapshot.matches('idle')) return undefined;
  const needsAudio = fact.data.from === 'speech-to-text' || fact.data.from === 'diarize';
  // There is only what was recognised before.
  return needsAudio && files.audio === null && sources.draft.results.audio !== null
    ? detail('audio-removed')
    : undefined;
}
