import type { RecordingFactOf } from '../../../events/facts/recording.ts';
import { wordCount } from '../../../projections/recording/paragraphs.ts';
import type { HeardStretch } from '../../speech/recognise-plan.ts';

/** What an engine heard of one stretch of the plan, as the log has it. */
export function utteranceFact(
  { index, start, end, segments, language, doubt }: HeardStretch,
  voice?: string,
): RecordingFactOf<'utterance.recognised'> {
  const words = wordsIn(segments);
  return {
    type: 'utterance.recognised',
    data: {
      index,
      start,
      end,
      words,
      language,
      ...(doubt === undefined ? {} : { doubt }),
      ...(voice === undefined ? {} : { voice }),
    },
    content: { segments },
  };
}

export const wordsIn = (segments: readonly { text: string }[]): number =>
  segments.reduce((sum, { text }) => sum + wordCount(text), 0);
