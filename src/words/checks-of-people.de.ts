import type { checksOfPeople } from './checks-of-people.ts';
import type { Words } from './sentences.ts';

export const checksOfPeopleInGerman = {
  'two-step-optional': 'Die Anmeldung in zwei Schritten ist nicht vorgeschrieben.',
  'two-step-ok': 'Alle Administratoren melden sich in zwei Schritten an.',
  'two-step-missing': {
    detail: {
      one: '{count} Administrator hat die vorgeschriebene Anmeldung in zwei Schritten nicht eingerichtet: {names}.',
      other:
        '{count} Administratoren haben die vorgeschriebene Anmeldung in zwei Schritten nicht eingerichtet: {names}.',
    },
    todo: 'Nach dem Passwort werden sie dazu aufgefordert. Bis dahin schützt nur das Passwort das Konto.',
  },
  'groups-ok': {
    detail: {
      one: '{count} Gruppe, mit Mitgliedern.',
      other: '{count} Gruppen, alle mit Mitgliedern.',
    },
  },
  'groups-claim-unseen': {
    detail: {
      one: '{count} Gruppe folgt einer Gruppe beim Anmeldeanbieter, die bei keiner Anmeldung vorkam: {names}.',
      other:
        '{count} Gruppen folgen Gruppen beim Anmeldeanbieter, die bei keiner Anmeldung vorkamen: {names}.',
    },
    todo: 'Vergleichen Sie die Namen unter Einstellungen › Gruppen mit dem, was eine Probeanmeldung zeigt (Einstellungen › Anmeldung).',
  },
  'groups-empty': {
    detail: {
      one: '{count} Gruppe hat keine Mitglieder: {names}. Was mit ihr geteilt ist, sieht niemand.',
      other:
        '{count} Gruppen haben keine Mitglieder: {names}. Was mit ihnen geteilt ist, sieht niemand.',
    },
    todo: 'Fügen Sie unter Einstellungen › Gruppen Mitglieder hinzu, oder löschen Sie die Gruppe.',
  },
  'retention-ok': 'Nichts wartet vor dem Löschen auf eine Antwort.',
  'retention-waits': {
    detail: {
      one: 'Die Notizen von {count} Person werden länger aufbewahrt als vorgesehen: So viele zu löschen, braucht ein Ja.',
      other:
        'Die Notizen von {count} Personen werden länger aufbewahrt als vorgesehen: So viele zu löschen, braucht ein Ja.',
    },
    todo: 'Bitten Sie sie, auf ihrer Startseite zu antworten. Für guest und gelöschte Personen antwortet ein Administrator: POST /retention/confirm?owner=….',
  },
  'provider-none': 'Es gibt kein Single Sign-on: Es ist kein Anbieter angegeben.',
  'provider-no-client': {
    detail: 'Die Client-ID fehlt.',
    todo: 'Tragen Sie Mitschrift beim Anbieter ein und geben Sie die Client-ID an, die er nennt (`oidc.client_id`).',
  },
  'provider-ready': '{provider} ist bereit.',
  'provider-unreachable': {
    detail: '{provider} ist nicht erreichbar[ ({cause})].',
    todo: 'Prüfen Sie die Adresse (`oidc.issuer`) und ob der Anbieter läuft.',
  },
  'provider-not-oidc': {
    detail: 'Unter {address} beschreibt sich kein OpenID-Connect-Anbieter.',
    todo: 'Geben Sie den Issuer an, wie der Anbieter ihn nennt (`oidc.issuer`).',
  },
  'provider-other-issuer': {
    detail: 'Die Adresse antwortet, nennt sich aber anders: {issuer}',
    todo: 'Geben Sie genau diese Adresse an (`oidc.issuer`).',
  },
  'provider-reachable': 'Der Anbieter antwortet.',
  'provider-code-ok': 'Er bietet die Anmeldung mit Autorisierungscode an.',
  'provider-code-missing': {
    detail: 'Er bietet die Anmeldung mit Autorisierungscode nicht an.',
    todo: 'Erlauben Sie sie beim Anbieter für diesen Client.',
  },
  'provider-s256-ok': 'Er bietet sichere Anmeldung an (PKCE mit S256).',
  'provider-s256-missing': {
    detail: 'Er gibt nicht an, dass er sichere Anmeldung (PKCE mit S256) anbietet.',
    todo: 'Erlauben Sie sie beim Anbieter oder verwenden Sie einen anderen.',
  },
  'provider-scopes-ok': 'Er bietet diese Scopes an: {scopes}.',
  'provider-scopes-missing': {
    detail: 'Er bietet diese Scopes nicht an: {scopes}.',
    todo: 'Ändern Sie die Scopes (`oidc.scopes`) oder erlauben Sie sie beim Anbieter.',
  },
} satisfies Words<typeof checksOfPeople>;
