import { isLoopback } from '../shared/network.ts';
import { serverUrl } from '../servers/server.ts';
import { wrong } from '../shared/in-words.ts';
import * as a from './setting.ts';

/** An issuer: tokens come from there, so only this machine's own may be without TLS. */
const issuer = serverUrl.refine((value) => {
  if (!URL.canParse(value)) return true; // said already
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || isLoopback(hostname);
}, wrong('issuer-not-https'));

/** Scopes in one line, `openid` among them. */
const scopes = a.line.refine((value) => value.split(' ').includes('openid'), wrong('scope-openid'));

/** Logging in at a provider that speaks OpenID Connect. Spread into `settingSchemas`. */
export const signOnSettings = {
  'oidc.issuer': a.text(issuer.nullable(), null, {
    title: { en: 'Provider’s address', de: 'Adresse des Anbieters' },
    hint: {
      en: 'The issuer, as the provider names it. If empty, there is no single sign-on.',
      de: 'Der Issuer, wie der Anbieter ihn nennt. Ohne Angabe gibt es kein Single Sign-on.',
    },
  }),
  'oidc.title': a.text(a.line.max(40).nullable(), null, {
    title: { en: 'Name on the button', de: 'Name auf der Schaltfläche' },
    hint: {
      en: 'People read: Log in with … If empty, the host of the address.',
      de: 'Zu lesen ist: Mit … anmelden. Ohne Angabe der Host der Adresse.',
    },
  }),
  'oidc.client_id': a.text(a.line.nullable(), null, {
    title: { en: 'Client ID', de: 'Client-ID' },
    hint: { en: 'From the provider.', de: 'Vom Anbieter.' },
  }),
  'oidc.client_secret': a.text(a.key.nullable(), null, {
    title: { en: 'Client secret', de: 'Client-Geheimnis' },
    hint: {
      en: 'From the provider. Empty for a public client.',
      de: 'Vom Anbieter. Leer bei einem öffentlichen Client.',
    },
    secret: true,
  }),
  'oidc.scopes': a.text(scopes, 'openid profile', {
    title: { en: 'Scopes', de: 'Scopes' },
    hint: {
      en: 'What is asked of the provider, with spaces between. Some need “groups” for groups.',
      de: 'Was vom Anbieter erfragt wird, durch Leerzeichen getrennt. Manche brauchen „groups“ für Gruppen.',
    },
  }),
  'oidc.username_claim': a.text(a.line, 'preferred_username', {
    title: { en: 'Claim with the user name', de: 'Claim mit dem Benutzernamen' },
    hint: {
      en: 'Where the provider says what a person is called.',
      de: 'Wo der Anbieter sagt, wie eine Person heißt.',
    },
  }),
  'oidc.groups_claim': a.text(a.line, 'groups', {
    title: { en: 'Claim with the groups', de: 'Claim mit den Gruppen' },
    hint: {
      en: 'Where the provider says in which groups a person is.',
      de: 'Wo der Anbieter sagt, in welchen Gruppen eine Person ist.',
    },
  }),
  'oidc.user_group': a.text(a.line.nullable(), null, {
    title: { en: 'Only members of', de: 'Nur Mitglieder von' },
    hint: {
      en: 'A group at the provider, checked at each login. If empty, everyone the provider knows.',
      de: 'Eine Gruppe beim Anbieter, geprüft bei jeder Anmeldung. Ohne Angabe alle, die der Anbieter kennt.',
    },
  }),
  'oidc.admin_group': a.text(a.line.nullable(), null, {
    title: { en: 'Administrators are', de: 'Administratoren sind' },
    hint: {
      en: 'Members of this group, checked at each login. If empty, they are chosen here.',
      de: 'Mitglieder dieser Gruppe, geprüft bei jeder Anmeldung. Ohne Angabe werden sie hier bestimmt.',
    },
  }),
  'oidc.register': a.yesOrNo(true, {
    title: { en: 'Create accounts', de: 'Konten anlegen' },
    hint: {
      en: 'For people who log in for the first time.',
      de: 'Für Personen, die sich zum ersten Mal anmelden.',
    },
  }),
  'oidc.match_username': a.yesOrNo(false, {
    title: { en: 'Link people of the same name', de: 'Gleichnamige Personen verbinden' },
    hint: {
      en: 'At the first login, a person gets the account with the same user name, unless an administrator’s. Only if the names are the same people.',
      de: 'Bei der ersten Anmeldung erhält eine Person das Konto mit demselben Benutzernamen, außer das eines Administrators. Nur wenn gleiche Namen dieselben Personen sind.',
    },
  }),
  'oidc.session_hours': a.number(a.whole(1, 2160), 12, {
    title: {
      en: 'Hours until the provider is asked again',
      de: 'Stunden bis zur erneuten Anmeldung',
    },
    hint: {
      en: 'Then the browser goes back to the provider, unseen while one is logged in there. Who is disabled there or has left the group is locked out by then.',
      de: 'Danach geht der Browser zum Anbieter zurück, unbemerkt, solange man dort angemeldet ist. Wer dort gesperrt ist oder die Gruppe verlassen hat, ist spätestens dann ausgesperrt.',
    },
  }),
  'auth.local_login': a.choice('all', {
    title: { en: 'Login with a password', de: 'Anmeldung mit Passwort' },
    hint: {
      en: 'Who may, where there is single sign-on. An administrator can always get in with `mitschrift users reset-password` on the server.',
      de: 'Wer das darf, wenn es Single Sign-on gibt. Mit `mitschrift users reset-password` auf dem Server kommt ein Administrator immer hinein.',
    },
    choices: {
      all: { en: 'Everyone', de: 'Alle' },
      administrators: { en: 'Administrators only', de: 'Nur Administratoren' },
      none: { en: 'Nobody', de: 'Niemand' },
    },
  }),
} as const;
