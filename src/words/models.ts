import { says, sayingsOf } from './sentences.ts';

/** What each model is, what it is used for, and why it is recommended. */
const about = {
  'about-parakeet-tdt-0-6b-v3': says(
    'European languages, with punctuation and a time for every word. The best choice for computers without a graphics card.',
  ),
  'about-sense-voice': says('Also understands Cantonese.'),
  'about-whisper-turbo': says(
    'A time for every sentence only. The most accurate of the Whisper models, and the one that needs the most memory.',
  ),
  'about-whisper-small': says(
    'A time for every sentence only. A middle way between size and accuracy.',
  ),
  'about-whisper-base': says('A time for every sentence only. Less accurate, for small computers.'),
  'about-whisper-tiny': says(
    'A time for every sentence only. The smallest and least accurate of the Whisper models.',
  ),
  'about-moonshine-base-en': says('For small computers. No times for single words.'),
  'about-moonshine-tiny-en': says('For very small computers. No times for single words.'),
  'about-streaming-zipformer-en': says(
    'Shows English words half a second after they are said. Another model makes the final transcript.',
  ),
  'about-streaming-zipformer-en-20m': says('The same for small computers, less accurate.'),
  'about-silero-vad': says(
    'Detects when someone is speaking, more accurately than the built-in detection.',
  ),
  'about-pyannote-segmentation-3': says(
    'Detects when the speaker changes. Needs a voice model too (TitaNet small is installed with it).',
  ),
  'about-titanet-small': says('Distinguishes voices. Trained on English.'),
  'about-3dspeaker-eres2net-base': says('Distinguishes voices. Trained on Chinese.'),
  'about-punctuation-en': says(
    'Adds punctuation and capitals to English text if speech recognition adds none and there is no language model.',
  ),
  'used-for-speech': says('Transcribes recordings.'),
  'used-for-speech-chosen': says(
    'Transcribes recordings (chosen in the settings, `stt.local_model`).',
  ),
  'used-for-interim': says('Shows words while they are being said.'),
  'used-for-detection': says('Detects when someone is speaking.'),
  'used-for-speakers': says('Separates the speakers of meetings.'),
  'used-for-punctuation': says('Adds punctuation if there is no language model.'),
  'language-one': says({ language: 'language' }, 'Supports {language}.'),
  'language-and-others': says(
    { language: 'language', count: 'integer' },
    {
      detail: {
        one: 'Supports {language} and {count} other language.',
        other: 'Supports {language} and {count} other languages.',
      },
    },
  ),
  'computer-fits': says(
    { memory: 'bytes', count: 'integer', needed: 'bytes' },
    {
      detail: {
        one: 'This server has {memory} of memory and {count} core; the model needs {needed} of memory.',
        other:
          'This server has {memory} of memory and {count} cores; the model needs {needed} of memory.',
      },
    },
  ),
  recommendation: says({ languages: 'sentence?', fits: 'sentence' }, '[{languages} ]{fits}'),
};

/** Why a model could not be installed. */
const failuresToInstall = {
  'no-space-for-model': says(
    { needed: 'bytes?', free: 'bytes?' },
    'There isn’t enough disk space for the model[ ({needed} needed, {free} free)]. Free up space, or set MITSCHRIFT_MODELS to a folder on another disk, then install it again.',
  ),
  'download-failed': says(
    { causes: 'sentences', kept: 'bytes?' },
    'The model could not be downloaded ({causes}).[ The {kept} already downloaded are kept.] Install the model again.',
  ),
  /** One of the causes: where, and why. */
  'source-failed': says({ place: 'place', cause: 'sentence' }, '{place}: {cause}'),
  'companion-not-installed': says(
    { companion: 'text' },
    'The model {companion}, which is also needed, could not be installed.',
  ),
  'already-installing': says(
    { process: 'text', lock: 'text' },
    'Another process ({process}) is already installing this model. Wait for it, or end it. ({lock})',
  ),
  'mirror-missing': says(
    { path: 'place' },
    '{path} doesn’t exist (Download source for models, `models.mirror`)',
  ),
  'checksum-differs': says(
    { file: 'place', from: ['publisher', 'earlier'], id: 'text' },
    {
      detail:
        'The model was not installed: the file {file} was altered or damaged on the way. It differs from {from}.',
      choices: {
        from: {
          publisher: 'the publisher’s',
          earlier:
            'the one installed here before. If the publisher has released a new one, delete .checksums/{id}.json next to the models',
        },
      },
    },
  ),
  'model-file-missing': says(
    { file: 'place' },
    'The model was not installed: the download doesn’t contain the file {file}.',
  ),
  'archive-unusable': says(
    { archive: 'text?', cause: 'sentence' },
    'The archive[ {archive}] can’t be unpacked: {cause}. Install the model again.',
  ),
  'bzip2-missing': says(
    'The model can’t be unpacked because bzip2 isn’t installed: `apt-get install bzip2`.',
  ),
  'model-test-failed': says(
    { cause: 'sentence' },
    'The model was not installed because it failed the test: {cause}.',
  ),
  'import-missing': says({ path: 'place' }, '{path} doesn’t exist.'),
  'import-not-a-model': says(
    { name: 'text' },
    '{name} isn’t a model: it has no model.json, and its name isn’t one of the catalogue. Choose a downloaded file under its original name, or the folder of a model.',
  ),
  'import-several': says(
    { name: 'text', models: 'list' },
    '{name} contains several models: {models}. Import one after the other.',
  ),
  'model-json-wrong': says(
    { name: 'text', cause: 'said' },
    'model.json in {name} can’t be used: {cause}',
  ),
  'model-install-failed': says(
    'Installing the model failed because of an unexpected error. The log has the details.',
  ),
};

/** What failed at a server, in an archive or in a model's test. */
const causes = {
  'as-quoted': says({ text: 'said' }, '{text}'),
  'forbidden-address': says('the address is link-local or a metadata address'),
  'unsafe-redirect': says({ url: 'place' }, 'the server redirects to {url}, which is not safe'),
  'too-many-redirects': says({ most: 'integer' }, 'the server redirects more than {most} times'),
  'file-not-found': says('not found (404)'),
  'http-status': says({ status: 'text' }, 'HTTP {status}'),
  'name-unknown': says('the server name is unknown'),
  'no-dns': says('names can’t be resolved'),
  refused: says('the server refuses the connection'),
  unreachable: says('the server can’t be reached'),
  'no-answer': says('the server doesn’t respond'),
  'stopped-sending': says('the server stopped sending'),
  'too-slow': says('the server sends too slowly'),
  'connection-lost': says('the connection was lost'),
  'ended-too-soon': says('the connection ended too early'),
  'other-part': says('the server sent another part than requested'),
  'part-unnamed': says('the server doesn’t say which part it sent'),
  'too-many-files': says('too many files'),
  'files-too-large': says('files too large for a model'),
  'file-twice': says({ path: 'place' }, '{path} appears twice'),
  'too-much': says('more data than a model can have'),
  'bzip2-failed': says('bzip2 failed'),
  'package-missing': says('the package sherpa-onnx-node is missing: run `npm install` again'),
  'test-no-words': says('the model found no words in the sample'),
  'test-no-speech': says('the model found no speech in the sample'),
  'test-no-voice': says('the model found no voice in the sample'),
  'test-no-turns': says('the model found no speaker changes in the sample'),
  'test-other-words': says('the model changed the words of the sample'),
  'needs-voice-model': says('the model needs a voice model: install one first'),
};

const modelFailures = { ...failuresToInstall, ...causes };

/** What is said of models. */
export const models = { ...about, ...modelFailures };

/** A sentence about a model. */
export const aboutModel = sayingsOf(about, 'model');

/** Why a model could not be installed, with what varies in the sentence. */
export const modelFailure = sayingsOf(modelFailures, 'model');
