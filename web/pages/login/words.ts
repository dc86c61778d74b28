import { params } from '@nanostores/i18n';
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
  left: 'You logged out in another tab.',
  leftHint: 'After logging in you are back where you were.',
  wait: 'Too many tries.',
  forgotten: 'Forgotten? An administrator can send you a link for a new password.',
  welcome: 'Welcome to Mitschrift',
  invitedBy: params(
    '{name} invites you. Choose a user name and a password; then your notes are yours alone until you share them.',
  ),
  invited:
    'You are invited. Choose a user name and a password; then your notes are yours alone until you share them.',
  userName: 'User name',
  nameHint: '2 to 32 letters, digits or @ . + - _. It can’t be changed later.',
  nameTaken: 'There is a person of that name, or of one that looks like it.',
  createAccount: 'Create account',
  invitationOver: 'This invitation is no longer valid.',
  invitationOverHint:
    'It was used, has ended or was withdrawn. Ask whoever invited you for a new one.',
  newPasswordTitle: 'Choose a new password',
  newPasswordFor: params('For the account {name}. Then you’re logged out everywhere else.'),
  linkOver: 'This link is no longer valid.',
  linkOverHint: 'It was used, has ended or was withdrawn. Ask an administrator for a new one.',
  choosePassword: 'Choose your own password',
  setByAnother: 'The one you used was set by somebody else. Nothing else opens until it’s changed.',
  notTheGiven: 'At least 8 characters, and not the one you were given.',
  givenPassword: 'The password you were given',
  saveAndContinue: 'Save and continue',
  logOut: 'Log out',
};

export type English = typeof english;
export const words = i18n('login', english);
