import type { Translation } from '../words/i18n.ts';
import type { English } from './words.ts';

export default {
  skip: 'Zum Inhalt',
  main: 'Hauptmenü',
  mainBelow: 'Hauptmenü, unten',
  notes: 'Notizen',
  speakers: 'Sprecher',
  settings: 'Einstellungen',
  record: 'Aufnehmen',
  search: 'Suchen',
  account: 'Konto',
  accountOf: '{name}, Konto',
  appearance: 'Darstellung',
  asSystem: 'wie das System',
  light: 'hell',
  dark: 'dunkel',
  statechart: 'Zustände',
  logOut: 'Abmelden',
  recordingNow: 'Nimmt auf, ',
  waiting: {
    one: '{count} Besprechung wartet auf Namen',
    many: '{count} Besprechungen warten auf Namen',
  },
  waitsForNames: 'Eine Besprechung wartet auf Namen',
  away: 'Der Dienst antwortet nicht.',
  seenFrom:
    'Was Sie sehen, ist von {time}. Die Verbindung kommt von selbst zurück; nächster Versuch in {seconds} s.',
  connection: 'Verbindung',
  tryNow: 'Jetzt versuchen',
  back: 'Der Dienst antwortet wieder.',
  undo: 'Rückgängig',
  close: 'Schließen',
  notFound: 'Diese Seite gibt es nicht.',
  toNotes: 'Zu meinen Notizen',
  notLoaded: 'Diese Seite konnte nicht geladen werden.',
  notLoadedSafe:
    'Verloren ging dabei nichts. Der Dienst ist vielleicht weg, oder eine neue Version wurde installiert.',
  loadAgain: 'Erneut laden',
} satisfies Translation<English>;
