import { count, params } from '@nanostores/i18n';
import { wordsFor } from '../components/words.ts';

const english = {
  heading: 'Questions',
  askNote: 'Ask about this note',
  askNoteHint: 'Ask about this note…',
  ask: 'Ask',
  askAgain: 'Ask again',
  readingNote: 'Reading the transcript…',
  lines: count({ one: 'Answer with {count} line.', many: 'Answer with {count} lines.' }),
  whatDidIMiss: 'What did I miss?',
  whatYouMissed: 'What you missed',
  recent: 'Last 5 minutes',
  left: params('Since {time}, when you left'),
  all: 'From the beginning',
  nothingSaid: 'Nothing has been said since then.',
  noneProved: 'The language model gave no answer that is found in the transcript.',
  notFound: 'Nothing in this note answers this.',
  nearest: 'Nearest passages',
  goTo: params('Go to {time}'),
  notAll: 'Not everything was read because the transcript is too long for the language model.',
  notKept: 'Answers are not kept.',
  keep: 'Keep as side notes',
  kept: count({ one: '{count} side note added.', many: '{count} side notes added.' }),
  quoted: params('“{quote}”'),
  notAnswered: 'The question could not be answered.',
};

export type English = typeof english;
export const words = wordsFor('questions', english);
