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
};

export type LabelCode = keyof typeof labelsOfDocuments;
/** A label with what varies in it. */
export const labelOf = sayingsOf(labelsOfDocuments, 'label');
