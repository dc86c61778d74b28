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
  'my-sidenotes': says({}, { detail: 'My side notes' }),
  sidenotes: says({}, { detail: 'Side notes' }),
  sidenote: says({}, { detail: 'Side note' }),
  moment: says({}, { detail: 'Moment marked' }),
  'moment-of': says({ words: 'text' }, { detail: 'Moment marked: “{words}”' }),
  'not-found': says({ name: 'text' }, { detail: 'not found in what {name} said' }),
  'not-recorded': says({ from: 'text', to: 'text' }, { detail: '{from}–{to} not recorded' }),
  'not-recorded-because': says(
    { from: 'text', to: 'text', reason: ['call', 'muted', 'gone', 'asleep'] },
    {
      detail: '{from}–{to} not recorded ({reason})',
      choices: {
        reason: {
          call: 'phone call or another app',
          muted: 'microphone muted by the system',
          gone: 'microphone disconnected',
          asleep: 'device asleep',
        },
      },
    },
  ),
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
  prompt: says(
    {},
    { detail: 'only words that speech recognition was given, perhaps nobody spoke' },
  ),
  'low-confidence': says({}, { detail: 'speech recognition was unsure' }),
  'no-speech-here': says({}, { detail: 'perhaps nobody spoke here' }),
  'other-speaker': says({}, { detail: 'someone else may have said this' }),
};

export type LabelCode = keyof typeof labelsOfDocuments;
/** Why a passage may be wrong, by the reason in the log. */
const doubtLabels = {
  repetition: 'repetition',
  'known-phrase': 'known-phrase',
  prompt: 'prompt',
  'low-confidence': 'low-confidence',
  'no-speech': 'no-speech-here',
  'other-speaker': 'other-speaker',
} as const satisfies Record<string, LabelCode>;

/** The label of a reason why a passage may be wrong; null where there are no words for it. */
export const doubtLabel = (reason: string) =>
  Object.hasOwn(doubtLabels, reason) ? doubtLabels[reason as keyof typeof doubtLabels] : null;

/** A label with what varies in it. */
export const labelOf = sayingsOf(labelsOfDocuments, 'label');
