import type { RecordingContext, RecordingMachineEvent } from './context.ts';
import type { Stage, ReprocessedFrom } from '../events/facts/recording.ts';
import { basisOf, isDoneFrom, isGone } from '../events/facts/sources.ts';

/** Where a further run may begin: at the audio or at the words; a meeting's words need their speakers first. */
const reprocessingConditions = {
  fromSpeech: from('speech-to-text', ({ files }) => files.audio !== null),
  fromSpeakers: from(
    'diarize',
    (context) => context.files.audio !== null && isMeetingWithWords(context),
  ),
  fromTurns: from(
    'join',
    (context) => isMeetingWithWords(context) && isDoneFrom('diarize', context.sources.draft),
  ),
  fromSummary: from(
    'summary',
    (context) => context.sources.published !== null && isFinished(context),
  ),
  fromTitle: from('entitle', isFinished),
  fromDocuments: from(
    'write',
    (context) => isFinished(context) && isDoneFrom('entitle', context.sources.draft),
  ),
  fromWords: from('language-model', (context) => hasWords(context) && hasSpeakers(context)),
  fromWordsWithoutNames: from(
    'language-model',
    (context) => lacksNames(context, 'turns'),
    ', speakers not named',
  ),
  fromWordsWithoutTurns: from(
    'language-model',
    (context) => lacksNames(context, 'words'),
    ', speakers not found',
  ),
};

/** The conditions of the machine's transitions. */
export const conditions = {
  /** A result counts only as the answer of the start that counts. */
  answersThisAttempt: condition<Of>({ answers: stageOf, words: 'answer of this attempt' }),
  startsThisStage: condition<Of>({
    says: (event, { sources }, { stage }) =>
      concerns(event, stage) && (event.run === undefined || event.run === sources.run),
    words: ({ stage }) => `stage is ${stage}`,
  }),
  /** Who lost the stage to another, and lives, may say so when that one has started it again. */
  interruptsThisStage: condition<Of>({
    when: ({ running }, { stage }) => running[stage] !== undefined,
    says: (event, { running, sources }, { stage }) =>
      concerns(event, stage) &&
      event.run === sources.run &&
      (event.attempt ?? Infinity) <= (running[stage] ?? 0),
    words: ({ stage }) => `${stage}, this attempt or one before`,
  }),
  /** A stage that never started can fail too: its job may be refused before it gets its turn. */
  failsThisStage: condition<Of>({
    says: (event, { running, sources }, { stage }) =>
      concerns(event, stage) &&
      event.attempt === running[stage] &&
      (event.run === undefined ? event.attempt === undefined : event.run === sources.run),
    words: ({ stage }) => `${stage}, this attempt`,
  }),

  /** While it is recorded, the plan grows. */
  growsPlan: condition({ answers: 'follow', words: 'answer of this attempt' }),
  /** The next stretch of what was followed so far, or an earlier one once more. */
  recognisesFollowed: condition({
    when: ({ sources: { draft } }) => (draft.stretches ?? 0) > 0,
    answers: 'follow',
    says: (event, { sources: { draft } }) =>
      event.type === 'utterance.recognised' &&
      event.data.index <= draft.utterances &&
      event.data.index < (draft.stretches ?? 0),
    words: 'a stretch that was followed',
  }),

  /** A recording has one plan in a run: what was recognised by it stays what it was. */
  plansThisAttempt: condition({
    when: ({ sources }) => sources.draft.results.plan === null,
    answers: 'transcribe',
    words: 'first plan of the run',
  }),
  /**
   * In order and without a gap, so that the next index says where to go on; when all are there one once more, in another
   * language. An utterance is one of the plan's stretches.
   */
  recognisesNextStretch: condition({
    when: ({ sources: { draft } }) => draft.results.plan !== null && (draft.stretches ?? 0) > 0,
    answers: 'transcribe',
    says: (event, { sources: { draft } }) => {
      if (event.type !== 'utterance.recognised') return false;
      const { utterances, stretches } = draft;
      const { index, heard } = event.data;
      if (stretches === null) return false;
      return utterances < stretches
        ? index === utterances
        : index < stretches && heard !== undefined;
    },
    words: 'the next stretch, or one once more',
  }),
  completesSolo: condition({
    when: ({ sources: { draft } }) => draft.kind !== 'meeting' && isRecognised(draft),
    answers: 'transcribe',
    words: 'solo',
  }),
  completesMeeting: condition({
    when: ({ sources: { draft } }) => draft.kind === 'meeting' && isRecognised(draft),
    answers: 'transcribe',
    words: 'meeting',
  }),
  fallsBackInThisStage: condition<Of>({
    answers: stageOf,
    says: (event, _context, { stage }) => concerns(event, stage),
    words: ({ stage }) => `${stage}, this attempt`,
  }),

  namesKnownLabels: condition({
    says: (event, { sources }) =>
      (event.type === 'speakers.named' || event.type === 'speakers.renamed') &&
      event.data.labels.every((label) => sources.draft.labels.includes(label)),
    words: 'all labels known',
  }),

  /** Decided once in a recording's life with one owner: its documents keep their place. Names in one space mean nothing in another. */
  namesDocumentsOnce: condition({
    when({ sources, files: { handedOver } }) {
      const { named } = sources.draft.results;
      return named === null || (handedOver !== null && named < handedOver);
    },
    answers: 'write',
    words: 'not named in this space before',
  }),
  savesNextVersion: condition({ answers: 'write', says: isNextVersion, words: 'the next version' }),
  /** … and names in what was written changed: that is made again, and the documents once more. */
  savesAndRetells: condition({
    when: ({ sources }) => sources.retelling,
    answers: 'write',
    says: isNextVersion,
    words: 'the next version, with names that changed',
  }),

  hasDocuments: condition({
    when: ({ sources }) => sources.published !== null,
    words: 'documents exist',
  }),
  /** A correction means a turn that people see: one of the present documents. */
  editsShownTurns: condition({
    when: (context) => shownBasis(context) !== null && isStaying(context),
    says: (event, context) => corrects(event, shownBasis(context)),
    words: 'a turn of the present documents',
  }),
  /** … or, where there are none yet, one of those that wait for names. */
  editsTurns: condition({
    when: (context) => seenBasis(context) !== null,
    says: (event, context) => corrects(event, seenBasis(context)),
    words: 'a turn that people see',
  }),
  deletesAll: condition({
    says: (event) => event.type === 'documents.deleted' && event.data.documents.length === 3,
    words: 'all three',
  }),
  restoresVersion: condition({
    when: ({ sources }) => sources.versions.some((one) => !isGone(one)),
    says: (event, { sources }) =>
      event.type === 'version.restored' &&
      event.data.version > 0 &&
      event.data.version <= sources.versions.length &&
      !isGone(sources.versions[event.data.version - 1]!),
    words: 'there was this version',
  }),
  /** What is said of it now would neither be in it nor in what another is made of. */
  staysItself: condition({
    when: ({ sources }) => sources.assembly !== 'leaving',
    words: 'no other is being made of it',
  }),
  /** People edit what they are shown. */
  editsShownSummary: condition({
    when: ({ sources }) => sources.published !== null && sources.assembly !== 'leaving',
    words: 'documents exist, and no other is being made of it',
  }),
  /** What was made of a part of another has the summary that people edited there from its first documents on. */
  rewordsSummary: condition({
    when: ({ sources: { published, draft } }) =>
      published !== null || draft.results.summary !== null,
    words: 'documents exist, or a summary for the first ones',
  }),
  /** What was put together has the side notes of all of it. */
  wasMade: condition({
    when: ({ sources }) => sources.assembly === 'made',
    words: 'it was made of parts of others',
  }),
  hasAudio: condition({ when: ({ files }) => files.audio !== null, words: 'audio exists' }),
  /** What was made of parts of others stays: documents that say something else are no place to go back to. */
  mayBeGivenUp: condition({
    when: ({ sources }) => sources.assembly === null,
    words: 'its documents say what it was made of',
  }),
  goesBackToDocuments: condition({
    when: ({ sources }) => sources.published !== null && sources.assembly === null,
    words: 'documents exist, and say what it was made of',
  }),
  /** Until it is made of parts of others nothing may change that is carried over. */
  takesMoreAudio: condition({
    when: (context) => context.files.audio !== null && isStaying(context),
    words: 'audio exists, and is not being assembled',
  }),
  isBySystem: condition({ says: ({ by }) => by === 'system', words: 'by the service itself' }),
  /** Also when its audio was removed since: its words are worth keeping. */
  wasCaptured: condition({
    when: ({ sources }) => sources.assembly === null && sources.draft.results.audio !== null,
    words: 'there was audio',
  }),
  /** What was captured lies where it was written: the capture goes on with it, or takes it. */
  failedInCapture: condition({
    when: ({ failed }) => failed === 'capture',
    words: 'the capture failed',
  }),
  /** What was not captured cannot be captured again. */
  failedAfterCapture: condition({
    when: ({ failed }) => failed !== null && failed !== 'capture',
    words: 'not the capture failed',
  }),

  ...reprocessingConditions,
};

export type ConditionName = keyof typeof conditions;

/** The condition that a transition of the machine asks, with its parameters; the machine's type lets no other by. */
export const conditionOf = (guard: unknown): Asked | undefined =>
  (typeof guard === 'string' ? { type: guard } : guard) as Asked | undefined;
type Asked = { type: ConditionName; params: never };

/** The conditions as XState wants them. */
export const guards = Object.fromEntries(
  Object.entries(conditions).map(([name, condition]) => [
    name,
    ({ context, event }: Given, params: never) => condition.meets(context, event, params),
  ]),
) as { [N in ConditionName]: (given: Given, params: ParamsOf<N>) => boolean };

type Of = { stage: Stage };

function stageOf({ stage }: Of): Stage {
  return stage;
}

const concerns = (event: RecordingMachineEvent, stage: Stage): boolean =>
  'stage' in event.data && event.data.stage === stage;

/** What was planned has to be recognised; an engine that hears all at once plans nothing. */
const isRecognised = ({ stretches, results, utterances }: RecordingContext['sources']['draft']) =>
  stretches === null || (results.plan !== null && utterances === stretches);

const corrects = (event: RecordingMachineEvent, basis: number | null): boolean =>
  (event.type === 'turn.edited' || event.type === 'turns.recut') && event.data.basis === basis;

const isStaying = ({ sources: { assembly } }: RecordingContext): boolean =>
  assembly !== 'asked' && assembly !== 'leaving';

const shownBasis = ({ sources: { published } }: RecordingContext): number | null =>
  published && basisOf(published);

const seenBasis = (context: RecordingContext): number | null =>
  shownBasis(context) ?? basisOf(context.sources.draft);

function isNextVersion(event: RecordingMachineEvent, { sources }: RecordingContext): boolean {
  return (
    (event.type === 'documents.saved' || event.type === 'documents.rendered') &&
    event.data.version === sources.versions.length + 1
  );
}

type Given = { context: RecordingContext; event: RecordingMachineEvent };
type ParamsOf<N extends ConditionName> =
  (typeof conditions)[N] extends Condition<infer P> ? P : never;

/** What a condition asks for. What it leaves out holds always. */
type Clauses<P> = {
  /** In which contexts an event can meet it. */
  when?(context: RecordingContext, params: P): boolean;
  /** The stage whose present attempt the event has to be an answer of. */
  answers?: Stage | ((params: P) => Stage);
  /** What the event says, in such a context. */
  says?(event: RecordingMachineEvent, context: RecordingContext, params: P): boolean;
  /** The words for it in pictures. */
  words: string | ((params: P) => string);
};

/** A condition of a transition: whether an event meets it, and whether any event could in this context (what is shown as possible). */
type Condition<P> = Pick<Clauses<P>, 'words'> & {
  meets(context: RecordingContext, event: RecordingMachineEvent, params: P): boolean;
  couldMeet(context: RecordingContext, params: P): boolean;
};

/** A condition as it is asked for; its parameters' type is read from its parts. */
function condition<P = undefined>(asked: Clauses<P>): Condition<P> {
  const { when, answers, says, words } = asked;
  const stageOf = (params: P) => (typeof answers === 'function' ? answers(params) : answers);
  const couldMeet = (context: RecordingContext, params: P): boolean => {
    const stage = stageOf(params);
    return (
      (stage === undefined || context.running[stage] !== undefined) &&
      (when?.(context, params) ?? true)
    );
  };
  return {
    words,
    couldMeet,
    meets(context, event, params) {
      const stage = stageOf(params);
      const isAnswer =
        stage === undefined ||
        (event.run === context.sources.run && event.attempt === context.running[stage]);
      return couldMeet(context, params) && isAnswer && (says?.(event, context, params) ?? true);
    },
  };
}

/** @param more words for what is not said by where it begins */
function from(
  stage: ReprocessedFrom,
  when: (context: RecordingContext) => boolean,
  more = '',
): Condition<undefined> {
  return condition({
    when,
    says: (event) => event.type === 'reprocessing.requested' && event.data.from === stage,
    words: `from ${stage}${more}`,
  });
}

const hasWords = ({ sources }: RecordingContext): boolean =>
  isDoneFrom('speech-to-text', sources.draft);

const hasSpeakers = ({ sources: { draft } }: RecordingContext): boolean =>
  draft.kind !== 'meeting' || draft.results.names !== null;

/** Words whose speakers have no names yet; whether they are turns of speakers already. */
const lacksNames = (context: RecordingContext, are: 'turns' | 'words'): boolean =>
  hasWords(context) &&
  !hasSpeakers(context) &&
  (context.sources.draft.results.turns !== null) === (are === 'turns');

function isMeetingWithWords(context: RecordingContext): boolean {
  return context.sources.draft.kind === 'meeting' && hasWords(context);
}

function isFinished({ sources }: RecordingContext): boolean {
  return isDoneFrom('language-model', sources.draft);
}
