import { says } from './sentences.ts';

/** What a recording waits for. */
export const waitingWords = {
  'speech-recognition': says({}, { detail: 'speech recognition' }),
  'speaker-recognition': says({}, { detail: 'speaker recognition' }),
  'language-model': says({}, { detail: 'the language model' }),
  documents: says({}, { detail: 'other documents' }),
  saving: says({}, { detail: 'the server to save' }),
  'disk-space': says({}, { detail: 'free disk space' }),
  files: says({}, { detail: 'the server’s file storage' }),
  'speech-server-silent': says(
    {},
    { detail: 'the speech recognition server (no answer at the moment)' },
  ),
};
