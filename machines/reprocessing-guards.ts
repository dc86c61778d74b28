import type { ReprocessedFrom } from '../events/facts/recording.ts';
import { isDoneFrom } from '../events/facts/sources.ts';
import { condition } from './condition.ts';
import type { RecordingContext, RecordingMachineEvent } from './context.ts';

/** Where a further run may begin: at the audio or at the words; a meeting's words need their speakers first. */
export const reprocessingConditions = {
  fromSpeech: condition({
    meets: ({ files }, event) => files.audio !== null && reprocesses(event, 'speech-to-text'),
    couldMeet: ({ files }) => files.audio !== null,
    words: 'from speech-to-text',
  }),
  fromSpeakers: condition({
    meets: (context, event) =>
      context.files.audio !== null && isMeetingWithWords(context) && reprocesses(event, 'diarize'),
    couldMeet: (context) => context.files.audio !== null && isMeetingWithWords(context),
    words: 'from diarize',
  }),
  fromTurns: condition({
    meets: (context, event) => hasAttribution(context) && reprocesses(event, 'join'),
    couldMeet: hasAttribution,
    words: 'from join',
  }),
  fromTitle: condition({
    meets: (context, event) => isFinished(context) && reprocesses(event, 'entitle'),
    couldMeet: isFinished,
    words: 'from entitle',
  }),
  fromDocuments: condition({
    meets: (context, event) =>
      isFinished(context) &&
      isDoneFrom('entitle', context.sources.draft) &&
      reprocesses(event, 'write'),
    couldMeet: (context) => isFinished(context) && isDoneFrom('entitle', context.sources.draft),
    words: 'from write',
  }),
  fromWords: condition({
    meets: (context, event) =>
      hasWords(context) && hasSpeakers(context) && reprocesses(event, 'language-model'),
    couldMeet: (context) => hasWords(context) && hasSpeakers(context),
    words: 'from language-model',
  }),
  fromWordsWithoutNames: condition({
    meets: (context, event) => lacksNames(context, 'turns') && reprocesses(event, 'language-model'),
    couldMeet: (context) => lacksNames(context, 'turns'),
    words: 'from language-model, speakers not named',
  }),
  fromWordsWithoutTurns: condition({
    meets: (context, event) => lacksNames(context, 'words') && reprocesses(event, 'language-model'),
    couldMeet: (context) => lacksNames(context, 'words'),
    words: 'from language-model, speakers not found',
  }),
};

const reprocesses = (event: RecordingMachineEvent, from: ReprocessedFrom) =>
  event.type === 'reprocessing.requested' && event.data.from === from;

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

function hasAttribution(context: RecordingContext): boolean {
  return isMeetingWithWords(context) && isDoneFrom('diarize', context.sources.draft);
}

function isFinished({ sources }: RecordingContext): boolean {
  return isDoneFrom('language-model', sources.draft);
}
