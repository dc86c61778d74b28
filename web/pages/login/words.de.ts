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
  left: 'Sie haben sich in einem anderen Tab abgemeldet.',
  leftHint: 'Nach der Anmeldung sind Sie wieder da, wo Sie waren.',
  wait: 'Zu viele Versuche.',
  forgotten: 'Vergessen? Ein Administrator kann Ihnen einen Link für ein neues Passwort schicken.',
  welcome: 'Willkommen bei Mitschrift',
  invitedBy:
    '{name} lädt Sie ein. Wählen Sie einen Benutzernamen und ein Passwort; danach gehören Ihre Notizen nur Ihnen, bis Sie sie teilen.',
  invited:
    'Sie sind eingeladen. Wählen Sie einen Benutzernamen und ein Passwort; danach gehören Ihre Notizen nur Ihnen, bis Sie sie teilen.',
  userName: 'Benutzername',
  nameHint: '2 bis 32 Buchstaben, Ziffern oder @ . + - _. Lässt sich später nicht ändern.',
  nameTaken: 'Diesen Namen gibt es schon, oder einen, der so aussieht.',
  createAccount: 'Konto anlegen',
  invitationOver: 'Diese Einladung ist nicht mehr gültig.',
  invitationOverHint:
    'Sie wurde verwendet, ist abgelaufen oder wurde zurückgezogen. Bitten Sie die Person, die Sie eingeladen hat, um eine neue.',
  newPasswordTitle: 'Neues Passwort wählen',
  newPasswordFor: 'Für das Konto {name}. Danach sind Sie überall sonst abgemeldet.',
  linkOver: 'Dieser Link ist nicht mehr gültig.',
  linkOverHint:
    'Er wurde verwendet, ist abgelaufen oder wurde zurückgezogen. Bitten Sie einen Administrator um einen neuen.',
  choosePassword: 'Eigenes Passwort wählen',
  setByAnother:
    'Das bisherige hat jemand anderes gesetzt. Bis Sie es ändern, lässt sich sonst nichts öffnen.',
  notTheGiven: 'Mindestens 8 Zeichen, und nicht das bisherige.',
  givenPassword: 'Das bisherige Passwort',
  saveAndContinue: 'Speichern und weiter',
  logOut: 'Abmelden',
} satisfies Translation<English>;
