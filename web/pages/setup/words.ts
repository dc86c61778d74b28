import { count, params } from '@nanostores/i18n';
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
  nameHint: '2 to 32 letters, digits or @ . + - _. It cannot be changed later.',
  password: 'Password',
  code: 'Setup code',
  codeHint:
    'You open this page from another machine, so the service asks for the code that it wrote into its log and into the file setup-code.',
  codeFault:
    'The service does not know this code. The right link is in its log: it is printed at each start.',
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
  notSaved: 'This could not be saved. What you typed is still here.',

  speechQuestion: 'What turns speech into text?',
  speechLede:
    'On this machine, nothing leaves it. A server may be faster. You can change this at any time.',
  server: 'A server',
  serverKinds: 'Any OpenAI-compatible address, whisper.cpp, or WhisperX',
  languages: count({ one: '{count} language', many: '{count} languages' }),
  wants: params('wants {size} GB of memory'),
  installed: 'installed',
  fits: 'fits this machine',
  moreModels: count({ one: 'Show {count} more model', many: 'Show {count} more models' }),
  tellApart: 'Tell speakers apart in meetings',
  tellApartHint: params('{size} MB more, by which meetings are written with who said what'),
  onItsWay: params('{title} is on its way'),
  onThisMachine: params('{title}, on this machine'),
  goesOn: 'You can go on; it continues by itself, also after a restart.',
  notDownloaded: params('{titles} could not be downloaded.'),
  nothingTranscribed:
    'Until a model or a server is there, recordings are kept and not transcribed.',
  downloadHelp: 'What has arrived is kept. What you can do:',
  downloadInternet:
    'Check that the computer that runs Mitschrift has internet access, then try again.',
  downloadMirror:
    'Without internet access: copy the files to an address or a folder that this computer can reach, and set',
  mirrorSetting: 'models.mirror',
  downloadFile: 'Or bring a model on a drive, and run this with its folder or archive:',
  downloadSaid: 'What went wrong',
  chooseOther: 'Choose another model or a server',
  cancel: 'Cancel',
  address: 'Address of the server',
  protocol: 'Protocol',
  compat: 'OpenAI-compatible',
  native: 'whisper.cpp',
  asr: 'whisper-asr-webservice, WhisperX',
  modelOfServer: 'Model of the server',
  modelOfServerHint: 'Empty: the one it has.',
  key: 'Key',
  keyHint: 'For servers that ask for one. It is stored apart and never shown again.',

  summariesQuestion: 'Who writes titles and summaries?',
  summariesLede:
    'A language model, if you have one. Without it everything still works: the summary is then made of the most telling sentences, and the title is taken from them.',
  llmHint: 'OpenAI-compatible: Ollama, llama.cpp, LM Studio, vLLM or a paid one.',
  model: 'Model',
  modelHint: 'Its first one if empty. The test lists what there is.',
  isHere: 'This address is on this machine.',
  isHereHint: 'Transcripts are sent there to be summarised, and nowhere else.',
  isElsewhere: 'This address is on another machine.',
  isElsewhereHint: params('Transcripts are sent to {host} to be summarised, and nowhere else.'),

  microphoneQuestion: 'Which microphone?',
  microphoneLede:
    'Say something: the line should move while you speak and lie still when you do not.',
  recordFrom: 'Record from',
  usual: 'Default input',
  usualDevice: params('Default input ({device})'),
  noMicrophone: 'The machine that runs Mitschrift has no microphone that works.',
  noMicrophoneHint:
    'That is no obstacle: files can be uploaded, and the microphone of a browser can be recorded.',
  forCalls: 'For calls, under Settings:',
  together: 'microphone and speakers together',

  folderQuestion: 'Where are your notes?',
  folderLede:
    'Every recording becomes three Markdown files. Name the folder of your notes application, and one press opens them there, with links that work.',
  folder: 'Folder on the machine that runs Mitschrift',
  folderHint: 'From the root, such as /home/ada/Documents/Vault.',
  folderFault: 'This is no path from the root, such as /home/ada/Documents/Vault.',
  folderNotThere:
    'There is no folder that the service may write into. Make it, or name another. Notes can be written without it: this only concerns opening them in the notes application.',

  firstQuestion: 'Now say a sentence.',
  firstLede: 'Press Record, speak, press Stop. A moment later your first note is here.',
  firstWrites: 'Writes what was said…',
  firstDone: 'Your first note is here.',
  firstFailed: 'The recording could not be written up.',
  firstKept: 'Its sound is kept. Mend this under an earlier step, then try again from your notes.',
  firstSilent: 'Nothing was heard. The microphone may be muted.',
  openFirst: 'Open your first note',
  notDone: 'not done yet;',
  skippedLater: 'skipped; later under Settings, or',
  doNow: 'now',
};

export type English = typeof english;
export const words = i18n('setup', english);
