import type { checksOfSignOn } from './checks-of-sign-on.ts';
import type { Words } from './sentences.ts';

export const checksOfSignOnInGerman = {
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
} satisfies Words<typeof checksOfSignOn>;
