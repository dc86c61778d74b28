import type { Translation } from '../../words/i18n.ts';
import type { English } from './words.ts';

export default {
  title: 'Einrichten',
  steps: 'Schritte',
  administrator: 'Verwaltung',
  speech: 'Sprache',
  summaries: 'Zusammenfassungen',
  microphone: 'Mikrofon',
  notesFolder: 'Notizordner',
  first: 'Erste Aufnahme',
  doneStep: 'erledigt',
  skippedStep: 'übersprungen',
  goOn: 'Weiter',
  skip: 'Überspringen',

  adminQuestion: 'Wer betreut diese Mitschrift?',
  adminLede:
    'Die erste Person verwaltet sie. Alle, die später dazukommen, haben eigene Notizen, die hier sonst niemand sieht.',
  yourName: 'Ihr Name',
  nameHint: '2 bis 32 Buchstaben oder Ziffern. Er lässt sich später nicht ändern.',
  password: 'Passwort',
  code: 'Einrichtungscode',
  codeHint:
    'Diese Seite wird von einem anderen Rechner aus geöffnet. Darum wird nach dem Code gefragt, den der Dienst in sein Protokoll und in die Datei setup-code geschrieben hat.',
  codeFault:
    'Diesen Code kennt der Dienst nicht. Er steht in seinem Protokoll; auf seinem Rechner gibt „mitschrift setup-link“ einen neuen Link aus.',
  create: 'Verwaltung anlegen',
  created: '{name} betreut diese Mitschrift.',
  createdHint: 'Das ist erledigt und bleibt so. Weitere Personen kommen unter Einstellungen dazu.',
  alreadySetUp: 'Diese Mitschrift ist schon eingerichtet.',
  alreadySetUpHint: 'Zum Anmelden dient ein Name, den die Verwaltung vergeben hat.',
  onlyAdministrators: 'Eingerichtet wird von der Verwaltung.',
  onlyAdministratorsHint: 'Alles, was zum Aufnehmen nötig ist, ist da.',
  logIn: 'Anmelden',
  toNotes: 'Zu meinen Notizen',
  refused: 'Die Verwaltung konnte nicht angelegt werden.',
} satisfies Translation<English>;
