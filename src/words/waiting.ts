import { says, sayingsOf } from './sentences.ts';

/** What a recording waits for. */
export const waitingWords = {
  'speech-recognition': says({}, { detail: 'speech recognition' }),
  'speaker-recognition': says({}, { detail: 'speaker recognition' }),
  'language-model': says({}, { detail: 'the language model' }),
  documents: says({}, { detail: 'other documents' }),
  'continued-note': says({}, { detail: 'the note that it continues' }),
  saving: says({}, { detail: 'the server to save' }),
  'disk-space': says({}, { detail: 'free disk space' }),
  files: says({}, { detail: 'the server’s file storage' }),
  'recording-alone': says({}, { detail: 'a recording that has to be processed alone' }),
  'all-others': says({}, { detail: 'all other recordings, because this one is processed alone' }),
  'next-attempt': says(
    { attempt: 'integer', limit: 'integer', at: 'time?' },
    { detail: 'attempt {attempt} of {limit}[, at {at}]' },
  ),
};

/** What a recording waits for, with what varies in it. */
export const waitsFor = sayingsOf(waitingWords, 'waiting');
