import type OpenAI from 'openai';
import { askServer } from '../../servers/ask-server.ts';
import type { Server, ServerAnswer } from '../../servers/server.ts';
import { compatBase } from '../../servers/outbound.ts';
import { answerFailure } from '../../servers/server-failure.ts';
import { throughOpenAI } from '../../servers/through-openai.ts';
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
import { probeCompat, speechServer } from './probe-server.ts';
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
  server = speechServer(compatBase(baseUrl), apiKey),
): SpeechEngine {
  const { base } = server;
  let chosen = model;

  /** Which model to ask for; servers other than whisper.cpp and vLLM want one named. */
  const modelName = async (signal: AbortSignal): Promise<string> => {
    if (chosen !== null) return chosen;
    const found = await probeCompat(server, signal, options);
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
      server,
      get model() {
        return chosen;
      },
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
          post(server, { file, model: named, ...fields }, { signal, onPartial });
        return await transcribed(server, named, request, ask);
      },
      probe: (signal) => probeCompat(server, signal, options),
    },
    options,
  );
  return Object.assign(engine, {
    withModel: (other: string) => compatEngine(baseUrl, apiKey, other, options, server),
  });
}

/** One request, whose answer is in one piece however it came. */
async function post(
  server: Server,
  fields: TranscriptionFields,
  { signal, onPartial }: Pick<SpeechRequest, 'signal' | 'onPartial'>,
): Promise<ServerAnswer> {
  let answer: ServerAnswer | undefined;
  const onBody = (soFar: string, type: string): void => {
    if (type === eventStream) onPartial?.(streamedSoFar(soFar).text);
  };
  const ask = async (url: string, init: RequestInit): Promise<Response> => {
    answer = await askServer(server, url, init, onBody);
    return new Response(answer.body, { headers: { 'content-type': 'text/plain' } });
  };
  await throughOpenAI(server, ask, (client) =>
    client.audio.transcriptions.create(fields, { signal }),
  );
  if (!answer) throw new Error('openai made no request');
  return inOnePiece(answer);
}

/** Asks in the best format that the server knows, and in the next simpler one where it does not. */
async function transcribed(
  server: Server,
  model: string,
  { seconds, language, request, meeting, onPartial }: Omit<SpeechRequest, 'file' | 'signal'>,
  ask: (fields: object) => Promise<ServerAnswer>,
): Promise<Transcript | { shorter: number }> {
  const known = capabilities(`${server.base} ${model}`, model);
  const shown = serverPace(`${server.base} ${model}`);
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
      throw answerFailure(server, answer);
    }
    const error = errorInside(answer);
    if (error) throw answerFailure(server, error);
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
