import { anyNumber } from '../../shared/speaker-count.ts';
import { openAsBlob } from 'node:fs';
import type { Stretch } from '../../../events/facts/transcript.ts';
import {
  type SpeechFile,
  speechHeader,
  wavHeaderBytes,
  speechRate,
  wavHeader,
} from '../../audio/wav.ts';
import type { Server } from '../../servers/server.ts';
import { waitingCodes, connectionFailure } from '../../servers/server-failure.ts';
import { StageError, type StageFailure } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import {
  failingServerMs,
  retryStage,
  type WaitingSign,
  waitingSign,
  type Clock,
  systemClock,
} from '../../shared/retry.ts';
import type { Pauses } from '../../shared/pauses.ts';
import { heardInPieces } from '../detection/heard-in-pieces.ts';
import { withDoubts } from '../doubt.ts';
import type { Meeting, SpeechEngine } from '../engine.ts';
import { languageCode } from '../../shared/languages.ts';
import type { Transcript } from '../parse-transcript.ts';
import {
  capabilities,
  serverPace,
  type ServerPace,
  acceptsConnection,
  type ServerState,
} from './probe-server.ts';
import { onAbort } from '../../shared/abort.ts';

/** One protocol of a remote server. */
export type Transport = {
  readonly engine: 'compat' | 'native' | 'asr';
  readonly server: Server;
  /** Null until it is known. */
  readonly model: string | null;
  /** Whether its answers say who speaks; null while that is not known. */
  readonly tellsSpeakers: boolean | null;
  /** Longest piece of a meeting it is sent then, in seconds. */
  readonly meetingSecondsMax: number;
  /** See `SpeechEngine`. */
  readonly takesChannels?: boolean;
  /** One request. @returns `shorter` when the server can do it only in pieces of `seconds`. */
  ask(request: SpeechRequest): Promise<Transcript | { shorter: number }>;
  probe(signal: AbortSignal): Promise<ServerState>;
};

/** What is sent of a recording at once. */
export type SpeechRequest = {
  file: File;
  seconds: number;
  language: string | null;
  /** Differs from all other requests of the recording: begins the names of speakers that only it knows. */
  request: string;
  /** Of a meeting: with all that was recognised before, and the audio it was recognised in. */
  meeting: (Meeting & { audio: SpeechFile }) | null;
  /** Names and terms that may be said, the most useful first. */
  terms: readonly string[];
  /** Wants to know the text while it comes. */
  onPartial?: ((text: string) => void) | undefined;
  signal: AbortSignal;
};

export type RemoteOptions = {
  /** Longest segment of speech in seconds; 16 kHz mono takes 32 kB a second, servers 25 MB. */
  secondsMax?: number;
  /** Between tries. */
  pauses?: Pauses;
  clock?: Clock;
};

/** How long a server that cannot be reached, or says that it is busy, is waited for. */
const awayMs = 30 * 60_000;
/** Answers that cannot be read, before the server is given up: the next one is most likely the same. */
const unreadableMax = 3;
/**
 * 9.6 MB: long enough for any context, short enough to show progress and to lose little. The hard
 * limit of the protocol, 24 MiB, would be 786 s.
 */
const secondsMaxDefault = 300;
const pieceSecondsMin = 10;
/**
 * Longest piece of a meeting for a server that tells speakers apart and has no limit of its own, or says so
 * (413): 115 MB, and an hour is what is lost when one fails.
 */
export const meetingSecondsMax = 3600;
/** Speech that shows whether a server tells speakers apart. */
const learnSeconds = 20;

/**
 * A remote engine of any protocol: sends segments of speech one at a time, in pieces where the server wants
 * that, waits while it is away, tries again where that helps, and brings times back.
 */
export function remoteEngine(
  transport: Transport,
  { secondsMax = secondsMaxDefault, pauses, clock = systemClock }: RemoteOptions = {},
): SpeechEngine {
  /** What the server has shown to take. */
  const shown = () => capabilities(transport.server, transport.model);
  const meetingMax = () => (transport.tellsSpeakers ? transport.meetingSecondsMax : undefined);
  return {
    queue: transport.server.base,
    engine: transport.engine,
    get model() {
      return transport.model;
    },
    secondsMax,
    takesChannels: transport.takesChannels ?? false,
    get meetingSecondsMax() {
      return meetingMax();
    },
    async learnSpeakers(audio, [start, end], options) {
      if (transport.tellsSpeakers !== null) return;
      const some: Stretch = [start, Math.min(end, start + learnSeconds)];
      const meeting = { speakers: anyNumber, heard: [] };
      await this.recognise(audio, some, { ...options, meeting });
    },
    async recognise(
      audio,
      stretch,
      { language, signal, meeting, terms = [], onPartial, onWaiting = () => {} },
    ) {
      signal.throwIfAborted();
      const code = languageCode(language);
      const sign = waitingSign(onWaiting);
      const longest = Math.max(secondsMax, (meeting && meetingMax()) ?? 0);
      const { segments, answers } = await heardInPieces(audio, stretch, {
        secondsMax: () => Math.min(longest, shown().secondsTaken),
        hear: async ({ piece, asked, before }) => {
          const known = meeting && { ...meeting, heard: [...meeting.heard, ...before] };
          const request = { audio, piece: asked, language: code, meeting: known, terms, onPartial };
          const work = () => askOnce(transport, request, { sign, clock, signal });
          const limitMs = waitLimits();
          const answer = await retryStage(work, { limitMs, sign, signal, pauses, clock }).catch(
            (error: unknown) => {
              throw gaveUp(error, transport.server);
            },
          );
          if (!('shorter' in answer)) return answer;
          const seconds = piece[1] - piece[0];
          if (seconds <= pieceSecondsMin) throw tooLarge(transport.server.name);
          shown().secondsTaken = Math.max(pieceSecondsMin, Math.min(answer.shorter, seconds / 2));
          return null;
        },
      });
      const { language: found = code, probability } =
        answers.find((one) => one.language !== null) ?? {};
      const sure = probability === undefined ? {} : { probability };
      return { segments: withDoubts(segments, terms), language: found, ...sure };
    },
    probe: (signal) => transport.probe(signal),
    close: () => transport.server.connections.destroy(),
  };
}

type AskedPiece = {
  audio: SpeechFile;
  piece: Stretch;
  language: string | null;
  meeting: Meeting | undefined;
  terms: readonly string[];
  onPartial: SpeechRequest['onPartial'];
};

/** One try of one piece, watched. */
async function askOnce(
  transport: Transport,
  { audio, piece, language, meeting, terms, onPartial }: AskedPiece,
  { sign, clock, signal }: { sign: WaitingSign; clock: Clock; signal: AbortSignal },
): Promise<Transcript | { shorter: number }> {
  const { server } = transport;
  const seconds = piece[1] - piece[0];
  const watched = {
    server,
    pace: serverPace(server, transport.model),
    seconds,
    probe: (ended: AbortSignal) => transport.probe(ended),
    connects: (ended: AbortSignal) => acceptsConnection(server.base, ended, { clock }),
    sign,
    clock,
  };
  return await watchRequest(watched, signal, async (limited) => {
    const channels = transport.takesChannels && meeting?.channels;
    const file = channels ? await stereoUpload(channels, piece) : await speechUpload(audio, piece);
    return await transport.ask({
      file,
      seconds,
      language,
      request: String(piece[0]),
      meeting: meeting ? { ...meeting, audio } : null,
      terms,
      onPartial,
      signal: limited,
    });
  });
}

/**
 * How long one request is tried, in ms since it began: half an hour, from the first failure on, while the server is
 * away or busy; ten minutes from the first time it failed at it.
 */
function waitLimits(): (error: StageError, elapsedMs: number) => number {
  let since: number | undefined;
  let failing: number | undefined;
  let unreadable = 0;
  return (error, elapsedMs) => {
    since ??= elapsedMs;
    if (waitingCodes.has(error.code)) return since + awayMs;
    if (error.code === 'engine-answer' && ++unreadable >= unreadableMax) return 0;
    failing ??= elapsedMs;
    return Math.min(since + awayMs, failing + failingServerMs);
  };
}

/** After the last try of a server that was waited for. */
function gaveUp(error: unknown, { name: server }: Server): unknown {
  if (!(error instanceof StageError) || !waitingCodes.has(error.code)) return error;
  const { retryAfterMs } = error;
  const sentence = failure('speech-server-gave-up', { server, waited: awayMs / 60_000 });
  return new StageError(sentence, { retriable: true, retryAfterMs, cause: error });
}

const tooLarge = (server: string): StageError =>
  new StageError(failure('speech-server-too-large', { server, least: pieceSecondsMin }), {
    retriable: false,
  });

/**
 * A stretch of a speech file as a WAV file to upload: read from the disk while it is sent, of known
 * length (servers hang without Content-Length), and with an extension (OpenAI goes by it).
 */
async function speechUpload(audio: SpeechFile, [start, end]: Stretch): Promise<File> {
  const first = Math.max(0, Math.round(start * speechRate));
  const last = Math.min(audio.samples, Math.round(end * speechRate));
  const whole = await openAsBlob(audio.path);
  const samples = whole.slice(wavHeaderBytes + first * 2, wavHeaderBytes + last * 2);
  return new File([speechHeader(last - first), samples], 'speech.wav', { type: 'audio/wav' });
}

/** The same of two channels: 64 kB a second, in memory, of a piece that is not long. */
async function stereoUpload(
  channels: readonly [SpeechFile, SpeechFile],
  [start, end]: Stretch,
): Promise<File> {
  const [left, right] = [await channels[0].read(start, end), await channels[1].read(start, end)];
  const both = new Int16Array(2 * Math.max(left.length, right.length));
  for (let i = 0; i < both.length / 2; i += 1) {
    both[2 * i] = left[i] ?? 0;
    both[2 * i + 1] = right[i] ?? 0;
  }
  const header = wavHeader(2, both.length / 2, speechRate);
  return new File([header, both], 'speech.wav', { type: 'audio/wav' });
}

/** What is watched: the server, what it has shown so far, and for how much audio it is asked. */
export type Watched = {
  server: Server;
  pace: ServerPace;
  /** Seconds of audio. */
  seconds: number;
  /** Health or list of models. Never throws but for an abort. */
  probe(signal: AbortSignal): Promise<ServerState>;
  /** Whether it takes connections. Never throws but for an abort. */
  connects(signal: AbortSignal): Promise<boolean>;
  sign: WaitingSign;
  clock: Clock;
};

/** Between two probes of a server at work. */
const probeEveryMs = 60_000;
/** The first probe: a server that was waited for may be back. */
const firstProbeMs = 5000;
/** Probes in a row without an answer that end the wait. */
const unansweredMax = 3;

const limits = {
  /** For the first answer of a server, and as many times the audio's length. */
  firstMs: 30 * 60_000,
  firstFactor: 6,
  /** For any later one. */
  leastMs: 5 * 60_000,
  /** Times the slowest answer so far. */
  factor: 10,
  /** A timer takes no more than 24 days: what loaded its model for an hour at first would have none. */
  mostMs: 24 * 3_600_000,
  /** Audio that is shorter counts for so many seconds: what each request costs is not its length. */
  secondsMin: 10,
};

/**
 * Runs one request and tells a hung server from a slow one: it may take ten times as long for a second of
 * audio as the slowest answer so far; meanwhile the server is probed each minute, and the wait ends
 * when three probes found nobody. It has to take connections only: single-threaded ones answer nothing while they
 * work, though they did while the audio was sent.
 * @throws {StageError} `engine-stalled`, `engine-away`, as `connectionFailure`; the signal's reason.
 */
export async function watchRequest<T>(
  watched: Watched,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { server, pace, seconds, clock } = watched;
  const control = new AbortController();
  const forget = onAbort(signal, (reason) => control.abort(reason));
  const fail = (sentence: StageFailure): void =>
    control.abort(new StageError(sentence, { retriable: true }));
  const limitMs = answerLimitMs(pace.slowest, seconds);
  const ended = (): void => {}; // the request has ended, one way or the other
  clock.wait(limitMs, control.signal).then(() => {
    const limit = Math.ceil(limitMs / 60_000);
    fail(failure('speech-server-stalled', { server: server.name, limit }));
  }, ended);
  probeAtWork(watched, control.signal, fail).catch(ended);
  const began = clock.now();
  try {
    const answer = await request(control.signal);
    const took = (clock.now() - began) / 1000 / Math.max(limits.secondsMin, seconds);
    pace.slowest = Math.max(pace.slowest ?? 0, took);
    return answer;
  } catch (error) {
    control.signal.throwIfAborted(); // the reason, rather than what it did to the connection
    throw connectionFailure(server, error);
  } finally {
    forget();
    control.abort();
  }
}

/** How long an answer may take, in ms. @param slowest see `ServerPace`. */
export function answerLimitMs(slowest: number | null, seconds: number): number {
  if (slowest === null) return Math.max(limits.firstMs, limits.firstFactor * seconds * 1000);
  const audioMs = Math.max(limits.secondsMin, seconds) * 1000;
  return Math.min(limits.mostMs, Math.max(limits.leastMs, limits.factor * slowest * audioMs));
}

/** Probes until the signal aborts, shows when there is no answer, and fails after three of them. */
async function probeAtWork(
  { server, probe, connects, sign, clock }: Watched,
  signal: AbortSignal,
  fail: (sentence: StageFailure) => void,
): Promise<void> {
  // The first one only finds out whether it is back.
  let unanswered = -1;
  for (let pauseMs = firstProbeMs; ; pauseMs = probeEveryMs) {
    await clock.wait(pauseMs, signal);
    const { answered, state } = await probe(signal);
    const there = answered || (state === 'busy' && (await connects(signal)));
    signal.throwIfAborted();
    if (there) {
      unanswered = 0;
      sign.clear();
      continue;
    }
    unanswered += 1;
    if (unanswered < 1) continue;
    if (unanswered < unansweredMax)
      sign.show(failure('speech-server-silent', { server: server.name }));
    else fail(failure('speech-server-lost', { server: server.name }));
  }
}
