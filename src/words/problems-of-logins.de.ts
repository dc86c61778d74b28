import type { problemsOfLogins } from './problems-of-logins.ts';
import type { Words } from './sentences.ts';

export const problemsOfLoginsInGerman = {
  'not-authenticated': {
    title: 'Nicht angemeldet',
    detail:
      'Sie sind nicht angemeldet, oder Ihre Sitzung ist abgelaufen. Melden Sie sich an und versuchen Sie es erneut.',
  },
  'wrong-credentials': {
    title: 'Anmeldung fehlgeschlagen',
    detail: 'Benutzername oder Passwort ist falsch.',
  },
  'code-required': {
    title: 'Code eingeben',
    detail:
      'Geben Sie die 6 Ziffern aus Ihrer Authenticator-App ein oder einen Wiederherstellungscode.',
  },
  'wrong-code': {
    title: 'Falscher Code',
    detail: 'Jeder Code gilt einmal und 30 Sekunden lang; prüfen Sie die Uhr des Telefons.',
  },
  'two-step-changed': {
    title: 'Anmeldung in zwei Schritten wurde geändert',
    detail:
      'Sie wurde anderswo ein- oder ausgeschaltet, oder das Einrichten hat länger als 10 Minuten gedauert. Beginnen Sie erneut.',
  },
  'two-step-required': {
    title: 'Zuerst Anmeldung in zwei Schritten einrichten',
    detail:
      'Dieser Server verlangt sie von Ihnen. Melden Sie sich in einem Browser an und richten Sie sie ein: Bis dahin lässt sich sonst nichts öffnen.',
  },
  'use-single-sign-on': {
    title: 'Single Sign-on verwenden',
    detail:
      'Passwörter sind hier für Ihr Konto ausgeschaltet. Melden Sie sich mit Single Sign-on an.',
  },
  'not-admitted': {
    title: 'Nicht zugelassen',
    detail:
      'Der Anmeldeanbieter kennt Sie, aber dieser Server lässt Sie nicht zu. Wenden Sie sich an einen Administrator. Es wurde kein Konto angelegt.',
  },
  'flow-over': {
    title: 'Anmeldung nicht abgeschlossen',
    detail:
      'Die Anmeldung hat länger als 10 Minuten gedauert oder wurde in einem anderen Browser begonnen. Mit Ihrem Konto ist alles in Ordnung. Beginnen Sie erneut.',
  },
  'provider-away': {
    title: 'Anmeldeanbieter nicht erreichbar',
    detail:
      'Der Anmeldeanbieter antwortet nicht. Versuchen Sie es in einigen Minuten erneut, oder melden Sie sich mit einem Passwort an, wenn Sie hier eines haben. Laufende Aufnahmen werden fortgesetzt.',
  },
  'no-single-sign-on': {
    title: 'Kein Single Sign-on',
    detail: 'Single Sign-on ist auf diesem Server nicht eingerichtet.',
  },
  'no-password': {
    title: 'Konto ohne Passwort',
    detail:
      'Ihr Konto hat hier kein Passwort: Sie melden sich mit Single Sign-on an. Ein Administrator kann Ihnen einen Link schicken, mit dem Sie eines wählen.',
  },
  'user-disabled': {
    title: 'Konto gesperrt',
    detail: 'Dieses Konto ist gesperrt. Bitten Sie einen Administrator, es zu entsperren.',
  },
  'password-change-required': {
    title: 'Zuerst ein eigenes Passwort wählen',
    detail:
      'Ihr Passwort hat jemand anderes festgelegt. Melden Sie sich in einem Browser an und wählen Sie ein eigenes: Bis dahin lässt sich sonst nichts öffnen.',
  },
  'confirmation-required': {
    title: 'Passwort noch einmal nötig',
    detail:
      'Geben Sie Ihr Passwort noch einmal ein und wiederholen Sie es dann. Es wurde nichts geändert. (API: `POST /users/me/confirm`)',
  },
} satisfies Words<typeof problemsOfLogins>;
