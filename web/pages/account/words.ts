import { params } from '@nanostores/i18n';
import { wordsFor } from '../../components/words.ts';

const english = {
  title: 'Account',
  loggedInAs: params('Logged in as {name}.'),
  isAdministrator: 'You are an administrator.',
  languageHint:
    'The language of the user interface. Transcript, summary and title of a note are in the language that was spoken; headings and labels are in the language that an administrator sets for documents.',
  asBrowser: 'Same as browser',
  appearance: 'Appearance',
  inThisBrowser: 'Saved in this browser only.',
  asSystem: 'Same as system',
  light: 'Light',
  dark: 'Dark',
  keys: 'Single-key shortcuts',
  keysHint:
    'For example, R starts a recording, G then N opens your notes, and ? shows all shortcuts. They don’t work while you type in a field. Turn them off if you use voice input or another program that types for you.',
  voices: 'Known voices',
  voicesHint: 'Used to suggest names. You can rename or delete each voice.',
  toVoices: 'Manage voices',
  passwordHint: 'You will be logged out everywhere else. A recording in progress continues.',
  currentPassword: 'Current password',
  changePassword: 'Change password',
  passwordChanged: 'Password changed. You have been logged out everywhere else.',
  passwordKept: 'Your password was not changed.',
  notesFolderHint:
    'Each note is copied into this folder on the server when it is saved. Notes that you changed there are kept.',
  notesFolderNone: 'You have no notes folder. Ask your administrator to set one up.',
  notesFolderRemove: 'Stop copying',
  notesFolderSaved: 'Notes folder saved. Your notes are being copied.',
  notesFolderRemoved: 'Copying stopped. The copies in the folder were kept.',
  notesFolderFault: 'Nothing can be copied into this folder at the moment.',
  ownData: 'Your data',
  ownDataHint:
    'One zip file with everything you have: all notes with their audio, folders, tags, rules, templates, retention periods and your account. Other programs can read the files.',
  ownDataAsk: 'Download everything',
  ownDataBegun: 'The download has started.',
  twoStep: 'Two-step login',
  twoStepHint: 'After the password, a code from an app on your phone.',
  twoStepSince: params('since {day} · {left} of 10 recovery codes left'),
  twoStepOff: 'Two-step login is off.',
  renewAsk: 'New recovery codes…',
  renew: 'Create new codes',
  renewMeans: 'You get ten new recovery codes. The old ones stop working.',
  setUp: 'Set up…',
  switchOffAsk: 'Switch off…',
  switchOff: 'Switch off',
  sessions: 'Where you are logged in',
  sessionsHint: 'If you don’t recognise a session, log it out and change your password.',
  logInProgram: 'Log in a program…',
  logInProgramHint: 'For mitschrift record on another computer, even if you have no password here.',
  codeForProgram: 'Code for a program',
  codeOnce: params(
    'The code is shown only this once, works once and expires at {time}. Whoever has the code can log in as you.',
  ),
  codeCommand: 'On the other computer, run this command and enter the code:',
  copyCode: 'Copy code',
  otherProgram: 'Other program',
  thisOne: 'here',
  since: params('since {time}'),
  lastUsed: params('last used {time}'),
  ended: 'Session logged out.',
  forget: 'This browser',
  forgetHint:
    'On a computer that others use, log out here and delete what this browser keeps: audio that isn’t saved yet, drafts, names of unfinished uploads and settings of these pages.',
  forgetLater: 'This browser is recording. Stop the recording first.',
  forgetAsk: 'Delete data in this browser…',
  forgetTitle: 'Delete data in this browser?',
  forgetUnsaved: params(
    'Audio in this browser ({time}) isn’t saved on the server yet. It will be lost.',
  ),
  forgetUnknown:
    'Mitschrift can’t check whether this browser still keeps audio that isn’t saved on the server. That audio would be lost.',
  forgetText:
    'You’ll be logged out, and everything that Mitschrift keeps in this browser will be deleted. Your notes on the server are kept.',
  forgetNow: 'Log out and delete',
  signOn: 'Single sign-on',
  signOnHint: params(
    'Log in with your {provider} account. Your notes and name here stay the same.',
  ),
  notLinked: 'not linked',
  isLinked: 'linked',
  linkedAs: params('as {name}'),
  linkAsk: params('Link {provider} account…'),
  unlinkAsk: 'Unlink…',
  unlink: 'Unlink',
  unlinked: 'Account unlinked.',
  onlyProvider:
    'You have no password here. To unlink, ask an administrator for a link to choose one.',
  onlySignOn:
    'Passwords are switched off here for your account: without the link you could no longer log in.',
};

export type English = typeof english;
export const words = wordsFor('account', english);
