import * as a from './setting.ts';

/** Passwords and sessions. Spread into `settingSchemas`. */
export const loginSettings = {
  'auth.password_hash': a.choice('argon2id', {
    title: { en: 'Password hashing', de: 'Passwort-Hashing' },
    hint: {
      en: 'The method used to store new passwords.',
      de: 'Das Verfahren, mit dem neue Passwörter gespeichert werden.',
    },
    choices: { argon2id: a.same('Argon2id'), pbkdf2: a.same('PBKDF2') },
  }),
  'auth.session_hours': a.number(a.whole(1, 87_600), 336, {
    title: { en: 'Session length', de: 'Sitzungsdauer' },
    hint: {
      en: 'Hours after the last use until a person is logged out.',
      de: 'Stunden nach der letzten Verwendung, bis eine Person abgemeldet wird.',
    },
  }),
  'auth.totp': a.choice('optional', {
    title: { en: 'Two-step login', de: 'Anmeldung in zwei Schritten' },
    hint: {
      en: 'Who needs a code from an app besides the password. Everyone else may use it.',
      de: 'Wer außer dem Passwort einen Code aus einer App braucht. Alle anderen können ihn nutzen.',
    },
    choices: {
      optional: { en: 'Nobody has to', de: 'Niemand muss' },
      administrators: { en: 'Administrators must', de: 'Administratoren müssen' },
      everybody: { en: 'Everybody must', de: 'Alle müssen' },
    },
  }),
} as const;
