import { openAsBlob } from 'node:fs';
import type { Segment, Stretch } from '../../../events/facts/transcript.ts';
import { type SpeechFile, speechHeader, speechHeaderBytes, speechRate } from '../../audio/wav.ts';
import { StageError } from '../../shared/errors.ts';
import {
  failingServerMs,
  retryStage,
  type WaitingSign,
  waitingSign,
} from '../../shared/retry-stage.ts';
import { type Clock, systemClock } from '../../shared/retry.ts';
import { type HeardPart, askedStretch, keptPart } from '../detection/seams.ts';
import { quietestPoint } from '../detection/speech-segments.ts';
import { doubtOf } from '../doubt.ts';
import type { SpeechEngine } from '../engine.ts';
import { languageCode } from '../../shared/languages.ts';
import { type Transcript, shiftSegments } from '../parse-transcript.ts';
import { serverPace } from './capabilities.ts';
import { acceptsConnection, type ServerState } from './probe-server.ts';
import { waitingCodes } from './server-failure.ts';
import { watchRequest } from './watch-request.ts';

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
  /** Longest segment of speech in seconds; 16 kHz mono takes 32 kB a second, servers 25 MB. */
  secondsMax?: number;
  /** Pauses between tries in ms, growing from the first to the longest. */
  pauses?: { first: number; max: number };
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
 * A remote engine of any protocol: sends segments of speech one at a time, in pieces where the server wants
 * that, waits while it is away, tries again where that helps, and brings times back.
 */
export function remoteEngine(
  transport: Transport,
  { secondsMax = secondsMaxDefault, pauses, clock = systemClock }: RemoteOptions = {},
): SpeechEngine {
  let pieceSeconds = secondsMax;
  return {
    queue: transport.queue,
    engine: transport.engine,
    get model() {
      return transport.model;
    },
    secondsMax,
    async recognise(audio, stretch, { language, signal, onWaiting = () => {} }) {
      signal.throwIfAborted();
      const code = languageCode(language);
      const sign = waitingSign(onWaiting);
      const segments: Segment[] = [];
      const heard: (string | null)[] = [];
      const rest: Stretch[] = await cut(audio, stretch, pieceSeconds);
      let before: HeardPart | null = null;
      for (let piece = rest.shift(); piece; piece = rest.shift()) {
        const asked = askedStretch(piece, before);
        const request = { audio, piece: asked, language: code };
        const work = () => askOnce(transport, request, { sign, clock, signal });
        const limitMs = waitLimits();
        const answer = await retryStage(work, { limitMs, sign, signal, pauses, clock }).catch(
          (error: unknown) => {
            throw gaveUp(error);
          },
        );
        const seconds = piece[1] - piece[0];
        if ('shorter' in answer) {
          if (seconds <= pieceSecondsMin) throw tooLarge(transport.name);
          pieceSeconds = Math.max(pieceSecondsMin, Math.min(answer.shorter, seconds / 2));
          rest.unshift(...(await cut(audio, piece, pieceSeconds)));
          continue;
        }
        const shifted = shiftSegments(answer.segments, asked[0], asked[1]);
        before = keptPart(shifted, piece, { before, goesOn: rest.length > 0 });
        segments.push(...before.segments);
        heard.push(answer.language);
      }
      const doubt = doubtOf(segments);
      const found = heard.find((one) => one !== null) ?? code;
      return { segments, language: found, ...(doubt === undefined ? {} : { doubt }) };
    },
    probe: (signal) => transport.probe(signal),
    close: () => transport.close(),
  };
}

/** One try of one piece, watched. */
async function askOnce(
  transport: Transport,
  { audio, piece, language }: { audio: SpeechFile; piece: Stretch; language: string | null },
  { sign, clock, signal }: { sign: WaitingSign; clock: Clock; signal: AbortSignal },
): Promise<Transcript | { shorter: number }> {
  const seconds = piece[1] - piece[0];
  const watched = {
    name: transport.name,
    pace: serverPace(`${transport.queue} ${transport.model ?? ''}`),
    seconds,
    probe: (ended: AbortSignal) => transport.probe(ended),
    connects: (ended: AbortSignal) => acceptsConnection(transport.queue, ended, { clock }),
    sign,
    clock,
  };
  return await watchRequest(watched, signal, async (limited) => {
    const file = await speechUpload(audio, piece);
    return await transport.ask({ file, seconds, language, signal: limited });
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
function gaveUp(error: unknown): unknown {
  if (!(error instanceof StageError) || !waitingCodes.has(error.code)) return error;
  const sentence = `${error.message} Waited ${awayMs / 60_000} minutes for it.`;
  const { retryAfterMs } = error;
  return new StageError('engine-away', sentence, { retriable: true, retryAfterMs, cause: error });
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
