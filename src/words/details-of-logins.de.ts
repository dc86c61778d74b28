import type { detailsOfLogins } from './details-of-logins.ts';
import type { Words } from './sentences.ts';

export const detailsOfLoginsInGerman = {
  'not-admitted-group': {
    detail:
      'Der Anmeldeanbieter kennt Sie, aber hier können sich nur Mitglieder einer bestimmten Gruppe anmelden. Wenden Sie sich an einen Administrator. Es wurde kein Konto angelegt.',
    admin: 'Einstellung: Nur Mitglieder von (`oidc.user_group`).',
  },
  'not-admitted-setup':
    'Dieser Server hat noch keinen Administrator. Den ersten legt mit dem Einrichtungslink an, wer ihn eingerichtet hat (`mitschrift setup-link`).',
  'not-admitted-unknown':
    'Der Anmeldeanbieter kennt Sie, aber Sie haben hier kein Konto. Bitten Sie einen Administrator darum. Es wurde kein Konto angelegt.',
  'not-admitted-linked':
    'Dieses Konto beim Anmeldeanbieter ist hier mit einer anderen Person verbunden. Es wurde nichts geändert.',
  'not-admitted-denied':
    'Der Anmeldeanbieter hat Sie nicht angemeldet. Es wurde kein Konto angelegt.',
  'provider-answers-wrong':
    'Die Antwort des Anmeldeanbieters ist nicht brauchbar. Informieren Sie einen Administrator: Systemstatus und Log sagen mehr. Melden Sie sich bis dahin mit einem Passwort an, wenn Sie hier eines haben.',
  'provider-answers':
    'Der Anmeldeanbieter hat „{fault}“ geantwortet. Prüfen Sie Client-ID, Client-Geheimnis und Scopes.',
  'login-code-over':
    'Dieser Code ist falsch, wurde verwendet oder ist abgelaufen. Erstellen Sie im Konto unter „Wo Sie angemeldet sind“ einen neuen.',
  'password-link-useless': {
    detail:
      'Passwörter sind für diese Person abgeschaltet; sie meldet sich mit Single Sign-on an. Es wurde kein Link erstellt.',
    admin:
      'Einstellung: Anmeldung mit Passwort (`auth.local_login`). Für Administratoren erstellt `mitschrift users password-link` auf dem Server immer einen.',
  },
  'no-password-yet':
    'Ohne die Verbindung könnten Sie sich nicht mehr anmelden: Ihr Konto hat kein Passwort. Bitten Sie einen Administrator um einen Link, mit dem Sie eines wählen.',
} satisfies Words<typeof detailsOfLogins>;
