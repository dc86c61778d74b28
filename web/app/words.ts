import { count, params } from '@nanostores/i18n';
import { i18n } from '../words/i18n.ts';

const english = {
  skip: 'Skip to content',
  main: 'Main',
  mainBelow: 'Main, at the bottom',
  notes: 'Notes',
  speakers: 'Speakers',
  settings: 'Settings',
  record: 'Record',
  search: 'Search',
  account: 'Account',
  accountOf: params('{name}, account'),
  appearance: 'Appearance',
  asSystem: 'as the system',
  light: 'light',
  dark: 'dark',
  statechart: 'Statechart',
  logOut: 'Log out',
  recordingNow: 'Recording, ',
  waiting: count({
    one: '{count} meeting waits for names',
    many: '{count} meetings wait for names',
  }),
  waitsForNames: 'A meeting waits for names',
  away: 'The service does not answer.',
  seenFrom: params(
    'What you see is from {time}. It reconnects by itself; next try in {seconds} s.',
  ),
  connection: 'Connection',
  tryNow: 'Try now',
  back: 'The service answers again.',
  undo: 'Undo',
  close: 'Close',
  notFound: 'There is no such page.',
  toNotes: 'To my notes',
  notLoaded: 'This page could not be loaded.',
  notLoadedSafe:
    'Nothing was lost by it. The service may be away, or a new version of it was installed.',
  loadAgain: 'Load it again',
  notReachable: 'Mitschrift is not reachable.',
  serviceIsAway: 'This device is online, the service is not.',
  deviceIsOffline: 'This device is not online.',
  onItsMachine: 'On its machine:',
  comesBack: 'This page comes back by itself. Nothing that is stored is lost by it.',
  nextTry: params('Next try in {seconds} s.'),
};

export type English = typeof english;
export const words = i18n('app', english);
