import { connect } from 'node:net';
import type { Dispatcher } from 'undici';
import { guardedLookup } from '../../shared/outbound.ts';
import { type Clock, systemClock } from '../../shared/retry.ts';
import { askServer } from './server-client.ts';
import { type ServerAnswer, answerFailure, connectionFailure } from './server-failure.ts';

/** How a server looks right now, and why in a sentence. */
export type ServerState = {
  /**
   * `busy`: it is there but does not answer, as whisper.cpp while it works; or it is loading.
   * `refused`: it is there and will not work like this (key, address).
   */
  state: 'ready' | 'busy' | 'away' | 'refused';
  detail: string;
  /** Whether it answered at all, with whatever. */
  answered: boolean;
  /** Ids of its models, where it tells. */
  models: string[];
};

/** How a probe measures time, and how long it may take. */
type ProbeTime = { timeoutMs?: number; clock?: Clock };

/** A probe must not take longer than that. */
const probeMs = 3000;
const modelsMax = 1000;

/** Looks at a whisper.cpp server: `GET /health`. Never throws but for an abort. */
export async function probeNative(
  base: string,
  name: string,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  time: ProbeTime = {},
): Promise<ServerState> {
  const answer = await look(`${base}/health`, {}, name, dispatcher, signal, time);
  if ('state' in answer) return answer;
  // It answers 404 to its own /health while it loads a model, and for ever when that has failed.
  if (answer.status === 404 && answer.body.includes('File Not Found'))
    return state('busy', `${name} is loading its model, or could not load it.`);
  return asOne(name, answer, 'a whisper.cpp server: it has no /health');
}

/** Looks at an OpenAI-compatible server: `GET /models`. Never throws but for an abort. */
export async function probeCompat(
  base: string,
  name: string,
  headers: Record<string, string>,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  time: ProbeTime = {},
): Promise<ServerState> {
  const answer = await look(`${base}/models`, headers, name, dispatcher, signal, time);
  if ('state' in answer) return answer;
  if (answer.status === 200) return state('ready', `${name} is ready.`, modelIds(answer.body));
  // whisper.cpp with --inference-path, and others without a list: they are there all the same.
  if (answer.status === 404 || answer.status === 405)
    return state('ready', `${name} answers, and has no list of models.`);
  return refusal(name, answer, Object.values(headers)[0]?.replace('Bearer ', '') ?? null);
}

/** Looks at a whisper-asr-webservice, which has no health: `GET /docs`. Never throws but for an abort. */
export async function probeAsr(
  base: string,
  name: string,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  time: ProbeTime = {},
): Promise<ServerState> {
  const answer = await look(`${base}/docs`, {}, name, dispatcher, signal, time);
  return 'state' in answer
    ? answer
    : asOne(name, answer, 'a whisper-asr-webservice: it has no /docs');
}

async function look(
  url: string,
  headers: Record<string, string>,
  name: string,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  time: ProbeTime,
): Promise<ServerAnswer | ServerState> {
  const late = lateSignal(signal, time);
  try {
    return await askServer(url, { headers, signal: late.signal }, dispatcher);
  } catch (error) {
    if (late.signal.aborted) return silent('busy', `${name} does not answer: it may be at work.`);
    const failure = connectionFailure(name, error);
    const gone = failure.code === 'engine-away' || failure.code === 'engine-failed';
    return silent(gone ? 'away' : 'refused', failure.message);
  } finally {
    late.end();
  }
}

/** Whether a server takes connections. Never throws. */
export async function acceptsConnection(
  base: string,
  signal: AbortSignal,
  time: ProbeTime = {},
): Promise<boolean> {
  const { hostname, port, protocol } = new URL(base);
  const late = lateSignal(signal, time);
  return await new Promise<boolean>((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      lookup: guardedLookup,
      signal: late.signal,
    });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  }).finally(() => late.end());
}

/** Aborts after the time of a probe, and with `signal`. Call `end` when the probe has ended. */
function lateSignal(
  signal: AbortSignal,
  { timeoutMs = probeMs, clock = systemClock }: ProbeTime,
): { signal: AbortSignal; end(): void } {
  const late = new AbortController();
  const over = new AbortController();
  const stop = (): void => late.abort();
  clock.wait(timeoutMs, over.signal).then(stop, () => {}); // the probe has ended
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return {
    signal: late.signal,
    end() {
      over.abort();
      signal.removeEventListener('abort', stop);
    },
  };
}

/** What an answer says of a server that has that page if it is what it is taken for. */
function asOne(name: string, answer: ServerAnswer, what: string): ServerState {
  if (answer.status === 200) return state('ready', `${name} is ready.`);
  if (answer.status === 404) return state('refused', `${name} is not ${what}.`);
  return refusal(name, answer);
}

function refusal(name: string, answer: ServerAnswer, secret: string | null = null): ServerState {
  const failure = answerFailure(name, answer, secret);
  return state(failure.retriable ? 'busy' : 'refused', failure.message);
}

const state = (kind: ServerState['state'], detail: string, models: string[] = []): ServerState => ({
  state: kind,
  detail,
  answered: true,
  models,
});

const silent = (kind: ServerState['state'], detail: string): ServerState => ({
  ...state(kind, detail),
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
