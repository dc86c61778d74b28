import { says, tellAdministrator } from './sentences.ts';

/** Why a recording is not transcribed, or its speakers not separated. */
export const failuresOfSpeech = {
  'no-speech-recognition': says({
    detail: 'No speech recognition is set up.',
    todo: 'The recording is transcribed as soon as a model or server is set up.',
    admin:
      'Install a model under Settings › Models, or set a speech recognition server (`stt.base_url`).',
  }),
  'speech-package-missing': says({
    detail: 'Speech recognition isn’t installed on this server.',
    todo: tellAdministrator.en,
    admin: 'The package sherpa-onnx-node is missing: run `npm install` again.',
  }),
  'speech-model-not-installed': says(
    { model: 'text' },
    {
      detail: 'The speech recognition model {model} isn’t installed.',
      todo: 'Choose another model, or ask an administrator to install it.',
    },
  ),
  'language-not-supported': says(
    { language: 'language', models: 'list' },
    {
      detail: 'No installed model supports {language}.',
      todo: 'Choose another language, or ask an administrator to install a model for it.',
      admin: 'Installed: {models}.',
    },
  ),
  'model-damaged': says(
    {
      found: 'integer?',
      expected: 'integer?',
      model: 'text',
      file: 'place',
      fault: ['missing', 'size', 'checksum', 'not-listed'],
    },
    {
      detail: 'The model {model} is damaged.',
      todo: 'An administrator must install it again.',
      admin: 'File {file}: {fault}.',
      choices: {
        fault: {
          missing: 'is missing',
          size: 'has {found} bytes instead of {expected}',
          checksum: 'has another checksum',
          'not-listed': 'is not on the model’s list',
        },
      },
    },
  ),
  'speech-crashed': says(
    { signal: 'text?', exit: 'text?' },
    {
      detail: 'Speech recognition on the server ended unexpectedly.',
      todo: 'Try again. If it happens again, the server may have too little memory.',
      admin: '[Signal {signal}.][Exit code {exit}.]',
    },
  ),
  'speech-not-started': says(
    { cause: 'text' },
    {
      detail: 'Speech recognition on the server could not be started.',
      todo: 'Try again, or tell an administrator.',
      admin: '{cause}',
    },
  ),
  'speech-failed': says(
    { cause: 'text' },
    {
      detail: 'Speech recognition on the server reported an error.',
      todo: 'Try again, or tell an administrator.',
      admin: '{cause}',
    },
  ),
  'speech-stalled': says({
    detail: 'Speech recognition on the server stopped responding.',
    todo: 'Try again.',
  }),
  'model-not-choosable': says(
    { model: 'text' },
    {
      detail:
        'The model {model} was chosen, but the speech recognition server offers no choice of models.',
      todo: 'Transcribe again without choosing a model.',
    },
  ),
  'speech-server-gave-up': says(
    { server: 'place', waited: 'minutes' },
    {
      detail: 'The speech recognition server could not be reached for {waited}.',
      todo: 'Try again when it is running; Mitschrift also tries again when it responds.',
      admin: '{server}',
    },
  ),
  'speech-server-lost': says(
    { server: 'place' },
    {
      detail: 'The speech recognition server went offline during transcription.',
      todo: 'Mitschrift tries again.',
      admin: '{server}',
    },
  ),
  'speech-server-stalled': says(
    { server: 'place', limit: 'minutes' },
    {
      detail: 'The speech recognition server gave no answer within {limit}.',
      todo: 'Try again, or tell an administrator.',
      admin: '{server}',
    },
  ),
  'speech-server-silent': says(
    { server: 'place' },
    {
      detail: 'The speech recognition server doesn’t respond; it may be busy.',
      todo: 'Mitschrift keeps trying.',
      admin: '{server}',
    },
  ),
  'speech-server-loading': says(
    { server: 'place' },
    {
      detail: 'The speech recognition server is loading its model, or couldn’t load it.',
      todo: 'Mitschrift keeps trying.',
      admin: '{server}',
    },
  ),
  'speech-server-not-found': says(
    { server: 'place', said: 'said?' },
    {
      detail: 'The speech recognition server doesn’t know the address or the model.',
      todo: tellAdministrator.en,
      admin:
        'Check address, protocol and model (`stt.base_url`, `stt.backend`, `stt.model`). {server}[. It says: “{said}”]',
    },
  ),
  'speech-server-web-page': says(
    { server: 'place' },
    {
      detail: 'The speech recognition server answered with a web page instead of a transcript.',
      todo: tellAdministrator.en,
      admin: 'Check the address (`stt.base_url`). {server}',
    },
  ),
  'speech-server-too-large': says(
    { server: 'place', least: 'seconds?' },
    {
      detail:
        'The speech recognition server rejects the audio as too large[, even in pieces of {least}].',
      todo: tellAdministrator.en,
      admin: 'A proxy in front of it may limit uploads. {server}',
    },
  ),
  'speech-answer-unreadable': says(
    {
      limit: 'bytes?',
      server: 'place',
      fault: ['no-text', 'not-an-object', 'broke-off', 'not-a-transcript', 'too-large'],
    },
    {
      detail: 'The answer of the speech recognition server can’t be read.',
      todo: 'Try again.',
      admin: '{server}: {fault}',
      choices: {
        fault: {
          'no-text': 'it contains no text',
          'not-an-object': 'it is not an object',
          'broke-off': 'it broke off',
          'not-a-transcript': 'it is not a transcript',
          'too-large': 'it is larger than {limit}',
        },
      },
    },
  ),
  'no-speaker-model': says({
    detail: 'No model for speaker recognition is installed.',
    todo: 'Ask an administrator to install one, then process the recording again.',
    admin:
      'Settings › Models: install “Pyannote segmentation 3.0” (`npx mitschrift models install pyannote-segmentation-3`).',
  }),
  'no-names-answered': says('The language model answered without a list of names.'),
};
