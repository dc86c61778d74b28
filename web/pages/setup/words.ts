import { params } from '@nanostores/i18n';
import { i18n } from '../../words/i18n.ts';

const english = {
  title: 'Set up',
  steps: 'Steps',
  administrator: 'Administrator',
  speech: 'Speech',
  summaries: 'Summaries',
  microphone: 'Microphone',
  notesFolder: 'Notes folder',
  first: 'First recording',
  doneStep: 'done',
  skippedStep: 'skipped',
  goOn: 'Continue',
  skip: 'Skip',

  adminQuestion: 'Who looks after this Mitschrift?',
  adminLede:
    'The first person is its administrator. Everybody added later has their own notes, which nobody else sees here.',
  yourName: 'Your name',
  nameHint: '2 to 32 letters or digits. It cannot be changed later.',
  password: 'Password',
  code: 'Setup code',
  codeHint:
    'You open this page from another machine, so the service asks for the code that it wrote into its log and into the file setup-code.',
  codeFault:
    'The service does not know this code. It is in its log, and on its machine “mitschrift setup-link” prints a new link.',
  create: 'Create the administrator',
  created: params('{name} looks after this Mitschrift.'),
  createdHint: 'That is done and stays. Further people are added under Settings.',
  alreadySetUp: 'This Mitschrift is set up already.',
  alreadySetUpHint: 'Log in with a name that its administrator gave you.',
  onlyAdministrators: 'Setting up is for administrators.',
  onlyAdministratorsHint: 'Everything needed for recording is there.',
  logIn: 'Log in',
  toNotes: 'To my notes',
  refused: 'The administrator could not be created.',
};

export type English = typeof english;
export const words = i18n('setup', english);
