import type { Translation } from '../../words/i18n.ts';
import type { English } from './words.ts';

export default {
  name: 'Benutzername',
  wrong: 'Benutzername oder Passwort ist falsch.',
  wrongHint:
    'Achten Sie auf Groß- und Kleinschreibung. Nach 10 Versuchen in einer Minute müssen Sie kurz warten.',
  expired: 'Ihre Sitzung ist abgelaufen.',
  expiredHint:
    'Eine laufende Aufnahme geht weiter. Nach dem Anmelden sind Sie wieder dort, wo Sie waren.',
  left: 'Sie haben sich in einem anderen Tab abgemeldet.',
  leftHint: 'Nach dem Anmelden sind Sie wieder dort, wo Sie waren.',
  wait: 'Zu viele Versuche.',
  forgotten: 'Passwort vergessen? Ein Administrator kann Ihnen einen Link für ein neues schicken.',
  welcome: 'Willkommen bei Mitschrift',
  invitedBy:
    '{name} lädt Sie zu Mitschrift ein. Wählen Sie einen Benutzernamen und ein Passwort. Ihre Notizen gehören nur Ihnen.',
  invited:
    'Sie sind zu Mitschrift eingeladen. Wählen Sie einen Benutzernamen und ein Passwort. Ihre Notizen gehören nur Ihnen.',
  invitedHereBy: '{name} lädt Sie zu Mitschrift ein. Ihre Notizen gehören nur Ihnen.',
  invitedHere: 'Sie sind zu Mitschrift eingeladen. Ihre Notizen gehören nur Ihnen.',
  continueWith: 'Weiter mit {provider}',
  continueHint:
    'Sie melden sich mit dem Konto an, das Sie dort haben, und brauchen hier kein Passwort.',
  userName: 'Benutzername',
  nameHint: '2 bis 32 Buchstaben, Ziffern oder @ . + - _. Er kann später nicht geändert werden.',
  nameTaken: 'Dieser Benutzername oder ein ähnlich aussehender ist bereits vergeben.',
  createAccount: 'Konto erstellen',
  invitationOver: 'Diese Einladung ist nicht mehr gültig.',
  invitationOverHint:
    'Die Einladung wurde verwendet, ist abgelaufen oder wurde zurückgezogen. Wenn Sie schon einen Benutzernamen gewählt haben, melden Sie sich an. Sonst bitten Sie die Person, die Sie eingeladen hat, um eine neue.',
  newPasswordTitle: 'Neues Passwort wählen',
  newPasswordFor: 'Für das Konto {name}. Sie werden überall sonst abgemeldet.',
  linkOver: 'Dieser Link ist nicht mehr gültig.',
  linkOverHint:
    'Der Link wurde verwendet, ist abgelaufen oder wurde zurückgezogen. Bitten Sie einen Administrator um einen neuen.',
  choosePassword: 'Eigenes Passwort wählen',
  setByAnother:
    'Ihr aktuelles Passwort hat jemand anderes festgelegt. Wählen Sie ein eigenes, um fortzufahren.',
  notTheGiven: 'Mindestens 8 Zeichen, und nicht das aktuelle.',
  givenPassword: 'Aktuelles Passwort',
  saveAndContinue: 'Speichern und weiter',
  logInWith: 'Mit {provider} anmelden',
  inAnotherTab:
    'Öffnet sich in einem anderen Tab, weil dieser aufnimmt. Die Aufnahme wird fortgesetzt.',
  or: 'oder',
  withPassword: 'Mit Passwort anmelden',
  loggingIn: 'Anmeldung läuft…',
  trialOver: 'Die Probeanmeldung ist abgeschlossen.',
  trialOverHint: 'Das Ergebnis steht im Tab mit den Einstellungen. Diesen können Sie schließen.',
  linked: 'Konto verbunden.',
  flowOver: 'Die Anmeldung hat zu lange gedauert oder wurde in einem anderen Browser begonnen.',
  flowOverHint: 'Mit Ihrem Konto ist alles in Ordnung. Beginnen Sie erneut.',
} satisfies Translation<English>;
