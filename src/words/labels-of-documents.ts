import { says, sayingsOf } from './sentences.ts';

/** Headings, labels and short sentences of documents and of exports. */
export const labelsOfDocuments = {
  transcript: says({}, { detail: 'Transcript' }),
  summary: says({}, { detail: 'Summary' }),
  remarks: says({}, { detail: 'Remarks' }),
  source: says({}, { detail: 'Source' }),
  speaker: says({ number: 'integer' }, { detail: 'Speaker {number}' }),
  'speaking-time': says({}, { detail: 'Speaking time' }),
  percent: says({ share: 'percent' }, { detail: '{share}' }),
  decision: says({}, { detail: 'Decisions' }),
  task: says({}, { detail: 'Tasks' }),
  open: says({}, { detail: 'Open questions' }),
  point: says({}, { detail: 'Key points' }),
  'not-found': says({ name: 'text' }, { detail: 'not found in what {name} said' }),
  'no-speech': says({}, { detail: 'No speech was found.' }),
  'no-summary': says({}, { detail: 'There is no summary.' }),
  doubts: says(
    { count: 'integer' },
    {
      detail: {
        one: 'One passage was possibly misheard:',
        other: '{count} passages were possibly misheard:',
      },
    },
  ),
  'more-doubts': says({ count: 'integer' }, { detail: 'and {count} more' }),
  repetition: says({}, { detail: 'repetition' }),
  'known-phrase': says({}, { detail: 'a phrase that speech recognition often invents in silence' }),
  'other-speaker': says({}, { detail: 'someone else may have said this' }),
};

export type LabelCode = keyof typeof labelsOfDocuments;
/** Why a passage may be wrong, as far as there are words for it. */
export const isDoubtReason = (
  reason: string,
): reason is 'repetition' | 'known-phrase' | 'other-speaker' =>
  ['repetition', 'known-phrase', 'other-speaker'].includes(reason);

/** A label with what varies in it. */
export const labelOf = sayingsOf(labelsOfDocuments, 'label');
