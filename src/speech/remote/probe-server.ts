import { once } from 'node:events';
import { connect } from 'node:net';
import { type LookTime, lookAt, shortly } from '../../servers/ask-server.ts';
import { serverConnections } from '../../servers/connections.ts';
import { type Server, type ServerAnswer, guardedLookup, serverName } from '../../servers/server.ts';
import { answerFailure, connectionFailure } from '../../servers/server-failure.ts';
import type { StageFailure } from '../../shared/errors.ts';
import { check } from '../../words/checks.ts';
import { failure } from '../../words/failures.ts';
import type { Sentence } from '../../words/params.ts';
import { LRUCache } from 'lru-cache';
import type { Segment } from '../../../events/facts/transcript.ts';

/** How a server looks right now, and why. */
export type ServerState = {
  /**
   * `busy`: it is there but does not answer, as whisper.cpp while it works; or it is loading.
   * `refused`: it is there and will not work like this (key, address).
   */
  state: 'ready' | 'busy' | 'away' | 'refused';
  said: Sentence;
  /** Why nothing can be asked of it now; null where it is ready. */
  failure: StageFailure | null;
  /** Whether it answered at all, with whatever. */
  answered: boolean;
  /** Ids of its models, where it tells. */
  models: string[];
};

const modelsMax = 1000;
/** Once an answer has begun, so long may pass between two pieces of it. */
const bodySeconds = 60;

/** A speech-to-text server to be asked. @param base as `compatBase`, `nativeBase` or `asrBase` */
export const speechServer = (base: string, apiKey: string | null): Server => ({
  kind: 'speech',
  base,
  name: serverName(base),
  apiKey,
  connections: serverConnections(bodySeconds),
});

/** Looks at a whisper.cpp server: `GET /health`. Never throws but for an abort. */
export async function probeNative(
  server: Server,
  signal: AbortSignal,
  time: LookTime = {},
): Promise<ServerState> {
  const answer = await look(server, '/health', signal, time);
  if ('state' in answer) return answer;
  // It answers 404 to its own /health while it loads a model, and for ever when that has failed.
  if (answer.status === 404 && answer.body.includes('File Not Found'))
    return failed('busy', failure('speech-server-loading', { server: server.name }));
  return asOne(server, answer, 'not-whisper-cpp');
}

/** Looks at an OpenAI-compatible server: `GET /models`. Never throws but for an abort. */
export async function probeCompat(
  server: Server,
  signal: AbortSignal,
  time: LookTime = {},
): Promise<ServerState> {
  const { name } = server;
  const answer = await look(server, '/models', signal, time);
  if ('state' in answer) return answer;
  if (answer.status === 200) return ready('server-ready', name, modelIds(answer.body));
  // whisper.cpp with --inference-path, and others without a list: they are there all the same.
  if (answer.status === 404 || answer.status === 405) return ready('server-no-list', name);
  return refusal(server, answer);
}

/** Looks at a whisper-asr-webservice, which has no health: `GET /docs`. Never throws but for an abort. */
export async function probeAsr(
  server: Server,
  signal: AbortSignal,
  time: LookTime = {},
): Promise<ServerState> {
  const answer = await look(server, '/docs', signal, time);
  return 'state' in answer ? answer : asOne(server, answer, 'not-whisper-asr');
}

async function look(
  server: Server,
  path: string,
  signal: AbortSignal,
  time: LookTime,
): Promise<ServerAnswer | ServerState> {
  const answer = await lookAt(server, `${server.base}${path}`, signal, time).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      const { retriable, sentence } = connectionFailure(server, error);
      return silent(retriable ? 'away' : 'refused', sentence);
    },
  );
  if (answer) return answer;
  const { name } = server;
  return {
    ...silent('busy', failure('speech-server-silent', { server: name })),
    said: check('server-at-work', { server: name }),
  };
}

/** Whether a server takes connections. Never throws but for an abort. */
export async function acceptsConnection(
  base: string,
  signal: AbortSignal,
  time: LookTime = {},
): Promise<boolean> {
  const { hostname, port, protocol } = new URL(base);
  return await shortly(signal, time, async (late) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      lookup: guardedLookup,
      signal: late,
    });
    const connected = once(socket, 'connect').then(
      () => true,
      () => false,
    );
    return await connected.finally(() => socket.destroy());
  });
}

/** What an answer says of a server that has that page if it is what it is taken for. */
function asOne(
  server: Server,
  answer: ServerAnswer,
  other: 'not-whisper-cpp' | 'not-whisper-asr',
): ServerState {
  const { name } = server;
  if (answer.status === 200) return ready('server-ready', name);
  if (answer.status === 404)
    return {
      ...failed('refused', failure('speech-server-not-found', { server: name })),
      said: check(other, { server: name }),
    };
  return refusal(server, answer);
}

function refusal(server: Server, answer: ServerAnswer): ServerState {
  const { retriable, sentence } = answerFailure(server, answer);
  return failed(retriable ? 'busy' : 'refused', sentence);
}

const ready = (
  code: 'server-ready' | 'server-no-list',
  server: string,
  models: string[] = [],
): ServerState => ({
  state: 'ready',
  said: check(code, { server }),
  failure: null,
  answered: true,
  models,
});

const failed = (
  state: Exclude<ServerState['state'], 'ready'>,
  sentence: StageFailure,
): ServerState => ({
  state,
  said: sentence,
  failure: sentence,
  answered: true,
  models: [],
});

const silent = (...[state, sentence]: Parameters<typeof failed>): ServerState => ({
  ...failed(state, sentence),
  answered: false,
});

/** `{data: [{id}]}`, or nothing when the list is of another shape. */
function modelIds(body: string): string[] {
  try {
    const { data }: { data?: { id?: unknown }[] } = JSON.parse(body);
    if (!Array.isArray(data)) return [];
    return data
      .map((model) => model?.id)
      .filter((id) => typeof id === 'string')
      .slice(0, modelsMax);
  } catch {
    return []; // a page, or half a list: the server is there, and that was the question
  }
}

/** What a server can do, as far as it has shown. */
export type Capabilities = {
  /** diarized_json (segments with speakers) → verbose_json with words → verbose_json → json without times. */
  format: 'diarized' | 'words' | 'segments' | 'json';
  /** OpenAI's gpt-4o transcribers: without diarized_json all they have is text. */
  textOnly: boolean;
  /** Whether it tells speakers apart: by the name of the model, or as an answer has shown; null: not yet. */
  speakers: boolean | null;
  /** Whether an answer has named speakers; a name of a model only promises that. */
  hasNamed: boolean;
  /** Whether it takes samples of the speakers that earlier requests found. */
  references: boolean;
  /** Whether it takes `stream`, until it has refused it; most that do not know it take no notice. */
  streams: boolean;
  /** Whether it takes names and terms, until it has refused them. */
  prompts: boolean;
  /** Longest piece that it has not refused, in seconds; infinite until it has refused one. */
  secondsTaken: number;
  /** Failures in a row that did not say why. */
  failures: number;
};

/** What a server has shown of its speed and kind. */
export type ServerPace = {
  /** The slowest answer so far, in seconds of work for a second of audio; null before the first. */
  slowest: number | null;
  /** Whether it assumes English unless `language` is `auto`: whisper.cpp, which says its name. */
  assumesEnglish: boolean;
};

/** Endpoints remembered at most; the one that was not used for longest is forgotten. */
const endpointsMax = 64;
/** A server may have been updated, or a failure misread: then the best is tried again. */
const rememberedMs = 3600_000;
const remembered = new LRUCache<string, Capabilities>({ max: endpointsMax, ttl: rememberedMs });
const paces = new LRUCache<string, ServerPace>({ max: endpointsMax });

/**
 * What is known of an endpoint and model; shared, so that what one job finds out serves the next.
 * OpenAI's gpt-4o transcribers are known to give no times, but for the one that tells speakers apart.
 */
export function capabilities({ base }: Pick<Server, 'base'>, model: string | null): Capabilities {
  const endpoint = endpointOf(base, model);
  const found = remembered.get(endpoint);
  if (found) return found;
  const textOnly = model !== null && /^gpt-4o.*transcribe/.test(model);
  // `gpt-4o-transcribe-diarize`, and what proxies call it.
  const speakers = model !== null && /diari[sz]/i.test(model);
  const format = speakers ? 'diarized' : textOnly ? 'json' : 'words';
  const known: Capabilities = {
    format,
    textOnly,
    speakers: speakers || (textOnly ? false : null),
    hasNamed: false,
    references: speakers,
    streams: true,
    prompts: true,
    secondsTaken: Infinity,
    failures: 0,
  };
  remembered.set(endpoint, known);
  return known;
}

const endpointOf = (base: string, model: string | null): string => `${base} ${model ?? ''}`;

/** Takes from an answer whether the server tells speakers apart; without being asked to some do not. */
export function noteSpeakers(known: Capabilities, segments: readonly Segment[], asked: boolean) {
  if (segments.some(({ speaker }) => speaker !== undefined)) {
    known.speakers = true;
    known.hasNamed = true;
  } else if (asked && segments.length > 0) known.speakers = false;
}

/** What is known of the speed of an endpoint with a model; shared as `capabilities`. */
export function serverPace({ base }: Pick<Server, 'base'>, model: string | null): ServerPace {
  const endpoint = endpointOf(base, model);
  const found = paces.get(endpoint);
  if (found) return found;
  const unknown: ServerPace = { slowest: null, assumesEnglish: false };
  paces.set(endpoint, unknown);
  return unknown;
}

/** Asks for the answer in one piece from now on, where one says that streaming it is the trouble. @returns whether to ask again */
export function stopStreaming(known: Capabilities, { status, body }: ServerAnswer): boolean {
  if (!known.streams || status < 400 || status === 404 || !/\bstream/i.test(body)) return false;
  known.streams = false;
  return true;
}

/** Asks without names and terms from now on, where one says that they are the trouble. @returns whether to ask again */
export function stopPrompting(known: Capabilities, { status, body }: ServerAnswer): boolean {
  if (![400, 422, 500, 501].includes(status) || !/\bprompt/i.test(body)) return false;
  known.prompts = false;
  return true;
}

/**
 * Takes the next simpler format when an answer says that the format is the trouble: by name, or by
 * an unexplained 500 for the second time (speaches with a Parakeet model), but for that
 * never to one without speakers where the server has named some.
 * @returns whether to ask again.
 */
export function downgrade(known: Capabilities, answer: ServerAnswer): boolean {
  if (known.format === 'json' || ![400, 415, 422, 500, 501].includes(answer.status)) return false;
  if (known.references && /known_speaker/i.test(answer.body)) {
    known.references = false;
    return true;
  }
  const named = /response_format|timestamp|granularit|verbose_json|diarized_json/i.test(
    answer.body,
  );
  if (!named) {
    const isMoment = known.format === 'diarized' && known.hasNamed;
    if (answer.status !== 500 || isMoment) return false;
    known.failures += 1;
    if (known.failures < 2) return false;
  }
  known.failures = 0;
  known.format = simplerThan(known);
  return true;
}

/** The next simpler format of a server that does not have the present one. */
export function simplerThan({ format, textOnly }: Capabilities): Capabilities['format'] {
  if (format === 'diarized') return textOnly ? 'json' : 'words';
  return format === 'words' ? 'segments' : 'json';
}
