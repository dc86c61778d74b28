import type OpenAI from 'openai';
import * as z from 'zod';
import { askServer, throughOpenAI } from '../../servers/ask-server.ts';
import { type Server, type ServerAnswer, compatBase, AnswerLost } from '../../servers/server.ts';
import { answerFailure } from '../../servers/server-failure.ts';
import { StageError } from '../../shared/errors.ts';
import { parsedJson } from '../../shared/json.ts';
import { ofRequest } from '../answer-speakers.ts';
import type { SpeechEngine } from '../engine.ts';
import {
  type Capabilities,
  capabilities,
  downgrade,
  noteSpeakers,
  serverPace,
  simplerThan,
  stopPrompting,
  stopStreaming,
  probeCompat,
  speechServer,
} from './probe-server.ts';
import {
  type RemoteOptions,
  type SpeechRequest,
  meetingSecondsMax,
  remoteEngine,
} from './remote-engine.ts';
import { promptOf } from '../terms.ts';
import { type Transcript, parseTranscript, unreadableAnswer } from '../parse-transcript.ts';
import type { Segment, Stretch } from '../../../events/facts/transcript.ts';
import { type SpeechFile, speechHeader } from '../../audio/wav.ts';

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
  const choice = choiceOfModel(server, model, options);
  const engine = remoteEngine(
    {
      engine: 'compat',
      server,
      get model() {
        return choice.model;
      },
      get tellsSpeakers() {
        const { model: chosen } = choice;
        return chosen === null ? null : capabilities(server, chosen).speakers;
      },
      get meetingSecondsMax() {
        const { model: chosen } = choice;
        const isDiarized = chosen !== null && capabilities(server, chosen).format === 'diarized';
        return isDiarized ? diarizedSecondsMax : meetingSecondsMax;
      },
      async ask({ signal, ...request }): Promise<Transcript | { shorter: number }> {
        const { file, onPartial } = request;
        return await choice.askWith(signal, async (named) => {
          const ask = (fields: object): Promise<ServerAnswer> =>
            post(server, { file, model: named, ...fields }, { signal, onPartial });
          return await transcribed(server, named, request, ask);
        });
      },
      probe: (signal) => probeCompat(server, signal, options),
    },
    options,
  );
  return Object.assign(engine, {
    withModel: (other: string) => compatEngine(baseUrl, apiKey, other, options, server),
  });
}

/**
 * Which model to ask for; servers other than whisper.cpp and vLLM want one named.
 * @param model as `compatEngine`
 */
function choiceOfModel(server: Server, model: string | null, options: RemoteOptions) {
  let chosen = model;

  const choose = async (signal: AbortSignal): Promise<string> => {
    if (chosen !== null) return chosen;
    const found = await probeCompat(server, signal, options);
    if (found.failure !== null) {
      const retriable = found.state !== 'refused';
      throw new StageError(found.failure, {
        as: retriable ? 'engine-away' : 'engine-refused',
        retriable,
      });
    }
    chosen = found.models.find((id) => recogniser.test(id)) ?? found.models[0] ?? null;
    return chosen ?? guessedModel;
  };

  return {
    /** Null until it is known. */
    get model() {
      return chosen;
    },
    /** Asks for a model; for another one where the server was started with that, or has got it, since it was looked at. */
    async askWith<T>(signal: AbortSignal, ask: (named: string) => Promise<T>): Promise<T> {
      const named = await choose(signal);
      const answered = async (wanted: string): Promise<T> => {
        const answer = await ask(wanted);
        chosen ??= wanted;
        return answer;
      };
      try {
        return await answered(named);
      } catch (error) {
        if (model !== null || !isNotFound(error)) throw error;
        chosen = null;
        const other = await choose(signal);
        if (other === named) throw error;
        return await answered(other);
      }
    },
  };
}

/** One request, whose answer is in one piece however it came. */
async function post(
  server: Server,
  fields: TranscriptionFields,
  { signal, onPartial }: Pick<SpeechRequest, 'signal' | 'onPartial'>,
): Promise<ServerAnswer> {
  let answer: ServerAnswer | undefined;
  const streamed: Streamed = { text: '', isDone: false, error: undefined, rest: '' };
  const onPiece = (piece: string, type: string): void => {
    if (type !== eventStream) return;
    takePiece(streamed, piece, server.name);
    onPartial?.(streamed.text);
  };
  const ask = async (url: string, init: RequestInit): Promise<Response> => {
    answer = await askServer(server, url, init, onPiece);
    return new Response(answer.body, { headers: { 'content-type': 'text/plain' } });
  };
  await throughOpenAI(server, ask, (client) =>
    client.audio.transcriptions.create(fields, { signal }),
  );
  if (!answer) throw new Error('openai made no request');
  return inOnePiece(answer, streamed);
}

/** Asks in the best format that the server knows, and in the next simpler one where it does not. */
async function transcribed(
  server: Server,
  model: string,
  { seconds, language, request, meeting, terms, onPartial }: Omit<SpeechRequest, 'file' | 'signal'>,
  ask: (fields: object) => Promise<ServerAnswer>,
): Promise<Transcript | { shorter: number }> {
  const known = capabilities(server, model);
  const shown = serverPace(server, model);
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
    // OpenAI's transcriber that tells speakers apart takes none.
    const prompt = known.prompts && !isDiarized ? promptOf(terms) : null;
    const fields = {
      ...spoken,
      ...formatFields[known.format],
      ...streamed,
      ...samples?.fields,
      ...(prompt !== null && { prompt }),
    };
    const answer = await ask(fields);
    if (answer.status === 413) return { shorter: seconds / 2 };
    if (answer.status !== 200) {
      if (streamed.stream && stopStreaming(known, answer)) continue;
      if (prompt !== null && stopPrompting(known, answer)) continue;
      // Also before a restart, at another node, or so long ago that it is forgotten.
      known.hasNamed ||= meeting?.heard.some(({ speaker }) => speaker !== undefined) ?? false;
      if (downgrade(known, answer)) continue;
      throw answerFailure(server, answer);
    }
    const error = errorInside(answer);
    if (error) throw answerFailure(server, error);
    if (sent === null && isWhisperCpp(answer)) {
      shown.assumesEnglish = true;
      continue;
    }
    const heard = parseTranscript(answer, seconds, server.name);
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

const isNotFound = (error: unknown): boolean =>
  error instanceof StageError && error.sentence.code === 'speech-server-not-found';

/** Asked for where a server lists none; most of those take any name. Kept once it has answered. */
const guessedModel = 'whisper-1';

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

/** Speakers whose samples OpenAI takes, and how long a sample may be, in seconds. */
const speakersMax = 4;

const sampleSeconds = { min: 2, max: 8 };

/**
 * Samples of the speakers that earlier requests found, so that the next one's answer names them:
 * `known_speaker_names[]` and `known_speaker_references[]` of OpenAI's gpt-4o-transcribe-diarize. Null
 * without any: nobody was heard alone for long enough.
 * @returns the fields to send, and whom their names stand for
 */
async function knownSpeakers({
  audio,
  heard,
}: {
  audio: SpeechFile;
  heard: readonly Segment[];
}): Promise<{
  fields: { known_speaker_names: string[]; known_speaker_references: string[] };
  names: ReadonlyMap<string, string>;
} | null> {
  const samples = samplesOf(heard).slice(0, speakersMax);
  if (samples.length === 0) return null;
  const names = new Map(samples.map(({ speaker }, i) => [`known_${i + 1}`, speaker]));
  const references: string[] = [];
  for (const { span } of samples) {
    const pcm = await audio.read(...span);
    const bytes = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    const wav = Buffer.concat([speechHeader(pcm.length), bytes]);
    references.push(`data:audio/wav;base64,${wav.toString('base64')}`);
  }
  return {
    fields: { known_speaker_names: [...names.keys()], known_speaker_references: references },
    names,
  };
}

/** Of each speaker the longest segment in which nobody else is heard; those who spoke most come first. */
function samplesOf(heard: readonly Segment[]): { speaker: string; span: Stretch }[] {
  const sorted = heard.toSorted((a, b) => a.start - b.start);
  const best = new Map<string, { speaker: string; span: Stretch; seconds: number }>();
  let before = 0;
  for (const [i, { speaker, start, end }] of sorted.entries()) {
    const next = sorted[i + 1]?.start ?? Infinity;
    const from = Math.max(start, before);
    const to = Math.min(end, next);
    before = Math.max(before, end);
    if (speaker === undefined) continue;
    const one = best.get(speaker) ?? { speaker, span: [0, 0], seconds: 0 };
    one.seconds += end - start;
    if (to - from > one.span[1] - one.span[0]) one.span = [from, to];
    best.set(speaker, one);
  }
  return [...best.values()]
    .filter(({ span: [from, to] }) => to - from >= sampleSeconds.min)
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ speaker, span: [from, to] }) => ({
      speaker,
      span: [from, Math.min(to, from + sampleSeconds.max)],
    }));
}

/** Media type of an answer that comes event by event. */
const eventStream = 'text/event-stream';

/** OpenAI’s, speaches’ and LocalAI’s events (`type`), and vLLM’s, which are those of a chat. */
const eventSchema = z.object({
  type: z.string().optional(),
  delta: z.string().optional(),
  text: z.string().optional(),
  choices: z
    .array(z.object({ delta: z.object({ content: z.string().nullish() }).optional() }))
    .optional(),
  error: z.unknown().optional(),
});

/** What has come of a streamed answer; `rest` is the line whose end has not. */
type Streamed = { text: string; isDone: boolean; error: unknown; rest: string };

/**
 * The next piece of a streamed transcription (server-sent events, an event a line: OpenAI's `stream`). An incomplete
 * event waits for the next one.
 * @throws {StageError} `engine-answer` for a line that is not such an event
 */
function takePiece(streamed: Streamed, piece: string, server: string): void {
  const lines = piece.split('\n');
  lines[0] = `${streamed.rest}${lines[0]}`;
  streamed.rest = lines.pop() ?? '';
  for (const line of lines) {
    if (!line.startsWith('data:')) continue;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') streamed.isDone = true;
    else take(streamed, eventIn(data, server));
  }
}

function take(streamed: Streamed, { type, delta, text, choices, error }: Event): void {
  if (error !== undefined) streamed.error = error;
  if (type === 'transcript.text.done') {
    streamed.text = text ?? streamed.text;
    streamed.isDone = true;
  } else streamed.text += delta ?? choices?.[0]?.delta?.content ?? '';
}

type Event = z.infer<typeof eventSchema>;

function eventIn(data: string, server: string): Event {
  const event = eventSchema.safeParse(parsedJson(data)).data;
  if (event) return event;
  // Why it cannot be parsed quotes what was said: it would be in the log.
  throw unreadableAnswer(server, 'not-a-transcript');
}

/**
 * A streamed answer as it would be in one piece; any other as it is.
 * @throws {AnswerLost} when it ended before it was done
 */
function inOnePiece(answer: ServerAnswer, streamed: Streamed): ServerAnswer {
  if (answer.contentType !== eventStream || answer.status !== 200) return answer;
  const { text, isDone, error } = streamed;
  if (error === undefined && !isDone) throw new AnswerLost('The events ended too early');
  const body = JSON.stringify(error === undefined ? { text } : { error });
  return { ...answer, contentType: 'application/json', body };
}
