import type { Agent } from 'undici';
import type { Address } from '../shared/outbound.ts';
import { ServerAnswerError, fetchText } from './bounded-fetch.ts';

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

type Probe = {
  address: Address;
  headers: Record<string, string>;
  dispatcher: Agent;
  signal: AbortSignal;
};

/**
 * Finds out who answers at an address, by routes only that server has. Nothing is sent but the key.
 * @throws what `fetchText` throws when the server cannot be reached or does not accept the key.
 */
export async function recogniseServer(probe: Probe): Promise<RecognisedServer> {
  const { root, api } = probe.address;
  const front = await look(probe, `${root}/`);
  const list = await look(probe, `${api}/models`, true);
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
  return found('unknown', new Map(), certain);
}

type Sight = { text: string; json: unknown; answered: boolean };

async function look(probe: Probe, url: string, isList = false): Promise<Sight> {
  const limit = AbortSignal.timeout(probeMs);
  try {
    const signal = AbortSignal.any([probe.signal, limit]);
    const text = await fetchText(url, { headers: probe.headers, signal }, probe.dispatcher);
    return { text, json: jsonOrNull(text), answered: true };
  } catch (error) {
    probe.signal.throwIfAborted();
    if (limit.aborted) return { text: '', json: null, answered: false };
    // Any refusal of a route tells that this is not the server that has it; but a server that is
    // away, loading or does not know the key would refuse them all.
    const refusesAll = !(error instanceof ServerAnswerError) || (isList && locked(error.status));
    if (refusesAll) throw error;
    return { text: '', json: null, answered: true };
  }
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

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Probing meets web pages: not JSON means not that server.
    return null;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
