import { params } from '@nanostores/i18n';
import { i18n } from '../../words/i18n.ts';

const english = {
  title: 'Account',
  loggedInAs: params('Logged in as {name}.'),
  isAdministrator: 'You are an administrator.',
  language: 'Language',
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
  on: 'On',
  off: 'Off',
  voices: 'Known voices',
  voicesHint: 'Used to suggest names. You can rename or delete each voice.',
  toVoices: 'Manage voices',
  password: 'Password',
  passwordHint: 'You will be logged out everywhere else. A recording in progress continues.',
  currentPassword: 'Current password',
  changePassword: 'Change password',
  passwordChanged: 'Password changed. You have been logged out everywhere else.',
  passwordKept: 'Your password was not changed.',
  notesFolder: 'Notes folder',
  notesFolderHint:
    'Each note is copied into this folder on the server when it is saved. Notes that you changed there are kept.',
  notesFolderNone: 'You have no notes folder. Ask your administrator to set one up.',
  notesFolderSave: 'Save',
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
  otherProgram: 'Other program',
  thisOne: 'here',
  since: params('since {time}'),
  lastUsed: params('last used {time}'),
  end: 'Log out',
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
  forgetText:
    'You’ll be logged out, and everything that Mitschrift keeps in this browser will be deleted. Your notes on the server are kept.',
  forgetNow: 'Log out and delete',
  cancel: 'Cancel',
};

export type English = typeof english;
export const words = i18n('account', english);
