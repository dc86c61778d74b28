import { says, sayingsOf } from './sentences.ts';

/** What a recording waits for. */
export const waitingWords = {
  'speech-recognition': says('speech recognition'),
  'speaker-recognition': says('speaker recognition'),
  'language-model': says('the language model'),
  documents: says('other documents'),
  'continued-note': says('the note that it continues'),
  'replacing-note': says('the note that replaces it'),
  saving: says('the server to save'),
  'disk-space': says('free disk space'),
  files: says('the server’s file storage'),
  'recording-alone': says('a recording that has to be processed alone'),
  'all-others': says('all other recordings, because this one is processed alone'),
  'next-attempt': says(
    { attempt: 'integer', limit: 'integer', at: 'time?' },
    'attempt {attempt} of {limit}[, at {at}]',
  ),
};

/** What a recording waits for, with what varies in it. */
export const waitsFor = sayingsOf(waitingWords, 'waiting');
