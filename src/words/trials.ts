import { says } from './sentences.ts';

/** What came of trying a server. */
export const trials = {
  'language-none': says(
    {},
    {
      detail:
        'No language model server is set: the summary is taken from the transcript, the title from the transcript or the name of the file.',
    },
  ),
  'embeddings-none': says(
    {},
    { detail: 'No embedding server is set: notes are found by their words alone.' },
  ),
  'embeddings-ok': says(
    { model: 'text', dimensions: 'integer', time: 'seconds' },
    { detail: '{model} embedded a sentence in {time}, as {dimensions} numbers.' },
  ),
  'local-ready': says({}, { detail: 'Speech recognition works on this server.' }),
  'server-ready': says({ server: 'place' }, { detail: '{server} is ready.' }),
  'server-no-list': says(
    { server: 'place' },
    { detail: '{server} responds but doesn’t list its models.' },
  ),
  'server-at-work': says(
    { server: 'place' },
    { detail: '{server} doesn’t respond; it may be busy transcribing.' },
  ),
  'backend-compat': says(
    { server: 'place' },
    {
      detail: '{server} is an OpenAI-compatible server: set “Protocol” (`stt.backend`) to compat.',
    },
  ),
  'backend-native': says(
    { server: 'place' },
    { detail: '{server} is a whisper.cpp server: set “Protocol” (`stt.backend`) to native.' },
  ),
  'not-whisper-cpp': says(
    { server: 'place' },
    { detail: '{server} is not a whisper.cpp server (no /health).' },
  ),
  'not-whisper-asr': says(
    { server: 'place' },
    { detail: '{server} is not a whisper-asr-webservice (no /docs).' },
  ),
  'cannot-transcribe': says(
    { server: 'place' },
    { detail: '{server} can’t transcribe: it has no /audio/transcriptions.' },
  ),
  'no-choice-of-models': says(
    { protocol: 'text' },
    { detail: 'Servers with the protocol {protocol} offer no choice of models.' },
  ),
  'model-not-there': says(
    { model: 'text', key: 'text', models: 'list' },
    { detail: 'The model {model} isn’t available ({key}). Available: {models}.' },
  ),
};
