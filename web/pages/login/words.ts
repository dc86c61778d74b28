import { i18n } from '../../words/i18n.ts';

const english = {
  title: 'Log in',
  name: 'Name',
  password: 'Password',
  logIn: 'Log in',
  wrong: 'That name and password do not fit together.',
  wrongHint: 'Capital letters count. After 10 tries a minute there is a short wait.',
  expired: 'Your session has ended.',
  expiredHint: 'A recording that runs goes on. After logging in you are back where you were.',
  wait: 'Too many tries.',
  forgotten: 'Forgotten? An administrator sets a new one, or on the machine itself:',
};

export type English = typeof english;
export const words = i18n('login', english);
