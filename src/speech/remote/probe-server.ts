import { once } from 'node:events';
import { connect } from 'node:net';
import { type LookTime, lookAt, serverConnections, shortly } from '../../servers/ask-server.ts';
import { type Server, type ServerAnswer, guardedLookup, serverName } from '../../servers/server.ts';
import { answerFailure, connectionFailure } from '../../servers/server-failure.ts';
import type { StageFailure } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { inEnglish } from '../../words/say.ts';

/** How a server looks right now, and why in a sentence. */
export type ServerState = {
  /**
   * `busy`: it is there but does not answer, as whisper.cpp while it works; or it is loading.
   * `refused`: it is there and will not work like this (key, address).
   */
  state: 'ready' | 'busy' | 'away' | 'refused';
  detail: string;
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
  return asOne(server, answer, 'a whisper.cpp server: it has no /health');
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
  if (answer.status === 200) return ready(`${name} is ready.`, modelIds(answer.body));
  // whisper.cpp with --inference-path, and others without a list: they are there all the same.
  if (answer.status === 404 || answer.status === 405)
    return ready(`${name} answers, and has no list of models.`);
  return refusal(server, answer);
}

/** Looks at a whisper-asr-webservice, which has no health: `GET /docs`. Never throws but for an abort. */
export async function probeAsr(
  server: Server,
  signal: AbortSignal,
  time: LookTime = {},
): Promise<ServerState> {
  const answer = await look(server, '/docs', signal, time);
  return 'state' in answer
    ? answer
    : asOne(server, answer, 'a whisper-asr-webservice: it has no /docs');
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
  return answer ?? silent('busy', failure('speech-server-silent', { server: server.name }));
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
function asOne(server: Server, answer: ServerAnswer, what: string): ServerState {
  if (answer.status === 200) return ready(`${server.name} is ready.`);
  if (answer.status === 404)
    return {
      ...failed('refused', failure('speech-server-not-found', { server: server.name })),
      detail: `${server.name} is not ${what}.`,
    };
  return refusal(server, answer);
}

function refusal(server: Server, answer: ServerAnswer): ServerState {
  const { retriable, sentence } = answerFailure(server, answer);
  return failed(retriable ? 'busy' : 'refused', sentence);
}

const ready = (detail: string, models: string[] = []): ServerState => ({
  state: 'ready',
  detail,
  failure: null,
  answered: true,
  models,
});

const failed = (
  state: Exclude<ServerState['state'], 'ready'>,
  sentence: StageFailure,
): ServerState => ({
  state,
  detail: inEnglish(sentence),
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
