import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type SpokenWord,
  diarizedJson,
  louderChannel,
  spokenIn,
  whisperxJson,
} from './speech-servers-speakers.ts';
import { hearTones, type ToneWord } from './speech-servers-tones.ts';

/**
 * Stand-ins for transcription servers that answer as the real ones were seen to answer
 * (their sources and recorded answers): shapes, status codes, content types, traps.
 */
export type Kind =
  | 'whisper.cpp'
  | 'speaches'
  | 'localai'
  | 'localai-old'
  | 'vllm'
  | 'openai'
  | 'groq'
  | 'ollama'
  /** whisper-asr-webservice with WhisperX. */
  | 'asr';

/** What goes wrong with one request. Taken from `faults` in order; then all goes well. */
export type Fault =
  | { do: 'answer'; status: number; type?: string; body?: string; headers?: Record<string, string> }
  /** Takes the request and never answers. */
  | { do: 'hang' }
  /** Closes the connection before, or in the middle of, the answer. */
  | { do: 'die'; after?: string }
  /** Begins a JSON answer and ends it cleanly half way. */
  | { do: 'half' }
  /** Answers only when `release` is called. */
  | { do: 'wait' }
  /** Begins a streamed answer with these events, and ends it there; or stays silent from then on. */
  | { do: 'stream'; events: (object | string)[]; ends?: boolean };

export type Received = {
  path: string;
  method: string;
  headers: IncomingMessage['headers'];
  fields: Record<string, string[]>;
  query: URLSearchParams;
  /** The uploaded file's name, and its samples as 16 kHz mono; null when there was none. */
  filename: string | null;
  pcm: Int16Array | null;
  /** Of an uploaded file with two channels, whose mix `pcm` is. */
  channels: readonly [Int16Array, Int16Array] | null;
};

export type SpeechServer = {
  /** `http://127.0.0.1:port`, without `/v1`. */
  readonly url: string;
  readonly received: Received[];
  readonly faults: Fault[];
  /** Largest body taken; 413 above. */
  bytesMax: number;
  /** What the server understands of the audio. */
  hear: (pcm: Int16Array) => ToneWord[];
  /** Who says a word, by which servers tell speakers apart; null: they do not. */
  voiceOf: ((word: string) => string) | null;
  /** Resolves when the given number of transcriptions has been asked for. */
  asked(count: number): Promise<void>;
  /** Resolves when so many looks (GET) have been taken at it. */
  looked(count: number): Promise<void>;
  /** Its `Server` header, if it has one. */
  software: string | null;
  /** Takes connections and closes them, as a proxy does before a server that is away. */
  closing: boolean;
  /** Leaves looks (GET) at it without an answer: hung, or with one thread that works. */
  mute: boolean;
  /** Takes no new connections; those there are stay open and silent. */
  deaf(): Promise<void>;
  /** Lets requests with the fault `wait` go on. */
  release(): void;
  /** Stops listening: connections are refused. `up` listens on the same port again. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
};

export async function speechServer(kind: Kind): Promise<SpeechServer> {
  let server: Server | undefined;
  let port = 0;
  let count = 0;
  let looks = 0;
  const watchers = new Set<() => void>();
  const reached = (enough: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!enough()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  const { promise: gate, open } = gateway();
  const state: SpeechServer = {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    received: [],
    faults: [],
    bytesMax: Infinity,
    software: kind === 'whisper.cpp' ? 'whisper.cpp' : null,
    closing: false,
    mute: false,
    hear: hearTones,
    voiceOf: null,
    asked: (wanted) => reached(() => count >= wanted),
    looked: (wanted) => reached(() => looks >= wanted),
    release: open,
    async deaf() {
      // `close` waits for the open connections; not listening is enough.
      server?.close();
      await Promise.resolve();
    },
    async down() {
      const closing = server;
      server = undefined;
      closing?.closeAllConnections();
      if (closing?.listening) {
        closing.close();
        await once(closing, 'close');
      }
    },
    async up() {
      server = createServer((request, response) => void handle(request, response));
      server.on('connection', (socket) => state.closing && socket.destroy());
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
    },
    async close() {
      open();
      await state.down();
    },
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await serve(request, response);
    } catch (error) {
      // The client went away: that is what some tests are about.
      if (!request.destroyed && !response.destroyed) response.destroy(error as Error);
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', state.url).pathname;
    if (state.software) response.setHeader('server', state.software);
    if (request.method === 'GET') {
      looks += 1;
      for (const look of watchers) look();
    }
    if (request.method === 'GET') return state.mute ? undefined : answerGet(kind, path, response);
    const body = await collect(request);
    const received = await receive(request, path, body);
    state.received.push(received);
    count += 1;
    for (const look of watchers) look();
    const fault = state.faults.shift();
    if (fault?.do === 'wait') await gate;
    else if (fault) return fail(fault, response);
    if (body.length > state.bytesMax)
      return send(response, 413, 'text/html', '<html>413 Request Entity Too Large</html>');
    const heard = received.pcm ? state.hear(received.pcm) : [];
    const seconds = (received.pcm?.length ?? 0) / 16_000;
    const spoken = spokenIn(received, heard, state.voiceOf, state.hear);
    return answers[kind](received, spoken, seconds, response);
  };

  await state.up();
  return state;
}

type Answer = (r: Received, heard: SpokenWord[], seconds: number, response: ServerResponse) => void;

const compatPath = '/v1/audio/transcriptions';
const text = (heard: readonly ToneWord[]) => heard.map((word) => word.text).join(' ');
const json = (response: ServerResponse, value: unknown, status = 200) =>
  send(response, status, 'application/json', JSON.stringify(value));
const field = (r: Received, name: string) => r.fields[name]?.[0];
const wantsWords = (r: Received) => (r.fields['timestamp_granularities[]'] ?? []).includes('word');

const answers: Record<Kind, Answer> = {
  'whisper.cpp': whisperCpp,
  openai(r, heard, seconds, response) {
    if (r.path !== compatPath) return json(response, { error: { message: 'Invalid URL' } }, 404);
    const model = field(r, 'model');
    const format = field(r, 'response_format') ?? 'json';
    if (!r.filename?.endsWith('.wav'))
      return openaiError(response, 400, `Unsupported file format ${r.filename}`);
    if (!model) return openaiError(response, 400, 'you must provide a model parameter');
    if (format === 'diarized_json' && model.endsWith('-diarize')) {
      if (seconds > 30 && !field(r, 'chunking_strategy'))
        return openaiError(response, 400, 'chunking_strategy is required for diarization models');
      return json(response, diarizedJson(sentences(heard), seconds));
    }
    if (model.startsWith('gpt-4o') && format !== 'json')
      return openaiError(
        response,
        400,
        `response_format '${format}' is not compatible with model '${model}'. Use 'json' or 'text' instead.`,
      );
    if (format === 'json' && field(r, 'stream') === 'true' && model.startsWith('gpt-4o'))
      return stream(response, transcriptEvents(heard));
    if (format === 'json')
      return json(response, { text: text(heard), usage: { type: 'duration', seconds } });
    return json(response, verbose(r, heard, seconds));
  },
  groq(r, heard, seconds, response) {
    return json(response, { ...verbose(r, heard, seconds), x_groq: { id: 'req_1' } });
  },
  speaches(r, heard, seconds, response) {
    if (!field(r, 'model'))
      return json(response, { detail: [{ loc: ['body', 'model'], msg: 'Field required' }] }, 422);
    if (field(r, 'model') === 'parakeet' && field(r, 'response_format') !== 'json')
      return send(response, 500, 'text/plain; charset=utf-8', 'Internal Server Error');
    if (field(r, 'model') === 'absent')
      return json(
        response,
        {
          detail:
            "Model 'absent' is not installed locally. You can download the model using POST /v1/models",
        },
        404,
      );
    if (field(r, 'response_format') === 'json') return json(response, { text: text(heard) });
    // faster-whisper's words carry their leading space.
    const spoken = verbose(r, heard, seconds);
    const words = wantsWords(r)
      ? heard.map((word) => ({ ...bare(word), word: ` ${word.text}` }))
      : null;
    return json(response, { ...spoken, language: 'en', words });
  },
  localai(_r, heard, seconds, response) {
    return json(response, localAi(heard, seconds, 1));
  },
  'localai-old'(_r, heard, seconds, response) {
    return json(response, localAi(heard, seconds, 1e9));
  },
  vllm(r, heard, seconds, response) {
    const format = field(r, 'response_format');
    if (!['text', 'json', 'verbose_json'].includes(format ?? 'json'))
      return openaiError(response, 400, `Currently only support response_format: text, json`);
    if (format === 'json' && field(r, 'stream') === 'true')
      return stream(response, chatEvents(heard));
    if (format !== 'verbose_json') return json(response, { text: text(heard) });
    const spoken = verbose(r, heard, seconds);
    return json(response, { ...spoken, duration: String(seconds), words: null });
  },
  ollama(_r, heard, _seconds, response) {
    return json(response, { text: text(heard) });
  },
  asr: (r, heard, _seconds, response) => asrAnswer(r, sentences(heard), response),
};

/** OpenAI's, speaches' and LocalAI's: words as they come, and all of it at the end. */
const transcriptEvents = (heard: readonly ToneWord[]) => [
  ...heard.map((word, at) => ({
    type: 'transcript.text.delta',
    delta: `${at === 0 ? '' : ' '}${word.text}`,
  })),
  { type: 'transcript.text.done', text: text(heard) },
];

/** vLLM's: those of a chat. */
const chatEvents = (heard: readonly ToneWord[]) => [
  ...heard.map((word) => ({
    object: 'transcription.chunk',
    choices: [{ delta: { content: ` ${word.text}` } }],
  })),
  { object: 'transcription.chunk', choices: [{ delta: { content: '' }, finish_reason: 'stop' }] },
  '[DONE]',
];

function stream(response: ServerResponse, events: readonly (object | string)[], ends = true): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const event of events)
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  if (ends) response.end();
}

function verbose(r: Received, heard: readonly ToneWord[], seconds: number) {
  const segments = sentences(heard).map((words, id) => ({
    id,
    seek: 0,
    start: words[0]!.start,
    end: words.at(-1)!.end,
    text: ` ${text(words)}`,
    tokens: [50364],
    temperature: 0,
    avg_logprob: -0.2,
    compression_ratio: 1.2,
    no_speech_prob: 0.01,
  }));
  const words = wantsWords(r) ? { words: heard.map(bare) } : {};
  const task = { task: 'transcribe', language: 'english', duration: seconds };
  return { ...task, text: text(heard), segments, ...words };
}

const bare = ({ text: word, start, end }: ToneWord) => ({ word, start, end });

function localAi(heard: readonly SpokenWord[], seconds: number, unit: number) {
  const time = (value: number) => (unit === 1 ? value : Math.round(value * unit));
  return {
    task: 'transcribe',
    language: '',
    duration: seconds,
    text: text(heard),
    segments: sentences(heard).map((words, id) => ({
      id,
      start: time(words[0]!.start),
      end: time(words.at(-1)!.end),
      text: ` ${text(words)}`,
      ...(words[0]!.speaker === undefined ? {} : { speaker: words[0]!.speaker }),
      words: words.map((word) => ({
        text: word.text,
        start: time(word.start),
        end: time(word.end),
      })),
    })),
  };
}

/** whisper-asr-webservice: options in the query, JSON as text. */
function asrAnswer(r: Received, groups: SpokenWord[][], response: ServerResponse): void {
  const language = r.query.get('language');
  if (r.path !== '/asr') return json(response, { detail: 'Not Found' }, 404);
  if (!r.pcm || (language !== null && !/^[a-z]{2}$/.test(language)))
    return json(response, { detail: [{ msg: 'Field required' }] }, 422);
  response.setHeader('asr-engine', 'whisperx');
  response.setHeader('content-disposition', 'attachment; filename="speech.wav.json"');
  if (r.query.get('output') !== 'json')
    return send(response, 200, 'text/plain; charset=utf-8', text(groups.flat()));
  const answer = whisperxJson(groups, r.query.get('diarize') === 'true');
  send(response, 200, 'text/plain; charset=utf-8', JSON.stringify(answer));
}

/** whisper-server 233fe1f: §1.2 to §1.5 of the notes, trap by trap. */
function whisperCpp(
  r: Received,
  heard: SpokenWord[],
  seconds: number,
  response: ServerResponse,
): void {
  if (r.path !== '/inference')
    return send(response, 404, 'text/plain', `File Not Found (${r.path})`);
  if (!r.pcm) return send(response, 400, 'text/plain', 'Invalid request');
  for (const name of ['temperature', 'temperature_inc', 'max_len', 'max_context'])
    if (r.fields[name] && !/^[-+\d.]/.test(field(r, name)!))
      return send(response, 500, 'text/plain', '500 Internal Server Error\nstof');
  const language = field(r, 'language') ?? 'en';
  if (field(r, 'response_format') !== 'verbose_json')
    return json(response, {
      text: sentences(heard)
        .map((words) => ` ${text(words)}\n`)
        .join(''),
    });
  if (!/^(auto|[a-z]{2}|english|german)?$/.test(language) || language === 'xx')
    return send(
      response,
      500,
      'text/plain',
      '500 Internal Server Error\nbasic_string: construction from null is not valid',
    );
  if (field(r, 'no_timestamps') === 'true')
    return json(response, {
      task: 'transcribe',
      duration: seconds,
      text: text(heard),
      segments: [{ id: 0, text: text(heard) }],
    });
  const lengthMax = Number(field(r, 'max_len') ?? 0) || 60;
  const whole = field(r, 'split_on_word') === 'true';
  const isTold = field(r, 'diarize') === 'true' && r.channels !== null;
  const segments = sentences(heard).flatMap((words) =>
    cutAt(words, lengthMax, whole).map((cut) =>
      isTold ? { ...cut, speaker: louderChannel(r.channels!, cut) } : cut,
    ),
  );
  const probabilities =
    field(r, 'no_language_probabilities') === 'true'
      ? {}
      : { detected_language: 'english', language_probabilities: { en: 1 } };
  return json(response, {
    task: 'transcribe',
    language: 'english',
    duration: seconds,
    text: segments.map((segment) => `${segment.text}\n`).join(''),
    // The last end may lie behind the audio's.
    segments: segments.map((segment, id) => ({
      id,
      ...segment,
      ...(id === segments.length - 1 ? { end: Math.ceil(seconds) + 5 } : {}),
      temperature: 0,
      avg_logprob: 0,
      no_speech_prob: 8.3e-16,
    })),
    ...probabilities,
  });
}

/** Tokens of two letters (`" w"`, `"07"`) and a comma after each word, as BPE makes them. */
function tokensOf({ text: word, start, end }: ToneWord) {
  const middle = (start + end) / 2;
  const rest = { t_dtw: -1, probability: 1 };
  return [
    { word: ` ${word.slice(0, 1)}`, start, end: middle, ...rest },
    { word: word.slice(1), start: middle, end, ...rest },
    { word: ',', start: end, end, ...rest },
  ];
}

function cutAt(words: readonly ToneWord[], lengthMax: number, whole: boolean) {
  const cuts: { start: number; end: number; text: string; words: object[] }[] = [];
  for (const token of words.flatMap(tokensOf)) {
    const open = cuts.at(-1);
    const fits = open && open.text.length + token.word.length <= lengthMax;
    if (open && (fits || (whole && !token.word.startsWith(' ')))) {
      open.text += token.word;
      open.end = token.end;
      open.words.push(token);
    } else cuts.push({ start: token.start, end: token.end, text: token.word, words: [token] });
  }
  return cuts;
}

/** Words of one speaker with less than 0.35 s between them. */
function sentences(words: readonly SpokenWord[]): SpokenWord[][] {
  const groups: SpokenWord[][] = [];
  for (const word of words) {
    const last = groups.at(-1)?.at(-1);
    if (last && word.start - last.end < 0.35 && last.speaker === word.speaker)
      groups.at(-1)!.push(word);
    else groups.push([word]);
  }
  return groups;
}

function openaiError(response: ServerResponse, status: number, message: string): void {
  json(
    response,
    { error: { message, type: 'invalid_request_error', param: null, code: null } },
    status,
  );
}

function answerGet(kind: Kind, path: string, response: ServerResponse): void {
  if (kind === 'asr' && path === '/docs')
    return send(response, 200, 'text/html', '<!DOCTYPE html><title>Swagger UI</title>');
  if (kind === 'whisper.cpp' && path === '/health') return json(response, { status: 'ok' });
  if (kind !== 'whisper.cpp' && kind !== 'asr' && path === '/v1/models')
    return json(response, { data: [{ id: 'tts-1' }, { id: 'whisper-large' }] });
  return send(response, 404, 'text/plain', `File Not Found (${path})`);
}

function fail(fault: Exclude<Fault, { do: 'wait' }>, response: ServerResponse): void {
  if (fault.do === 'hang') return;
  if (fault.do === 'stream') return stream(response, fault.events, fault.ends);
  if (fault.do === 'answer') {
    for (const [name, value] of Object.entries(fault.headers ?? {}))
      response.setHeader(name, value);
    return send(response, fault.status, fault.type ?? 'text/plain', fault.body ?? '');
  }
  if (fault.do === 'half')
    return send(response, 200, 'application/json', '{"text":"w00 w01","segm');
  if (fault.after === undefined) {
    response.destroy();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
  response.write(fault.after, () => response.destroy());
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body);
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function receive(request: IncomingMessage, path: string, body: Buffer): Promise<Received> {
  const type = request.headers['content-type'] ?? '';
  const fields: Record<string, string[]> = {};
  let file: File | undefined;
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData();
    for (const [name, value] of form.entries()) {
      if (typeof value !== 'string') file = value;
      else (fields[name] ??= []).push(value);
    }
  }
  const { method = '', headers } = request;
  const heard = file ? samplesIn(Buffer.from(await file.arrayBuffer())) : null;
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const filename = file?.name ?? null;
  const { pcm = null, channels = null } = heard ?? {};
  return { path, method, headers, fields, query, filename, pcm, channels };
}

/** Samples of the plain WAV files we upload; null when it is none, as a server would refuse it. */
function samplesIn(wav: Buffer): Pick<Received, 'pcm' | 'channels'> | null {
  if (wav.toString('latin1', 0, 4) !== 'RIFF' || wav.readUInt32LE(40) !== wav.length - 44)
    return null;
  const pcm = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length));
  if (wav.readUInt16LE(22) === 1) return { pcm, channels: null };
  const [left, right] = [0, 1].map((side) => pcm.filter((_, i) => i % 2 === side));
  return { pcm: left!.map((sample, i) => (sample + right![i]!) / 2), channels: [left!, right!] };
}

function gateway() {
  let open!: () => void;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}
