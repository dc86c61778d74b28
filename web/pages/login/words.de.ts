import type { Translation } from '../../words/i18n.ts';
import type { English } from './words.ts';

export default {
  title: 'Anmelden',
  name: 'Name',
  password: 'Passwort',
  logIn: 'Anmelden',
  wrong: 'Name und Passwort passen nicht zusammen.',
  wrongHint:
    'Groß- und Kleinschreibung zählt. Nach 10 Versuchen in der Minute gibt es eine kurze Wartezeit.',
  expired: 'Ihre Sitzung ist zu Ende.',
  expiredHint:
    'Eine laufende Aufnahme geht weiter. Nach dem Anmelden sind Sie wieder da, wo Sie waren.',
  wait: 'Zu viele Versuche.',
  forgotten: 'Vergessen? Wer verwaltet, setzt ein neues; auf dem Rechner selbst geht es auch:',
} satisfies Translation<English>;
