import { once } from 'node:events';
import { connect } from 'node:net';
import { type LookTime, lookAt, serverConnections, shortly } from '../../servers/ask-server.ts';
import { type Server, type ServerAnswer, guardedLookup, serverName } from '../../servers/server.ts';
import { answerFailure, connectionFailure } from '../../servers/server-failure.ts';
import type { StageFailure } from '../../shared/errors.ts';
import { check } from '../../words/checks.ts';
import { failure } from '../../words/failures.ts';
import type { Sentence } from '../../words/params.ts';

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
