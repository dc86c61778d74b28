import { askServer, isGood, lookAt } from '../servers/ask-server.ts';
import type { Server, ServerAnswer } from '../servers/server.ts';
import { answerFailure, connectionFailure, saidBy } from '../servers/server-failure.ts';
import { StageError } from '../shared/errors.ts';
import { isRecord, parsedJson } from '../shared/json.ts';
import { failure } from '../words/failures.ts';
import { AnswerTimedOut } from './model.ts';

/** The server answered, but not with what was asked for. Never shown as it is: see `askedInTime`. */
export class ServerAnswerError extends Error {
  override name = 'ServerAnswerError';
  /** Its body may quote the prompt or the key. */
  readonly answer: ServerAnswer;
  constructor(answer: ServerAnswer) {
    super(`The server answered ${answer.status}`);
    this.answer = answer;
  }
}

/**
 * What a server answers in JSON, also under another content type.
 * @throws {ServerAnswerError} for whatever is not 2xx; {StageError} for what is not JSON; as `askServer`
 */
export async function askForJson(server: Server, url: string, init: RequestInit): Promise<unknown> {
  const answer = await askServer(server, url, init);
  if (!isGood(answer)) throw new ServerAnswerError(answer);
  try {
    return JSON.parse(answer.body);
  } catch {
    const { name } = server;
    const kind = server.kind === 'embedding' ? server.kind : 'language';
    if (/^\s*[[{]/u.test(answer.body))
      throw new StageError(failure(`${kind}-answer-broken`, { server: name }), {
        retriable: true,
      });
    const sentence = failure(`${kind}-server-not-api`, { server: name, fault: 'not-json' });
    throw new StageError(sentence, { retriable: false });
  }
}

/** What a server is asked within. */
type Asking = {
  signal: AbortSignal;
  /** What one answer may take, loading of the model included. */
  timeoutSeconds: number;
  /** What is sent, so that nothing of it is quoted back. */
  prompt?: string;
};

/**
 * Runs against the time limit and the caller's signal; every failure comes out in a person's words.
 * @throws {AnswerTimedOut}, {StageError}; AbortError when the caller's signal aborts
 */
export async function askedInTime<T>(
  server: Server,
  { signal, timeoutSeconds, prompt = '' }: Asking,
  job: (both: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const limit = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    return await job(AbortSignal.any([signal, limit]));
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) throw new AnswerTimedOut(server, timeoutSeconds);
    throw serverFailure(server, error, prompt);
  }
}

/** Says in a sentence what went wrong between us and a server. */
function serverFailure(server: Server, error: unknown, prompt: string): StageError {
  if (!(error instanceof ServerAnswerError)) return connectionFailure(server, error);
  const { answer } = error;
  if (server.kind === 'embedding') return answerFailure(server, answer, prompt);
  const lasting = { retriable: false };
  const said = saidBy(server, answer, prompt);
  if (isOverflow(answer))
    return new StageError(failure('context-too-small', { server: server.name, said }), lasting);
  if (/content_filter|content management policy|ResponsibleAIPolicy/iu.test(answer.body))
    return new StageError(failure('content-refused', { said }), lasting);
  return answerFailure(server, answer, prompt);
}

/** What an account may use in a minute is less than one request takes: OpenAI says so with 429, Groq with 413. */
const aMinute = /request too large|tokens must be reduced|reduce your message size/iu;

/** Whether a refusal says that the prompt does not fit into the model's context, or is too much for one request. */
export function isOverflow({ status, body }: ServerAnswer): boolean {
  if ([413, 429].includes(status) && aMinute.test(body)) return true;
  // LocalAI hands on what its backend says with 500.
  if (![400, 413, 422, 500].includes(status)) return false;
  return /exceed_context_size|context_length_exceeded|exceeds? the (available )?context|maximum context length|longer than the context|context (length|size|window) (exceeded|is)|context length of only|too many tokens|prompt is too long/iu.test(
    body,
  );
}

/** The context's size, where a refusal states it: llama.cpp's `n_ctx`, the sentences of others. */
export function contextToldBy({ body }: ServerAnswer): number | null {
  const found =
    /"n_ctx"\s*:\s*(\d+)/u.exec(body) ??
    /maximum context length is (\d+)/iu.exec(body) ??
    /(?:available context size \(|context length of only )(\d+)/iu.exec(body) ??
    /request too large[^"]{0,500}?\bLimit (\d+), Requested/iu.exec(body);
  return found ? Number(found[1]) : null;
}

export type ServerKind = 'ollama' | 'llama.cpp' | 'vllm' | 'lm-studio' | 'unknown';

export type RecognisedServer = {
  kind: ServerKind;
  /** Models the server lists, in its order; empty when it does not say. */
  models: string[];
  /** Tokens of context by model, where the server tells; key `''` for a server of one model. */
  context: Map<string, number>;
  /** Whether every question was answered; if not, ask again another time. */
  certain: boolean;
};

/** A busy server may let questions wait behind an answer; none of them is worth more than this. */
const probeMs = 5000;

/** @param root the server itself, outside of its API */
type Probe = { server: Server; root: string; signal: AbortSignal };

/**
 * Finds out who answers at an address, by routes only that server has. Nothing is sent but the key.
 * @throws as `askServer` when the server cannot be reached; {ServerAnswerError} when it does not accept the key.
 */
export async function recogniseServer(probe: Probe): Promise<RecognisedServer> {
  const { server, root } = probe;
  const front = await look(probe, `${root}/`);
  const list = await look(probe, `${server.base}/models`, true);
  const listed = records(list.json, 'data');
  const models = listed.map((model) => String(model['id'])).filter(speaks);
  const found = (
    kind: ServerKind,
    context: RecognisedServer['context'],
    certain = front.answered && list.answered,
  ): RecognisedServer => ({ kind, models, context, certain });

  if (front.text.includes('Ollama is running')) return found('ollama', new Map());
  const lengths = contexts(listed, 'id', 'max_model_len');
  if (lengths.size > 0) return found('vllm', lengths);
  const props = await look(probe, `${root}/props`);
  const slot = isRecord(props.json) ? props.json['default_generation_settings'] : undefined;
  const size = isRecord(slot) ? Number(slot['n_ctx']) : 0;
  if (size > 0) return found('llama.cpp', new Map([['', size]]));
  const own = await look(probe, `${root}/api/v0/models`);
  const instances = records(own.json, 'data');
  if (instances.some((model) => 'max_context_length' in model))
    return found('lm-studio', contexts(instances, 'id', 'loaded_context_length'));
  const certain = [front, list, props, own].every(({ answered }) => answered);
  return found('unknown', new Map(toldContexts(listed)), certain);
}

/** What gateways and hosted servers call the context in their list: OpenRouter, Groq, Mistral. */
const contextKeys = ['context_length', 'context_window', 'max_context_length'];
const toldContexts = (listed: Record<string, unknown>[]): [string, number][] =>
  contextKeys.flatMap((key) => [...contexts(listed, 'id', key)]);

type Sight = { text: string; json: unknown; answered: boolean };

/** The models of all kinds that a server lists; none where it has no list. @throws as `recogniseServer` */
export async function listedModels(server: Server, signal: AbortSignal): Promise<string[]> {
  const { json } = await look({ server, signal }, `${server.base}/models`, true);
  return records(json, 'data').flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

async function look(
  { server, signal }: Omit<Probe, 'root'>,
  url: string,
  isList = false,
): Promise<Sight> {
  const answer = await lookAt(server, url, signal, { timeoutMs: probeMs });
  if (answer === null) return { text: '', json: null, answered: false };
  // Any refusal of a route tells that this is not the server that has it; but a server that is
  // loading or does not know the key would refuse them all.
  if (isList && locked(answer.status)) throw new ServerAnswerError(answer);
  const text = isGood(answer) ? answer.body : '';
  // Probing meets web pages: not JSON means not that server.
  return { text, json: parsedJson(text), answered: true };
}

/** Not 403: keys may be allowed to chat and not to list. llama.cpp answers 501 for disabled routes. */
const locked = (status: number): boolean =>
  status === 401 || status === 429 || (status >= 500 && status !== 501);

/** Servers list embedding and speech models as well. */
const speaks = (id: string): boolean => !/embed|whisper|rerank|\btts\b/iu.test(id);

function contexts(
  models: Record<string, unknown>[],
  idKey: string,
  sizeKey: string,
): Map<string, number> {
  return new Map(
    models.flatMap((model) => {
      const size = model[sizeKey];
      return typeof size === 'number' && size > 0 ? [[String(model[idKey]), size] as const] : [];
    }),
  );
}

function records(json: unknown, key: string): Record<string, unknown>[] {
  const list = isRecord(json) ? json[key] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
