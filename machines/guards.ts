import { type Condition, condition } from './condition.ts';
import type { RecordingContext, RecordingMachineEvent } from './context.ts';
import { reprocessingConditions } from './reprocessing-guards.ts';
import type { Stage } from '../events/facts/recording.ts';
import { basisOf } from '../events/facts/sources.ts';

/** The conditions of the machine's transitions. */
export const conditions = {
  /** A result counts only as the answer of the start that counts. */
  answersThisAttempt: condition<Of>({
    meets: isCurrent,
    couldMeet: ({ running }, { stage }) => running[stage] !== undefined,
    words: 'answer of this attempt',
  }),
  startsThisStage: condition<Of>({
    meets: (context, event, { stage }) =>
      concerns(event, stage) && (event.run === undefined || event.run === context.sources.run),
    couldMeet: () => true,
    words: ({ stage }) => `stage is ${stage}`,
  }),
  /** Who lost the stage to another, and lives, may say so when that one has started it again. */
  interruptsThisStage: condition<Of>({
    meets: ({ running, sources }, event, { stage }) =>
      concerns(event, stage) &&
      event.run === sources.run &&
      event.attempt !== undefined &&
      event.attempt <= (running[stage] ?? 0),
    couldMeet: ({ running }, { stage }) => running[stage] !== undefined,
    words: ({ stage }) => `${stage}, this attempt or one before`,
  }),
  /** A stage that never started can fail too: its job may be refused before it gets its turn. */
  failsThisStage: condition<Of>({
    meets: (context, event, { stage }) =>
      concerns(event, stage) &&
      event.attempt === context.running[stage] &&
      (event.run === undefined ? event.attempt === undefined : event.run === context.sources.run),
    couldMeet: () => true,
    words: ({ stage }) => `${stage}, this attempt`,
  }),

  /** While it is recorded, the plan grows. */
  growsPlan: condition({
    meets: (context, event) => isCurrent(context, event, { stage: 'follow' }),
    couldMeet: ({ running }) => running.follow !== undefined,
    words: 'answer of this attempt',
  }),
  /** The next stretch of what was followed so far, or an earlier one once more. */
  recognisesFollowed: condition({
    meets: (context, event) =>
      event.type === 'utterance.recognised' &&
      event.data.index <= context.sources.draft.utterances &&
      event.data.index < (context.sources.draft.stretches ?? 0) &&
      isCurrent(context, event, { stage: 'follow' }),
    couldMeet: ({ running, sources }) =>
      running.follow !== undefined && (sources.draft.stretches ?? 0) > 0,
    words: 'a stretch that was followed',
  }),

  /** A recording has one plan in a run: what was recognised by it stays what it was. */
  plansThisAttempt: condition({
    meets: (context, event) =>
      context.sources.draft.results.plan === null &&
      isCurrent(context, event, { stage: 'transcribe' }),
    couldMeet: ({ running, sources }) =>
      sources.draft.results.plan === null && running.transcribe !== undefined,
    words: 'first plan of the run',
  }),
  /** In order and without a gap, so that the next index says where to go on. */
  recognisesNextStretch: condition({
    meets: (context, event) =>
      event.type === 'utterance.recognised' &&
      event.data.index === context.sources.draft.utterances &&
      hasStretchLeft(context) &&
      isCurrent(context, event, { stage: 'transcribe' }),
    couldMeet: (context) => hasStretchLeft(context) && context.running.transcribe !== undefined,
    words: 'the next stretch',
  }),
  completesSolo: condition({
    meets: (context, event) =>
      context.sources.draft.kind !== 'meeting' && completesTranscription(context, event),
    couldMeet: (context) =>
      context.sources.draft.kind !== 'meeting' && couldCompleteTranscription(context),
    words: 'solo',
  }),
  completesMeeting: condition({
    meets: (context, event) =>
      context.sources.draft.kind === 'meeting' && completesTranscription(context, event),
    couldMeet: (context) =>
      context.sources.draft.kind === 'meeting' && couldCompleteTranscription(context),
    words: 'meeting',
  }),
  fallsBackInThisStage: condition<Of>({
    meets: (context, event, of) => concerns(event, of.stage) && isCurrent(context, event, of),
    couldMeet: ({ running }, { stage }) => running[stage] !== undefined,
    words: ({ stage }) => `${stage}, this attempt`,
  }),

  namesKnownLabels: condition({
    meets: (context, event) =>
      (event.type === 'speakers.named' || event.type === 'speakers.renamed') &&
      event.data.labels.every((label) => context.sources.draft.labels.includes(label)),
    couldMeet: () => true,
    words: 'all labels known',
  }),

  /** Decided once in a recording's life with one owner: its documents keep their place. */
  namesDocumentsOnce: condition({
    meets: (context, event) => needsName(context) && isCurrent(context, event, { stage: 'write' }),
    couldMeet: (context) => needsName(context) && context.running.write !== undefined,
    words: 'not named in this space before',
  }),
  savesNextVersion: condition({
    meets: savesNext,
    couldMeet: ({ running }) => running.write !== undefined,
    words: 'the next version',
  }),
  /** … and names in what was written changed: that is made again, and the documents once more. */
  savesAndRetells: condition({
    meets: (context, event) => context.sources.retelling && savesNext(context, event),
    couldMeet: ({ running, sources }) => sources.retelling && running.write !== undefined,
    words: 'the next version, with names that changed',
  }),

  hasDocuments: condition({
    meets: ({ sources }) => sources.published !== null,
    couldMeet: ({ sources }) => sources.published !== null,
    words: 'documents exist',
  }),
  /** A correction means a turn that people see: one of the present documents. */
  editsShownTurns: condition({
    meets: (context, event) => corrects(event, shownBasis(context)),
    couldMeet: (context) => shownBasis(context) !== null,
    words: 'a turn of the present documents',
  }),
  /** … or, where there are none yet, one of those that wait for names. */
  editsTurns: condition({
    meets: (context, event) =>
      corrects(event, shownBasis(context) ?? basisOf(context.sources.draft)),
    couldMeet: (context) => (shownBasis(context) ?? basisOf(context.sources.draft)) !== null,
    words: 'a turn that people see',
  }),
  deletesAll: condition({
    meets: (_context, event) =>
      event.type === 'documents.deleted' && event.data.documents.length === 3,
    couldMeet: () => true,
    words: 'all three',
  }),
  restoresVersion: condition({
    meets: ({ sources }, event) =>
      event.type === 'version.restored' &&
      event.data.version > 0 &&
      event.data.version <= sources.versions.length,
    couldMeet: ({ sources }) => sources.versions.length > 0,
    words: 'there was this version',
  }),
  hasAudio: condition({
    meets: ({ files }) => files.audio !== null,
    couldMeet: ({ files }) => files.audio !== null,
    words: 'audio exists',
  }),
  /** Also when its audio was removed since: its words are worth keeping. */
  wasCaptured: condition({
    meets: ({ sources }) => sources.draft.results.audio !== null,
    couldMeet: ({ sources }) => sources.draft.results.audio !== null,
    words: 'there was audio',
  }),
  /** What was not captured cannot be captured again. */
  failedAfterCapture: condition({
    meets: ({ failed }) => failed !== null && failed.stage !== 'capture',
    couldMeet: ({ failed }) => failed !== null && failed.stage !== 'capture',
    words: 'not the capture failed',
  }),

  ...reprocessingConditions,
};

export type ConditionName = keyof typeof conditions;

/** The conditions as XState wants them. */
export const guards = Object.fromEntries(
  Object.entries(conditions).map(([name, condition]) => [
    name,
    ({ context, event }: Given, params: never) => condition.meets(context, event, params),
  ]),
) as { [N in ConditionName]: (given: Given, params: ParamsOf<N>) => boolean };

const concerns = (event: RecordingMachineEvent, stage: Stage): boolean =>
  'stage' in event.data && event.data.stage === stage;

/** An utterance is one of the plan's stretches, so there is none without a plan. */
const hasStretchLeft = ({ sources: { draft } }: RecordingContext): boolean =>
  draft.results.plan !== null && draft.utterances < (draft.stretches ?? 0);

/** What was planned has to be recognised; an engine that hears all at once plans nothing. */
const couldCompleteTranscription = ({ running, sources: { draft } }: RecordingContext) =>
  running.transcribe !== undefined &&
  (draft.stretches === null ||
    (draft.results.plan !== null && draft.utterances === draft.stretches));

const completesTranscription = (context: RecordingContext, event: RecordingMachineEvent) =>
  couldCompleteTranscription(context) && isCurrent(context, event, { stage: 'transcribe' });

const corrects = (event: RecordingMachineEvent, basis: number | null): boolean =>
  (event.type === 'turn.edited' || event.type === 'turns.recut') && event.data.basis === basis;

const shownBasis = ({ sources: { published } }: RecordingContext): number | null =>
  published && basisOf(published);

function savesNext(context: RecordingContext, event: RecordingMachineEvent): boolean {
  return (
    (event.type === 'documents.saved' || event.type === 'documents.rendered') &&
    event.data.version === context.sources.versions.length + 1 &&
    isCurrent(context, event, { stage: 'write' })
  );
}

type Of = { stage: Stage };

type Given = { context: RecordingContext; event: RecordingMachineEvent };
type ParamsOf<N extends ConditionName> =
  (typeof conditions)[N] extends Condition<infer P> ? P : never;

function isCurrent(context: RecordingContext, event: RecordingMachineEvent, { stage }: Of) {
  const attempt = context.running[stage];
  return attempt !== undefined && event.run === context.sources.run && event.attempt === attempt;
}

/** Names in one space mean nothing in another. */
function needsName({ sources, files: { handedOver } }: RecordingContext): boolean {
  const { named } = sources.draft.results;
  return named === null || (handedOver !== null && named < handedOver);
}
