import type { ReprocessedFrom } from '../events/facts/recording.ts';
import { isDoneFrom } from '../events/facts/sources.ts';
import { type Condition, condition } from './condition.ts';
import type { RecordingContext } from './context.ts';

/** Where a further run may begin: at the audio or at the words; a meeting's words need their speakers first. */
export const reprocessingConditions = {
  fromSpeech: from('speech-to-text', ({ files }) => files.audio !== null),
  fromSpeakers: from(
    'diarize',
    (context) => context.files.audio !== null && isMeetingWithWords(context),
  ),
  fromTurns: from(
    'join',
    (context) => isMeetingWithWords(context) && isDoneFrom('diarize', context.sources.draft),
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
