import { says, sayingsOf } from './sentences.ts';

/** What is said of models: what each is, what it is used for, and why it is recommended. */
export const models = {
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

/** A sentence about a model. */
export const aboutModel = sayingsOf(models, 'model');
