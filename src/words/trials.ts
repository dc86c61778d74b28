import { says } from './sentences.ts';

/** What came of trying a server. */
export const trials = {
  'language-none': says(
    'No language model server is set: the summary is taken from the transcript, the title from the transcript or the name of the file.',
  ),
  'embeddings-none': says('No embedding server is set: notes are found by their words alone.'),
  'embeddings-ok': says(
    { model: 'text', dimensions: 'integer', time: 'seconds' },
    '{model} embedded a sentence in {time}, as {dimensions} numbers.',
  ),
  'local-ready': says('Speech recognition works on this server.'),
  'server-ready': says({ server: 'place' }, '{server} is ready.'),
  'server-no-list': says({ server: 'place' }, '{server} responds but doesn’t list its models.'),
  'server-at-work': says(
    { server: 'place' },
    '{server} doesn’t respond; it may be busy transcribing.',
  ),
  'backend-compat': says(
    { server: 'place' },
    '{server} is an OpenAI-compatible server: set “Protocol” (`stt.backend`) to compat.',
  ),
  'backend-native': says(
    { server: 'place' },
    '{server} is a whisper.cpp server: set “Protocol” (`stt.backend`) to native.',
  ),
  'not-whisper-cpp': says(
    { server: 'place' },
    '{server} is not a whisper.cpp server (no /health).',
  ),
  'not-whisper-asr': says(
    { server: 'place' },
    '{server} is not a whisper-asr-webservice (no /docs).',
  ),
  'cannot-transcribe': says(
    { server: 'place' },
    '{server} can’t transcribe: it has no /audio/transcriptions.',
  ),
  'no-choice-of-models': says(
    { protocol: 'text' },
    'Servers with the protocol {protocol} offer no choice of models.',
  ),
  'model-not-there': says(
    { model: 'text', key: 'text', models: 'list' },
    'The model {model} isn’t available ({key}). Available: {models}.',
  ),
};
