import { LRUCache } from 'lru-cache';
import { openAsBlob } from 'node:fs';
import type { Segment, Stretch } from '../../../events/facts/transcript.ts';
import { type SpeechFile, speechHeader, speechHeaderBytes, speechRate } from '../../audio/wav.ts';
import { StageError, type StageErrorCode } from '../../shared/errors.ts';
import { doubtOf } from '../doubt.ts';
import type { SpeechEngine } from '../engine.ts';
import { languageCode } from '../languages.ts';
import { type Transcript, shiftSegments } from '../parse-transcript.ts';
import { type Patience, defaultPatience, patiently } from '../patiently.ts';
import type { ServerState } from './probe-server.ts';
import { quietestPoint } from '../detection/speech-segments.ts';
import { connectionFailure } from './server-failure.ts';
import type { ServerAnswer } from './server-client.ts';

/** One protocol of a remote server. */
export type Transport = {
  readonly engine: 'compat' | 'native';
  readonly queue: string;
  /** Null until it is known. */
  readonly model: string | null;
  /** The server as sentences call it. */
  readonly name: string;
  /**
   * One request.
   * @returns `shorter` when the server can do it only in pieces of `seconds`.
   */
  ask(request: {
    file: File;
    seconds: number;
    language: string | null;
    signal: AbortSignal;
  }): Promise<Transcript | { shorter: number }>;
  probe(signal: AbortSignal): Promise<ServerState>;
  close(): Promise<void>;
};

export type RemoteOptions = {
  patience?: Patience;
  /** Longest stretch in seconds; 16 kHz mono takes 32 kB a second, servers 25 MB. */
  secondsMax?: number;
  /** How often the server is looked at while it works, in ms. */
  watchMs?: number;
  /**
   * How long an answer for so many seconds of audio may take, in ms. `pace` is the slowest seen so
   * far, in seconds of work a second of audio; null before the first answer.
   */
  timeoutMs?: (seconds: number, pace: number | null) => number;
};

/**
 * 9.6 MB: long enough for any context, short enough to show progress and to lose little. The hard
 * limit of the protocol, 24 MiB, would be 786 s.
 */
const secondsMaxDefault = 300;
const pieceSecondsMin = 10;
/** A slow machine may take ten times as long as the audio; once it is known, four times its pace. */
const timeoutMsDefault = (seconds: number, pace: number | null) =>
  120_000 + seconds * 1000 * (pace === null ? 10 : Math.min(10, Math.max(1, 4 * pace)));

/**
 * A remote engine of any protocol: sends stretches one at a time, in pieces where the server wants
 * that, waits while it is away, tries again where that helps, and brings times back.
 */
export function remoteEngine(
  transport: Transport,
  {
    patience = defaultPatience,
    secondsMax = secondsMaxDefault,
    watchMs = 30_000,
    timeoutMs = timeoutMsDefault,
  }: RemoteOptions = {},
): SpeechEngine {
  let pieceSeconds = secondsMax;
  let pace: number | null = null;
  return {
    queue: transport.queue,
    engine: transport.engine,
    get model() {
      return transport.model;
    },
    secondsMax,
    async recognise(audio, stretch, { language, signal, onWaiting }) {
      signal.throwIfAborted();
      const code = languageCode(language);
      const segments: Segment[] = [];
      const heard: (string | null)[] = [];
      const rest: Stretch[] = await cut(audio, stretch, pieceSeconds);
      for (let next = rest.shift(); next; next = rest.shift()) {
        const piece = next;
        const seconds = piece[1] - piece[0];
        const attempt = () =>
          watched(
            transport,
            signal,
            { watchMs, timeoutMs: timeoutMs(seconds, pace) },
            async (limited) => {
              const file = await speechUpload(audio, piece);
              const began = performance.now();
              const heard = await transport.ask({ file, seconds, language: code, signal: limited });
              pace = Math.max(pace ?? 0, (performance.now() - began) / 1000 / seconds);
              return heard;
            },
          );
        const answer = await patiently(attempt, { patience, signal, onWaiting });
        if ('shorter' in answer) {
          if (seconds <= pieceSecondsMin) throw tooLarge(transport.name);
          pieceSeconds = Math.max(pieceSecondsMin, Math.min(answer.shorter, seconds / 2));
          rest.unshift(...(await cut(audio, piece, pieceSeconds)));
          continue;
        }
        segments.push(...shiftSegments(answer.segments, piece[0], piece[1]));
        heard.push(answer.language);
      }
      const doubt = doubtOf(segments);
      const found = heard.find((one) => one !== null) ?? code;
      return { segments, language: found, ...(doubt === undefined ? {} : { doubt }) };
    },
    close: () => transport.close(),
  };
}

/** What a server can do, as far as it has shown. */
export type Capabilities = {
  /** verbose_json with words → verbose_json → json without times. */
  rung: 'words' | 'segments' | 'json';
  /** Failures in a row that did not say why. */
  failures: number;
};

/** Endpoints remembered at most; the oldest is forgotten. */
const endpointsMax = 64;
/** A server may have been updated, or a failure misread: then the best is tried again. */
const rememberedMs = 3600_000;
const remembered = new LRUCache<string, Capabilities>({ max: endpointsMax, ttl: rememberedMs });

/**
 * What is known of an endpoint and model; shared, so that what one job finds out serves the next.
 * OpenAI's gpt-4o transcribers are known to give no times.
 */
export function capabilities(endpoint: string, model: string | null): Capabilities {
  const found = remembered.get(endpoint);
  if (found) return found;
  const textOnly = model !== null && /^gpt-4o.*transcribe/.test(model);
  const known: Capabilities = { rung: textOnly ? 'json' : 'words', failures: 0 };
  remembered.set(endpoint, known);
  return known;
}

/**
 * Takes the next rung when an answer says that the format is the trouble: by name, or by an
 * unexplained 500 for the second time (speaches with a Parakeet model).
 * @returns whether to ask again.
 */
export function stepDown(known: Capabilities, answer: ServerAnswer): boolean {
  if (known.rung === 'json' || ![400, 415, 422, 500, 501].includes(answer.status)) return false;
  const named = /response_format|timestamp|granularit|verbose_json/i.test(answer.body);
  if (!named) {
    if (answer.status !== 500) return false;
    known.failures += 1;
    if (known.failures < 2) return false;
  }
  known.failures = 0;
  known.rung = known.rung === 'words' ? 'segments' : 'json';
  return true;
}

/** Pieces of a stretch no longer than `seconds`, cut where it is quiet. */
async function cut(audio: SpeechFile, [start, end]: Stretch, seconds: number): Promise<Stretch[]> {
  const pieces: Stretch[] = [];
  let from = start;
  while (end - from > seconds) {
    const latest = Math.min(from + seconds, end - Math.min(1, seconds / 4));
    const to = await quietestPoint(audio, from + seconds * 0.5, latest);
    pieces.push([from, to]);
    from = to;
  }
  return [...pieces, [from, end]];
}

/**
 * Runs one request under a time-out, and looks at the server meanwhile: a machine that was switched
 * off does not say so. No answer to the look is no sign of death: whisper.cpp gives none while it
 * works; only a refused connection is, three times in a row.
 */
async function watched<T>(
  transport: Transport,
  signal: AbortSignal,
  { watchMs, timeoutMs }: { watchMs: number; timeoutMs: number },
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController();
  const stop = () => control.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const fail = (code: StageErrorCode, sentence: string) =>
    control.abort(new StageError(code, `${transport.name} ${sentence}`, { retriable: true }));
  const minutes = Math.ceil(timeoutMs / 60_000);
  const limit = setTimeout(
    () => fail('engine-stalled', `gave no answer in ${minutes} min.`),
    timeoutMs,
  );
  let gone = 0;
  let looking = false;
  const look = async () => {
    if (looking) return;
    looking = true;
    const { state } = await transport.probe(control.signal);
    looking = false;
    gone = state === 'away' ? gone + 1 : 0;
    if (gone >= 3) fail('engine-away', 'went away while it worked.');
  };
  const watch = setInterval(() => void look(), watchMs);
  try {
    return await request(control.signal);
  } catch (error) {
    control.signal.throwIfAborted(); // the reason, rather than what it did to the connection
    throw connectionFailure(transport.name, error);
  } finally {
    clearTimeout(limit);
    clearInterval(watch);
    signal.removeEventListener('abort', stop);
    control.abort(); // a look that is still under way
  }
}

function tooLarge(name: string): StageError {
  return new StageError(
    'engine-refused',
    `${name} refuses even ${pieceSecondsMin} seconds of audio as too large. A proxy before it may limit uploads.`,
    { retriable: false },
  );
}

/**
 * A stretch of a speech file as a WAV file to upload: read from the disk while it is sent, of known
 * length (servers hang without Content-Length), and with an extension (OpenAI goes by it).
 */
async function speechUpload(audio: SpeechFile, [start, end]: Stretch): Promise<File> {
  const first = Math.max(0, Math.round(start * speechRate));
  const last = Math.min(audio.samples, Math.round(end * speechRate));
  const whole = await openAsBlob(audio.path);
  const samples = whole.slice(speechHeaderBytes + first * 2, speechHeaderBytes + last * 2);
  return new File([speechHeader(last - first), samples], 'speech.wav', { type: 'audio/wav' });
}
