import { count, params } from '@nanostores/i18n';
import { wordsFor } from '../../components/words.ts';

const english = {
  forYou: 'A note for you',
  opens: 'Opening the note…',
  passwordHint: 'Whoever sent you the link knows the password.',
  wrong: 'Wrong password. After 10 tries there’s a wait of some minutes.',
  over: 'This link is no longer valid.',
  overHint:
    'The link has ended, was deleted or is incomplete. Ask whoever sent the link to you for a new one.',
  busy: 'Too many people are reading.',
  busyHint: count({
    one: '{count} device has this link open. Try again in a few minutes.',
    many: '{count} devices have this link open. Try again in a few minutes.',
  }),
  notReady: 'The note isn’t ready yet.',
  notReadyHint:
    'A recording is in progress. The note appears here after the recording; this page can stay open.',
  inWork:
    'The note is being written, and appears here when the note is ready; this page can stay open.',
  deleted: 'The recording was deleted.',
  deletedHint: 'What you read here is no longer available, and this page has kept none of it.',
  sharedBy: params('Shared by {name}'),
  sharedByUntil: params('Shared by {name}, until {date}'),
  untitled: 'Note without a title',
  saveText: 'Save text',
  noAccount: 'This page needs no account and keeps nothing of the note on this device.',
  lightOrDark: 'Light or dark',
  live: 'Live',
  paused: 'Paused',
  whatIsSaid: 'What is being said',
  nothingYet: 'Nothing was said yet.',
  smaller: 'A− smaller text',
  smallerSign: 'A−',
  largerSign: 'A+',
  larger: 'A+ larger text',
  readAloud: 'Read aloud to screen readers as it is said',
  backToLive: 'Back to live',
  away: 'No connection. Reading continues by itself; what is said meanwhile follows.',
  ended: 'The recording has ended.',
  endedHint:
    'Summary and names of the speakers appear here when they’re ready; you needn’t reload.',
  noSound: 'The audio can’t be played now.',
};

export type English = typeof english;
export const words = wordsFor('link', english);
