import { count, params } from '@nanostores/i18n';
import { wordsFor } from '../../components/words.ts';

const english = {
  title: 'Set up',
  steps: 'Steps',
  administrator: 'Administrator',
  speech: 'Speech recognition',
  summaries: 'Summaries',
  microphone: 'Microphone',
  first: 'First recording',
  doneStep: 'done',
  skippedStep: 'skipped',
  skip: 'Skip',

  adminQuestion: 'Administrator account',
  adminLede:
    'The first person is the administrator. Everyone added later has their own notes, which others see only where their owner shares them.',
  yourName: 'User name',
  nameHint: '2 to 32 letters, digits or @ . + - _. It can’t be changed later.',
  code: 'Setup code',
  codeHint:
    'Required because this page was opened from another computer or account. The code is in the log of the Mitschrift server and in the file setup-code.',
  codeFault:
    'This setup code is not valid. It is in the log of the Mitschrift server. To get a new link, run “mitschrift setup-link” on the server.',
  create: 'Create administrator',
  created: params('Administrator account created: {name}.'),
  createdHint: 'This step is complete. You can add more people later in the settings.',
  onlyAdministrators: 'Only administrators can set up Mitschrift.',
  onlyAdministratorsHint: 'Everything you need for recording is ready.',
  refused: 'The administrator account could not be created.',
  notSaved: 'This could not be saved. What you entered is still here.',

  speechQuestion: 'Where should recordings be transcribed?',
  speechLede:
    'With a model on this server, no audio leaves it. A separate server may be faster. You can change this at any time.',
  server: 'Separate server',
  serverKinds: 'Any OpenAI-compatible address, whisper.cpp or WhisperX',
  installed: 'installed',
  fits: 'recommended',
  moreModels: count({ one: 'Show {count} more model', many: 'Show {count} more models' }),
  tellApart: 'Separate speakers in meetings',
  tellApartHint: params('{size} MB more; notes of meetings then show who said what'),
  onItsWay: params('{title} is being downloaded'),
  onThisMachine: params('{title}, on this server'),
  goesOn: 'You can continue. The download runs in the background, even after a restart.',
  notDownloaded: params('{titles} could not be downloaded.'),
  nothingTranscribed: 'Recordings are saved and transcribed once a model or a server is set up.',
  downloadHelp: 'What you can do:',
  downloadInternet: 'Check that the server has internet access, then try again.',
  downloadMirror:
    'Without internet access: copy the files to an address or a folder that the server can reach, and enter that source in the settings:',
  mirrorSetting: 'Speech recognition, “Download source for models”',
  downloadSaid: 'Error details',
  chooseOther: 'Choose another model or a server',
  address: 'Server address',
  protocol: 'Protocol',
  compat: 'OpenAI-compatible',
  native: 'whisper.cpp',
  asr: 'whisper-asr-webservice, WhisperX',
  modelOfServer: 'Model on the server',
  modelOfServerHint: 'If empty, the model that the server already uses.',
  key: 'API key',
  keyHint: 'Only if the server requires one. It is stored separately and never shown again.',

  summariesQuestion: 'How should titles and summaries be written?',
  summariesLede:
    'With a language model, if you have one. Without it everything still works: the summary then consists of the most important sentences, and the title is taken from the transcript or the name of the file.',
  llmHint: 'OpenAI-compatible: Ollama, llama.cpp, LM Studio, vLLM or a paid service.',
  model: 'Model',
  modelHint: 'If empty, the first one on the server. The test lists the available models.',
  isHere: 'This address is on the Mitschrift server.',
  isHereHint: 'Transcripts are sent there to be summarised, and nowhere else.',
  isElsewhere: 'This address is on another computer.',
  isElsewhereHint: params('Transcripts are sent to {host} to be summarised, and nowhere else.'),

  microphoneQuestion: 'Which microphone?',
  microphoneLede:
    'Say something. The line should move while you speak and stay flat when you don’t.',
  recordFrom: 'Record from',
  usual: 'Default device',
  usualDevice: params('Default device ({device})'),
  noMicrophone: 'The Mitschrift server has no working microphone.',
  noMicrophoneHint: 'You can still upload files, and record with the microphone of your browser.',
  microphoneSkipped: 'If you skip this step, recordings on the server use its default device.',
  microphoneLater: 'You can choose a microphone at any time under Settings › Recording.',
  forCalls: 'For calls, the settings offer:',
  together: 'microphone and speakers together',

  folderQuestion: 'Where should your notes be copied?',
  folderLede:
    'Every recording becomes three Markdown files. Enter the folder of your notes app (vault): each note is copied there when it is saved, with working links. You can change the folder in your account.',

  firstQuestion: 'Now say a sentence.',
  firstLede: 'Press Record, speak, then stop. A moment later, your first note appears here.',
  firstWrites: 'Creating your note…',
  firstDone: 'Your first note is ready.',
  firstFailed: 'The recording could not be processed.',
  firstKept:
    'The audio is saved. Fix the problem in an earlier step, then try again from your notes.',
  firstSilent: 'No speech was found. The microphone may be muted.',
  openFirst: 'Open your first note',
  notDone: 'not done yet',
  skippedLater: 'skipped',
  skippedForBrowser: 'skipped: you record with your browser’s microphone',
  skippedMicrophone: 'skipped: recordings use the default device, or your browser’s microphone',
  doNow: 'Set up',
};

export type English = typeof english;
export const words = wordsFor('setup', english);
