import { params } from '@nanostores/i18n';
import { i18n } from '../../words/i18n.ts';

const english = {
  title: 'Account',
  loggedInAs: params('Logged in as {name}.'),
  isAdministrator: 'You look after this Mitschrift.',
  language: 'Language',
  languageHint: 'Of these pages. Documents are written in the language that was spoken.',
  asBrowser: 'as the browser',
  appearance: 'Appearance',
  inThisBrowser: 'Kept in this browser.',
  asSystem: 'as the system',
  light: 'light',
  dark: 'dark',
  keys: 'Single-letter keys',
  keysHint:
    'R records, G and N goes to the notes, ? shows them all. Never in a field. Switch them off where speech or another program types for you.',
  on: 'On',
  off: 'Off',
  voices: 'Known voices',
  voicesHint: 'By which names are suggested. Each can be heard, renamed and forgotten.',
  toVoices: 'To the voices',
  password: 'Password',
  passwordHint: 'Your other sessions end with it. A recording that runs goes on.',
  currentPassword: 'Password until now',
  changePassword: 'Change the password',
  passwordChanged: 'The new password holds. Your other sessions have ended.',
  passwordKept: 'The password until now still holds.',
  notesFolder: 'Notes folder',
  notesFolderHint:
    'Each note is copied into this folder on the server when it is saved. Notes that you changed there are kept.',
  notesFolderNone: 'You have no notes folder. Ask your administrator to set one up.',
  notesFolderPath: 'Folder',
  notesFolderExample: 'Full path, such as /home/ada/Documents/Vault.',
  notesFolderSave: 'Save',
  notesFolderRemove: 'Stop copying',
  notesFolderSaved: 'Notes folder saved. Your notes are being copied.',
  notesFolderRemoved: 'Copying stopped. The copies in the folder were kept.',
  notesFolderFault: 'Nothing can be copied into this folder at the moment.',
  sessions: 'Where you are logged in',
  sessionsHint: 'End what you do not know, and change your password.',
  otherProgram: 'Another program',
  thisOne: 'here',
  since: params('since {time}'),
  lastUsed: params('last used {time}'),
  end: 'End',
  ended: 'The session has ended.',
  forget: 'This browser',
  forgetHint:
    'On a computer that others use: removes audio that isn’t saved yet, drafts, names of unfinished uploads and settings of these pages.',
  forgetLater: 'This browser is recording. Stop the recording first.',
  forgetAsk: 'Forget this computer…',
  forgetTitle: 'Forget this computer?',
  forgetUnsaved: params(
    '{time} of audio in this browser aren’t saved on the server yet. They will be lost.',
  ),
  forgetText:
    'You’ll be logged out, and everything that Mitschrift keeps in this browser will be removed. Your notes on the server stay.',
  forgetNow: 'Log out and forget',
  cancel: 'Cancel',
};

export type English = typeof english;
export const words = i18n('account', english);
