import { params } from '@nanostores/i18n';
import { wordsFor } from '../../components/words.ts';

const english = {
  name: 'User name',
  wrong: 'Wrong user name or password.',
  wrongHint:
    'Check upper and lower case. After 10 attempts in a minute, you have to wait a moment.',
  expired: 'Your session has expired.',
  expiredHint: 'A recording in progress continues. After you log in, you are back where you were.',
  left: 'You logged out in another tab.',
  leftHint: 'After you log in, you are back where you were.',
  wait: 'Too many attempts.',
  forgotten: 'Forgotten your password? An administrator can send you a link to choose a new one.',
  welcome: 'Welcome to Mitschrift',
  invitedBy: params(
    '{name} invites you to Mitschrift. Choose a user name and a password. Your notes belong to you alone.',
  ),
  invited:
    'You are invited to Mitschrift. Choose a user name and a password. Your notes belong to you alone.',
  invitedHereBy: params('{name} invites you to Mitschrift. Your notes belong to you alone.'),
  invitedHere: 'You are invited to Mitschrift. Your notes belong to you alone.',
  continueWith: params('Continue with {provider}'),
  continueHint: 'You log in with the account you have there, and need no password here.',
  userName: 'User name',
  nameHint: '2 to 32 letters, digits or @ . + - _. It can’t be changed later.',
  nameTaken: 'This user name, or one that looks like it, is already taken.',
  createAccount: 'Create account',
  invitationOver: 'This invitation is no longer valid.',
  invitationOverHint:
    'The invitation was used, has expired or was withdrawn. If you have already chosen a user name, log in. Otherwise, ask the person who invited you for a new one.',
  newPasswordTitle: 'Choose a new password',
  newPasswordFor: params('For the account {name}. You will be logged out everywhere else.'),
  linkOver: 'This link is no longer valid.',
  linkOverHint:
    'The link was used, has expired or was withdrawn. Ask an administrator for a new one.',
  choosePassword: 'Choose your own password',
  setByAnother: 'Someone else set your current password. Choose your own to continue.',
  notTheGiven: 'At least 8 characters, and not your current password.',
  givenPassword: 'Current password',
  saveAndContinue: 'Save and continue',
  logInWith: params('Log in with {provider}'),
  inAnotherTab: 'Opens in another tab, because this one is recording. The recording continues.',
  or: 'or',
  withPassword: 'Log in with a password',
  loggingIn: 'Logging in…',
  trialOver: 'The trial login is done.',
  trialOverHint: 'The result is in the tab with the settings. You can close this one.',
  linked: 'Account linked.',
  flowOver: 'The login took too long or was started in another browser.',
  flowOverHint: 'Nothing is wrong with your account. Start again.',
};

export type English = typeof english;
export const words = wordsFor('login', english);
