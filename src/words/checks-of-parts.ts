import { says } from './sentences.ts';

/** Where the size of a context window is from, behind it. */
const sourceWords = {
  set: 'from the settings',
  server: 'as the server says',
  table: 'known for this model',
  learnt: 'learnt from a request that was too long',
  assumed: 'assumed until the server rejects a request as too long',
} as const;

/** What a language model that answered is like. */
const answered = {
  model: 'text',
  time: 'seconds',
  speed: 'integer',
  context: 'integer',
  source: ['set', 'server', 'table', 'learnt', 'assumed'],
} as const;

/** What Health finds about audio, speech, language models and addresses, and what came of trying a server. */
export const checksOfParts = {
  'audio-server-ok': says('The audio server responds.'),
  'audio-server-empty': says(
    'The audio server responds, but has neither speakers nor a microphone.',
  ),
  'audio-server-none': says(
    'Neither PulseAudio nor PipeWire is running: devices have ALSA names and can’t be combined.',
  ),
  'pactl-missing': says({
    detail: 'The program pactl is missing: devices have ALSA names and can’t be combined.',
    todo: 'Install pactl and ALSA’s PulseAudio plug-in.',
  }),
  'devices-ok': says({ devices: 'list', used: 'text' }, '{devices}. “{used}” is used.'),
  'devices-no-default': says({ devices: 'list' }, '{devices}. None is the default.'),
  'devices-none': says({
    detail: 'No input device is connected: only browsers and uploads are recorded.',
    todo: 'Connect a microphone, or record in the browser.',
  }),
  'device-chosen-gone': says(
    { device: 'text', devices: 'list' },
    {
      detail: '“{device}” is not connected. Connected: {devices}.',
      todo: 'Connect it, or choose another input device (`audio.device`).',
    },
  ),
  'capture-not-installed': says({
    detail:
      'The package for recording from devices isn’t installed: only browsers and uploads are recorded.',
    todo: 'Install the compiler, then the packages again.',
  }),
  'combined-ok': says(
    { microphone: 'text', speakers: 'text' },
    '“{microphone}” and “{speakers}” are connected.',
  ),
  'combined-not-wanted': says('No devices are chosen to be recorded together; this is optional.'),
  'combined-not-chosen': says({
    detail:
      'The combined source is set as input device, but no microphone and speakers are chosen for it.',
    todo: 'Choose a microphone and speakers in the settings (Recording).',
  }),
  'combined-gone': says(
    { count: 'integer', devices: 'list' },
    {
      detail: { one: '{devices} is not connected.', other: '{devices} are not connected.' },
      todo: 'Choose a microphone and speakers in the settings (Recording).',
    },
  ),
  'combined-no-server': says(
    { cause: 'sentence' },
    '{cause} Microphone and speakers can’t be recorded together.',
  ),
  'speech-ok': says(
    { model: 'text', text: 'said', time: 'seconds', length: 'seconds' },
    '{model} transcribed a sample of {length} in {time}: “{text}”.',
  ),
  'speech-none': says(
    'No speech recognition is set up: recordings are saved, but not transcribed.',
  ),
  'speech-hears-nothing': says(
    { model: 'text', length: 'seconds' },
    '{model} found no words in a sample of {length}.',
  ),
  'speech-busy': says(
    { limit: 'seconds' },
    'Speech recognition is busy: a sample was not transcribed within {limit}.',
  ),
  'second-model-missing': says(
    { model: 'text', text: 'said', time: 'seconds', length: 'seconds', cause: 'sentence' },
    {
      detail:
        '{model} transcribed a sample of {length} in {time}: “{text}”. Recordings are not transcribed again afterwards: {cause}',
      todo: 'Choose an installed model for “Transcribe again afterwards” (`stt.second_pass`), or none.',
    },
  ),
  'language-not-set': says({
    detail:
      'No language model is set up: the summary is taken from the transcript, the title from the transcript or the name of the file.',
    todo: 'Set a language model server (`llm.base_url`, MITSCHRIFT_LLM_BASE_URL).',
  }),
  'language-ok': says(answered, {
    detail:
      '{model} answered in {time} (about {speed} tokens a second); its context window has {context} tokens, {source}.',
    choices: { source: sourceWords },
  }),
  'language-no-json': says(answered, {
    detail:
      '{model} answered in {time} (about {speed} tokens a second); its context window has {context} tokens, {source}. Its answers don’t follow the required format: summaries may lack lists.',
    todo: 'Choose a larger model, or one that follows instructions (`llm.model`).',
    choices: { source: sourceWords },
  }),
  'language-short-context': says(answered, {
    detail:
      '{model} answered in {time} (about {speed} tokens a second); its context window has {context} tokens, {source}. That is short: long recordings are summarised in parts.',
    todo: 'Give the model at least 8,192 tokens on its server, or enter its context window (`llm.context`).',
    choices: { source: sourceWords },
  }),
  'language-slow': says(answered, {
    detail:
      '{model} answered in {time} (about {speed} tokens a second); its context window has {context} tokens, {source}. That is slow: documents of a long meeting take a long time.',
    todo: 'Choose a smaller model (`llm.model`), or run the server on a faster computer.',
    choices: { source: sourceWords },
  }),
  'passages-waiting': says(
    { count: 'integer' },
    {
      detail: {
        one: '{count} note is still being prepared for finding by meaning.',
        other: '{count} notes are still being prepared for finding by meaning.',
      },
    },
  ),
  'passages-failed': says(
    { count: 'integer' },
    {
      detail: {
        one: '{count} note can’t be found by its meaning, because the embedding server gave nothing for it.',
        other:
          '{count} notes can’t be found by their meaning, because the embedding server gave nothing for them.',
      },
      todo: 'See the log for the reason. Each is tried again when it is next saved, and when Mitschrift starts.',
    },
  ),
  'speakers-ok': says('The speakers of meetings are separated.'),
  'speakers-no-model': says({
    detail: 'Speakers are not separated: a meeting is written as if one person had spoken.',
    todo: 'Install a model for speaker recognition.',
  }),
  'speakers-only-server': says({
    detail: 'Speakers are separated only if the speech recognition server does so.',
    todo: 'Install a model for speaker recognition.',
  }),
  'voices-measured': says(
    { count: 'integer' },
    {
      detail: {
        one: 'Voices from {count} recording are being updated.',
        other: 'Voices from {count} recordings are being updated.',
      },
    },
  ),
  'voices-without-audio': says(
    { count: 'integer' },
    {
      detail: {
        one: 'Voices from {count} recording stay as they are because no audio was kept.',
        other: 'Voices from {count} recordings stay as they are because no audio was kept.',
      },
    },
  ),
  'voices-failed': says(
    { count: 'integer' },
    {
      detail: {
        one: 'Voices from {count} recording could not be updated.',
        other: 'Voices from {count} recordings could not be updated.',
      },
      todo: 'The log says why. Mitschrift tries again after its next start.',
    },
  ),
  'port-free': says({ port: 'text' }, 'Port {port} is free.'),
  'port-taken': says(
    { places: 'places' },
    {
      detail: 'Another program uses {places}.',
      todo: 'End that program, or set MITSCHRIFT_PORT to another port.',
    },
  ),
  'address-silent': says(
    { places: 'places' },
    {
      detail: 'Mitschrift doesn’t respond at {places}.',
      todo: 'Check the log, then restart Mitschrift.',
    },
  ),
  'address-local': says(
    { places: 'places' },
    'Mitschrift can be reached at {places}, from this computer only (MITSCHRIFT_HOST).',
  ),
  'address-network': says(
    { places: 'places' },
    'Mitschrift can be reached at {places}, unless a firewall blocks it.',
  ),
  'https-own': says(
    { names: 'list', until: 'date' },
    'Mitschrift uses its own certificate for {names}, valid until {until}.',
  ),
  'https-proxy': says('A reverse proxy provides https (`server.trusted_proxies`).'),
  'https-not-needed': says(
    'https isn’t needed on this computer itself; browsers on other devices would need it.',
  ),
  'https-missing': says({
    detail: 'Browsers on other devices only allow the microphone over https.',
    todo: 'Use your own certificate (`server.tls_cert`, `server.tls_key`), a proxy such as Caddy, or the certificate of an overlay network.',
  }),
  'certificate-expired': says(
    { names: 'list', until: 'date' },
    {
      detail: 'The certificate for {names} expired on {until}.',
      todo: 'Replace certificate and key (`server.tls_cert`, `server.tls_key`): Mitschrift reads them again automatically.',
    },
  ),
  'certificate-expires': says(
    { names: 'list', until: 'date' },
    {
      detail: 'The certificate for {names} expires on {until}.',
      todo: 'Replace certificate and key (`server.tls_cert`, `server.tls_key`): Mitschrift reads them again automatically.',
    },
  ),
  'certificate-half-set': says(
    { set: 'text', other: 'text' },
    {
      detail: '{set} is set, but {other} isn’t.',
      todo: 'Replace certificate and key (`server.tls_cert`, `server.tls_key`): Mitschrift reads them again automatically.',
    },
  ),
  'certificate-unusable': says(
    { cert: 'text', key: 'text', cause: 'text' },
    {
      detail: '{cert} and {key} can’t be used as certificate and key: {cause}.',
      todo: 'Replace certificate and key (`server.tls_cert`, `server.tls_key`): Mitschrift reads them again automatically.',
    },
  ),
  'fix-server-or-settings': says(
    { settings: ['stt', 'llm', 'embeddings'] },
    {
      detail: 'Start the server, or correct its settings ({settings}).',
      choices: { settings: { stt: 'stt.…', llm: 'llm.…', embeddings: 'embeddings.…' } },
    },
  ),
  'fix-install-package': says('Install the package for speech recognition.'),
  'fix-install-model': says(
    { title: 'text', advice: 'sentence', folder: 'place' },
    'Install {title}, the recommended model. {advice} The model is stored in {folder}. Or set a speech recognition server (`stt.base_url`).',
  ),
  'fix-install-second-model': says({ title: 'text' }, 'Install {title}.'),
  'fix-choose-model': says('Choose an installed model (`stt.local_model`).'),
  'fix-computer-too-small': says(
    'This computer is too small for a speech recognition model. Set a speech recognition server (`stt.base_url`).',
  ),
  'fix-restart-audio-server': says('Restart the audio server of your session.'),
  'fix-no-session': says(
    'No desktop session runs here, and only a session has an audio server. Record in the browser, or start Mitschrift in a session with PipeWire.',
  ),
  'fix-install-packages': says('Install the packages again.'),
  'fix-node-headers': says(
    'Compiling needs Node’s headers, which npm fetches from nodejs.org and could not fetch. Allow that address, or set `npm_config_nodedir` to a folder that has include/node, then install the packages again.',
  ),
  'fix-install-pactl': says('Install pactl and ALSA’s PulseAudio plug-in.'),
  'certificate-kept': says(
    { problem: 'sentence' },
    {
      detail: '{problem} The previous certificate is still in use.',
      todo: 'Replace certificate and key (`server.tls_cert`, `server.tls_key`): Mitschrift reads them again automatically.',
    },
  ),
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
