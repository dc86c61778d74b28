import type { ReprocessedFrom } from '../events/facts/recording.ts';
import { condition } from './condition.ts';
import type { RecordingContext } from './context.ts';
import type { RecordingMachineEvent } from './machine-event.ts';

/** Where a further run may begin: at the audio or at the words; a meeting's words need their speakers first. */
export const reprocessingConditions = {
  fromSpeech: condition({
    meets: ({ audio }, event) => audio && reprocesses(event, 'speech-to-text'),
    couldMeet: ({ audio }) => audio,
    words: 'from speech-to-text',
  }),
  fromSpeakers: condition({
    meets: (context, event) =>
      context.audio && isMeetingWithWords(context) && reprocesses(event, 'diarize'),
    couldMeet: (context) => context.audio && isMeetingWithWords(context),
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
      isFinished(context) && context.results.title !== null && reprocesses(event, 'write'),
    couldMeet: (context) => isFinished(context) && context.results.title !== null,
    words: 'from write',
  }),
  fromWords: condition({
    meets: (context, event) =>
      hasWords(context) && hasSpeakers(context) && reprocesses(event, 'language-model'),
    couldMeet: (context) => hasWords(context) && hasSpeakers(context),
    words: 'from language-model',
  }),
  fromWordsWithoutNames: condition({
    meets: (context, event) =>
      hasWords(context) &&
      !hasSpeakers(context) &&
      context.results.turns !== null &&
      reprocesses(event, 'language-model'),
    couldMeet: (context) =>
      hasWords(context) && !hasSpeakers(context) && context.results.turns !== null,
    words: 'from language-model, speakers not named',
  }),
  fromWordsWithoutTurns: condition({
    meets: (context, event) =>
      hasWords(context) &&
      !hasSpeakers(context) &&
      context.results.turns === null &&
      reprocesses(event, 'language-model'),
    couldMeet: (context) =>
      hasWords(context) && !hasSpeakers(context) && context.results.turns === null,
    words: 'from language-model, speakers not found',
  }),
};

const reprocesses = (event: RecordingMachineEvent, from: ReprocessedFrom) =>
  event.type === 'reprocessing.requested' && event.data.from === from;

const hasWords = ({ results }: RecordingContext): boolean => results.transcription !== null;

const hasSpeakers = ({ kind, results }: RecordingContext): boolean =>
  kind !== 'meeting' || results.names !== null;

function isMeetingWithWords(context: RecordingContext): boolean {
  return context.kind === 'meeting' && hasWords(context);
}

function hasAttribution(context: RecordingContext): boolean {
  const { diarization, identification } = context.results;
  return isMeetingWithWords(context) && diarization !== null && identification !== null;
}

function isFinished({ results }: RecordingContext): boolean {
  return results.punctuated !== null && results.summary !== null;
}
