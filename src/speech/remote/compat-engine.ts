import OpenAI from 'openai';
import { StageError } from '../../shared/errors.ts';
import { ofRequest } from '../answer-speakers.ts';
import type { SpeechEngine } from '../engine.ts';
import {
  type Capabilities,
  capabilities,
  downgrade,
  noteSpeakers,
  serverPace,
  simplerThan,
  stopStreaming,
} from './capabilities.ts';
import { knownSpeakers } from './known-speakers.ts';
import {
  type RemoteOptions,
  type SpeechRequest,
  meetingSecondsMax,
  remoteEngine,
} from './remote-engine.ts';
import { type Transcript, parseTranscript } from '../parse-transcript.ts';
import { probeCompat } from './probe-server.ts';
import { compatBase, serverName } from '../../shared/outbound.ts';
import { askServer, serverConnections } from './server-client.ts';
import { type ServerAnswer, answerFailure } from './server-failure.ts';
import { eventStream, inOnePiece, streamedSoFar } from './streamed-answer.ts';

/** Pieces for servers that give no times: each piece's own times are all there is then. */
const untimedSecondsMax = 30;
/** 23 MB: OpenAI takes 25 MiB in all, of which samples of four speakers are 1.4 MB. */
const diarizedSecondsMax = 720;

/**
 * Recognises on an OpenAI-compatible server: `POST {base}/audio/transcriptions`.
 * @param baseUrl with or without `/v1`.
 * @param model null: the server's first that looks like a recogniser.
 */
export function compatEngine(
  baseUrl: string,
  apiKey: string | null,
  model: string | null,
  options: RemoteOptions = {},
  connections = serverConnections(),
): SpeechEngine {
  const base = compatBase(baseUrl);
  const name = serverName(base);
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  let chosen = model;

  /** Which model to ask for; servers other than whisper.cpp and vLLM want one named. */
  const modelName = async (signal: AbortSignal): Promise<string> => {
    if (chosen !== null) return chosen;
    const found = await probeCompat(base, name, headers, connections, signal, options);
    if (found.state !== 'ready') {
      const retriable = found.state !== 'refused';
      throw new StageError(retriable ? 'engine-away' : 'engine-refused', found.detail, {
        retriable,
      });
    }
    chosen = found.models.find((id) => recogniser.test(id)) ?? found.models[0] ?? 'whisper-1';
    return chosen;
  };

  const engine = remoteEngine(
    {
      engine: 'compat',
      queue: base,
      get model() {
        return chosen;
      },
      name,
      get tellsSpeakers() {
        return chosen === null ? null : capabilities(`${base} ${chosen}`, chosen).speakers;
      },
      get meetingSecondsMax() {
        const isDiarized =
          chosen !== null && capabilities(`${base} ${chosen}`, chosen).format === 'diarized';
        return isDiarized ? diarizedSecondsMax : meetingSecondsMax;
      },
      async ask({ signal, ...request }): Promise<Transcript | { shorter: number }> {
        const named = await modelName(signal);
        const { file, onPartial } = request;
        const ask = (fields: object): Promise<ServerAnswer> =>
          post(
            { base, apiKey, connections },
            { file, model: named, ...fields },
            { signal, onPartial },
          );
        return await transcribed({ base, model: named, name, apiKey }, request, ask);
      },
      probe: (signal) => probeCompat(base, name, headers, connections, signal, options),
      close: () => connections.destroy(),
    },
    options,
  );
  return Object.assign(engine, {
    withModel: (other: string) => compatEngine(baseUrl, apiKey, other, options, connections),
  });
}

/** One request, whose answer is in one piece however it came. */
async function post(
  {
    base,
    apiKey,
    connections,
  }: { base: string; apiKey: string | null; connections: ReturnType<typeof serverConnections> },
  fields: TranscriptionFields,
  { signal, onPartial }: Pick<SpeechRequest, 'signal' | 'onPartial'>,
): Promise<ServerAnswer> {
  let answer: ServerAnswer | undefined;
  const onBody = (soFar: string, type: string): void => {
    if (type === eventStream) onPartial?.(streamedSoFar(soFar).text);
  };
  const client = openai(base, apiKey, async (url, init) => {
    answer = await askServer(url, init, connections, onBody);
    return new Response(answer.body, { headers: { 'content-type': 'text/plain' } });
  });
  // The caller has the time limit and the retries; the client's would add to them unseen.
  const limits = { signal, maxRetries: 0, timeout: 24 * 3600_000 };
  await client.audio.transcriptions.create(fields, limits);
  if (!answer) throw new Error('openai made no request');
  return inOnePiece(answer);
}

/** Asks in the best format that the server knows, and in the next simpler one where it does not. */
async function transcribed(
  {
    base,
    model,
    name,
    apiKey,
  }: { base: string; model: string; name: string; apiKey: string | null },
  { seconds, language, request, meeting, onPartial }: Omit<SpeechRequest, 'file' | 'signal'>,
  ask: (fields: object) => Promise<ServerAnswer>,
): Promise<Transcript | { shorter: number }> {
  const known = capabilities(`${base} ${model}`, model);
  const shown = serverPace(`${base} ${model}`);
  for (;;) {
    const untimed = known.format === 'json';
    if (untimed && seconds > untimedSecondsMax) return { shorter: untimedSecondsMax };
    // Most detect the language unless one is sent, and refuse `auto`.
    const sent = language ?? (shown.assumesEnglish ? 'auto' : null);
    const spoken = sent === null ? {} : { language: sent };
    const isDiarized = known.format === 'diarized';
    const samples = isDiarized && known.references && meeting ? await knownSpeakers(meeting) : null;
    // With times it would come without them.
    const streamed = untimed && known.streams && onPartial ? { stream: true } : {};
    const fields = { ...spoken, ...formatFields[known.format], ...streamed, ...samples?.fields };
    const answer = await ask(fields);
    if (answer.status === 413) return { shorter: seconds / 2 };
    if (answer.status !== 200) {
      if (streamed.stream && stopStreaming(known, answer)) continue;
      if (downgrade(known, answer)) continue;
      throw answerFailure(name, answer, apiKey);
    }
    const error = errorInside(answer);
    if (error) throw answerFailure(name, error, apiKey);
    if (sent === null && isWhisperCpp(answer)) {
      shown.assumesEnglish = true;
      continue;
    }
    const heard = parseTranscript(answer.body, answer.contentType, seconds);
    const transcript = ofRequest(heard, request, samples?.names);
    known.failures = 0;
    noteSpeakers(known, heard.segments, meeting !== null);
    if (transcript.timed || untimed) return transcript;
    // All it has is text (whisper.cpp takes any format for it): no other format will have times.
    known.format = isDiarized ? simplerThan(known) : 'json';
    if (seconds <= untimedSecondsMax && !isDiarized) return transcript;
  }
}

/** Started with OpenAI's path (`--inference-path`), it takes silence about the language for English. */
const isWhisperCpp = ({ headers }: ServerAnswer): boolean =>
  headers.get('server')?.startsWith('whisper.cpp') ?? false;

const recogniser = /whisper|transcri|parakeet|canary|voxtral|moonshine|speech|stt|asr/i;

type TranscriptionFields = Omit<OpenAI.Audio.TranscriptionCreateParamsNonStreaming, 'stream'>;

const formatFields: Record<Capabilities['format'], Partial<TranscriptionFields>> = {
  // Without a strategy OpenAI refuses more than 30 s.
  diarized: { response_format: 'diarized_json', chunking_strategy: 'auto' },
  words: { response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] },
  segments: { response_format: 'verbose_json' },
  json: { response_format: 'json' },
};

/** LocalAI reports failures of its backends inside a 200. */
function errorInside(answer: ServerAnswer): ServerAnswer | undefined {
  if (!/^\s*\{\s*"(type"\s*:\s*"error"|error"\s*:\s*[{"])/.test(answer.body)) return undefined;
  return { ...answer, status: 500 };
}

/** Everything is set: the client reads what is not from environment variables. */
function openai(
  baseURL: string,
  apiKey: string | null,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): OpenAI {
  const request = (url: string | URL | Request, init?: RequestInit) =>
    fetch(url instanceof Request ? url.url : url.toString(), {
      ...init,
      headers: headersOf(init, apiKey),
    });
  return new OpenAI({
    baseURL,
    apiKey: apiKey ?? 'none', // it refuses to work without one
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off', // its debug log holds transcripts
    // With `Response` it need not try out whether this fetch knows FormData.
    fetch: Object.assign(request, { Response }),
  });
}

function headersOf(init: RequestInit | undefined, apiKey: string | null): Headers {
  const headers = new Headers(init?.headers);
  if (apiKey === null) headers.delete('authorization');
  return headers;
}
