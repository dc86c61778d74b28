import { says, sayingsOf } from './sentences.ts';

/** Headings, labels and short sentences of documents and of exports. */
export const labelsOfDocuments = {
  transcript: says('Transcript'),
  summary: says('Summary'),
  remarks: says('Remarks'),
  source: says('Source'),
  speaker: says({ number: 'integer' }, 'Speaker {number}'),
  'speaking-time': says('Speaking time'),
  percent: says({ share: 'percent' }, '{share}'),
  decision: says('Decisions'),
  task: says('Tasks'),
  open: says('Open questions'),
  point: says('Key points'),
  'my-sidenotes': says('My side notes'),
  sidenotes: says('Side notes'),
  sidenote: says('Side note'),
  moment: says('Moment marked'),
  'moment-of': says({ words: 'text' }, 'Moment marked: “{words}”'),
  'not-found': says({ name: 'text' }, 'not found in what {name} said'),
  'not-recorded': says({ from: 'text', to: 'text' }, '{from}–{to} not recorded'),
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
  'no-speech': says('No speech was found.'),
  'no-summary': says('There is no summary.'),
  doubts: says(
    { count: 'integer' },
    {
      detail: {
        one: 'One passage was possibly misheard:',
        other: '{count} passages were possibly misheard:',
      },
    },
  ),
  'more-doubts': says({ count: 'integer' }, 'and {count} more'),
  repetition: says('repetition'),
  'known-phrase': says('a phrase that speech recognition often invents in silence'),
  prompt: says('only words that speech recognition was given, perhaps nobody spoke'),
  'low-confidence': says('speech recognition was unsure'),
  'no-speech-here': says('perhaps nobody spoke here'),
  'other-speaker': says('someone else may have said this'),
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
