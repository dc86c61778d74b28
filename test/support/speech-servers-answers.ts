import type { ServerResponse } from 'node:http';
import {
  type Received,
  type Kind,
  type SpokenWord,
  diarizedJson,
  louderChannel,
  whisperxJson,
} from './speech-servers-speakers.ts';
import type { ToneWord } from './speech-servers-tones.ts';

type Answer = (
  r: Received,
  heard: SpokenWord[],
  seconds: number,
  response: ServerResponse,
) => void | Promise<void>;

const compatPath = '/v1/audio/transcriptions';
const text = (heard: readonly ToneWord[]) => heard.map((word) => word.text).join(' ');
const json = (response: ServerResponse, value: unknown, status = 200) =>
  send(response, status, 'application/json', JSON.stringify(value));
const field = (r: Received, name: string) => r.fields[name]?.[0];
const wantsWords = (r: Received) => (r.fields['timestamp_granularities[]'] ?? []).includes('word');

/** How each kind answers a transcription. */
export const answers: Record<Kind, Answer> = {
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
    if (field(r, 'model')!.startsWith('parakeet') && field(r, 'response_format') !== 'json')
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

/** Those that are iterated over asynchronously come when they are there. */
export type StreamEvents = readonly (object | string)[] | AsyncIterable<object | string>;

/** Server-sent events. @param ends whether it ends after them, or stays silent */
export async function stream(
  response: ServerResponse,
  events: StreamEvents,
  ends = true,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for await (const event of events)
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

/** … and a look at it. */
export function answerGet(
  kind: Kind,
  path: string,
  models: readonly string[],
  response: ServerResponse,
): void {
  if (kind === 'asr' && path === '/docs')
    return send(response, 200, 'text/html', '<!DOCTYPE html><title>Swagger UI</title>');
  if (kind === 'whisper.cpp' && path === '/health') return json(response, { status: 'ok' });
  if (kind !== 'whisper.cpp' && kind !== 'asr' && path === '/v1/models')
    return json(response, { data: models.map((id) => ({ id })) });
  return send(response, 404, 'text/plain', `File Not Found (${path})`);
}

export function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body);
}
