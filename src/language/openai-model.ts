import { LRUCache } from 'lru-cache';
import { serverConnections } from '../servers/connections.ts';
import { type Server, type Address, type ServerAnswer, serverAddress } from '../servers/server.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import {
  ServerAnswerError,
  askedInTime,
  contextToldBy,
  isOverflow,
  type RecognisedServer,
  recogniseServer,
} from './language-server.ts';
import {
  type ChatTo,
  type Reply,
  type ChatCapabilities,
  chatOpenAI,
  judgedReply,
  downgradeChat,
  downgradesMax,
  initialCapabilities,
} from './chat-openai.ts';
import { withoutThinking } from './answers.ts';
import type { Completion, LanguageModel } from './model.ts';
import { estimatedTokens, fewestTokens, isDense } from './talk.ts';

export type LanguageModelOptions = {
  /** With or without `/v1`. */
  baseUrl: string;
  /** Null: the first the server lists. */
  model: string | null;
  apiKey: string | null;
  /** What a person set; null: asked from the server, known by name, or tried and learnt. */
  contextTokens: number | null;
  /** What one answer may take, loading of the model included. */
  timeoutSeconds: number;
};

export type OpenLanguageModel = LanguageModel & {
  /** The models the server lists: tries address and key without asking for an answer. */
  models(signal: AbortSignal): Promise<string[]>;
  /** The context that requests are planned with, and where its size is from. */
  context(signal: AbortSignal): Promise<Context>;
  close(): Promise<void>;
};

/**
 * Servers are restarted with other models and contexts: what was found out is asked again after
 * this.
 */
const factsMs = 10 * 60_000;
/** Room for the thoughts of a model that cannot be kept from thinking. */
const thoughtTokens = 4096;

/** What is known of a server, and what a request needs. */
type Endpoint = {
  options: LanguageModelOptions;
  address: Address;
  server: Server;
  recognised: RecognisedServer | undefined;
  recognisedAt: number;
  /** The one asked last: as configured, else the first that the server listed then. */
  model: string | null;
  capabilities: ChatCapabilities | undefined;
  ollamaTokens: number | undefined;
  contextMax: number;
  thinksAnyway: boolean;
};

/**
 * Opens a language-model server: any OpenAI-compatible one, Ollama through its own API. Nothing is
 * sent before the first question. Until then `model` is what was configured, or `default`.
 */
export function openLanguageModel(options: LanguageModelOptions): OpenLanguageModel {
  const endpoint = endpointOf(options);
  const { timeoutSeconds } = options;
  const context = (signal: AbortSignal) =>
    askedInTime(endpoint.server, { signal, timeoutSeconds }, async (both) =>
      contextOf(endpoint, await recognised(endpoint, both), both),
    );
  return {
    queue: endpoint.address.api,
    get model() {
      return endpoint.model ?? 'default';
    },
    context,
    contextTokens: async (signal) => (await context(signal)).tokens,
    complete: (completion, signal) =>
      askedInTime(
        endpoint.server,
        { signal, timeoutSeconds, prompt: completion.user },
        async (both) => {
          let reply = await asked(endpoint, withRoom(endpoint, completion), both);
          if (reply.finish === 'length' && hasThought(reply) && !endpoint.thinksAnyway) {
            endpoint.thinksAnyway = true;
            reply = await asked(endpoint, withRoom(endpoint, completion), both);
          }
          const fewest = await learnFromReply(endpoint, { reply, completion }, both);
          return judgedReply(reply, completion, { server: endpoint.address.origin, fewest });
        },
      ),
    models: (signal) =>
      askedInTime(
        endpoint.server,
        { signal, timeoutSeconds },
        async (both) => (await recognised(endpoint, both)).models,
      ),
    close: () => endpoint.server.connections.destroy(),
  };
}

function endpointOf(options: LanguageModelOptions): Endpoint {
  const { apiKey } = options;
  const address = serverAddress(options.baseUrl);
  return {
    options,
    address,
    server: {
      kind: 'language',
      base: address.api,
      name: address.origin,
      apiKey,
      // One that holds its answer back is waited for until the time of the whole answer is over.
      connections: serverConnections(0),
    },
    recognised: undefined,
    recognisedAt: 0,
    model: options.model,
    capabilities: undefined,
    ollamaTokens: undefined,
    contextMax: Infinity,
    thinksAnyway: false,
  };
}

async function recognised(endpoint: Endpoint, signal: AbortSignal): Promise<RecognisedServer> {
  const { server, recognised: before, recognisedAt, address } = endpoint;
  if (before && performance.now() - recognisedAt < factsMs) return before;
  const found = await recogniseServer({ server, root: address.root, signal });
  endpoint.recognised = found.certain ? found : undefined;
  endpoint.recognisedAt = performance.now();
  endpoint.capabilities = undefined;
  endpoint.ollamaTokens = undefined;
  endpoint.contextMax = Infinity;
  return found;
}

function modelOf(endpoint: Endpoint, found: RecognisedServer): string {
  // A server that is too busy to list them has the one it had.
  endpoint.model = endpoint.options.model ?? found.models[0] ?? endpoint.model;
  if (endpoint.model !== null) return endpoint.model;
  throw new StageError(failure('language-server-no-model', { server: endpoint.server.name }), {
    retriable: false,
  });
}

async function contextOf(
  endpoint: Endpoint,
  found: RecognisedServer,
  signal: AbortSignal,
): Promise<Context> {
  const { contextTokens: set } = endpoint.options;
  const model = modelOf(endpoint, found);
  if (found.kind === 'ollama') {
    const { ollamaContext } = await loadOllama();
    endpoint.ollamaTokens ??= set ?? (await ollamaContext(native(endpoint), model, signal));
    const told: Context = { tokens: endpoint.ollamaTokens, source: set ? 'set' : 'server' };
    return least(told, { tokens: endpoint.contextMax, source: 'learnt' });
  }
  const stated = found.context.get(model) ?? found.context.get('');
  const fromRefusals: Context = {
    tokens: Math.min(
      endpoint.contextMax,
      (stated === undefined && learnt.get(keyOf(endpoint.address.api, model))) || Infinity,
    ),
    source: 'learnt',
  };
  if (set !== null || stated !== undefined) {
    // What the server has is a hard limit; a person may only ask for less of it.
    const told: Context = { tokens: stated ?? Infinity, source: 'server' };
    return least(told, { tokens: set ?? Infinity, source: 'set' }, fromRefusals);
  }
  const known = knownContext(model);
  return known === undefined
    ? least({ tokens: contextAssumed, source: 'assumed' }, fromRefusals)
    : least({ tokens: known, source: 'table' }, fromRefusals);
}

const least = (first: Context, ...others: Context[]): Context =>
  others.reduce((one, other) => (other.tokens < one.tokens ? other : one), first);

/** A refusal told the context, or at least that this is too much: half of it is tried next. */
async function learnFromRefusal(
  endpoint: Endpoint,
  answer: ServerAnswer,
  signal: AbortSignal,
): Promise<void> {
  const told = contextToldBy(answer);
  if (told === null && !isOverflow(answer)) return;
  const found = await recognised(endpoint, signal);
  const { tokens, source } = await contextOf(endpoint, found, signal);
  const isGuess = source !== 'set' && source !== 'server';
  if (told !== null) endpoint.contextMax = Math.min(endpoint.contextMax, told);
  if (isGuess) learnContext(endpoint.address.api, modelOf(endpoint, found), told ?? tokens / 2);
}

/**
 * A server that read only a part of the prompt, or does not say how much, has less than was assumed. Returns the
 * fewest tokens that it can have read of all of it.
 */
async function learnFromReply(
  endpoint: Endpoint,
  { reply, completion }: { reply: Reply; completion: Completion },
  signal: AbortSignal,
): Promise<number> {
  const found = await recognised(endpoint, signal);
  const { source } = await contextOf(endpoint, found, signal);
  const prompt = completion.system + completion.user;
  const isTold = source === 'set' || source === 'server';
  const fewest = fewestTokens(prompt, isTold ? charactersOfToken.told : charactersOfToken.untold);
  if (isTold) return fewest;
  const { api } = endpoint.address;
  const read = reply.promptTokens ?? 0;
  if (read > 0 && read < fewest && !isDense(prompt))
    learnContext(api, modelOf(endpoint, found), read);
  if (read > 0 || source !== 'assumed' || estimatedTokens(prompt) <= contextUnverified)
    return fewest;
  learnContext(api, modelOf(endpoint, found), contextUnverified);
  throw new StageError(failure('context-too-small', { server: endpoint.server.name }), {
    retriable: false,
  });
}

/** The most characters that a token has on average. Closer, where prompts may be larger than what the server reads. */
const charactersOfToken = { told: 8, untold: 6 };

const loadOllama = () => import('./chat-ollama.ts');

const native = ({ server, address }: Endpoint) => ({ server, root: address.root });

/** Asks, leaves out what the server refuses, and remembers what it takes. */
async function asked(
  endpoint: Endpoint,
  completion: Completion,
  signal: AbortSignal,
): Promise<Reply> {
  const { address, server } = endpoint;
  let found = await recognised(endpoint, signal);
  for (let downgrades = 0; ; downgrades += 1) {
    const capabilities = (endpoint.capabilities ??= initialCapabilities(
      found.kind,
      address.origin,
    ));
    const model = modelOf(endpoint, found);
    const to: ChatTo = { model, completion, capabilities, signal };
    try {
      return found.kind === 'ollama'
        ? await (
            await loadOllama()
          ).chatOllama(native(endpoint), to, (await contextOf(endpoint, found, signal)).tokens)
        : await chatOpenAI(server, to);
    } catch (error) {
      if (!(error instanceof ServerAnswerError)) throw error;
      if (error.answer.status === 404 && endpoint.options.model === null && downgrades === 0) {
        // It was started with another model since it was looked at.
        endpoint.recognised = undefined;
        found = await recognised(endpoint, signal);
        if (modelOf(endpoint, found) !== model) continue;
      }
      await learnFromRefusal(endpoint, error.answer, signal);
      const lower = downgradeChat(capabilities, error.answer, completion.schema !== undefined);
      if (!lower || downgrades >= downgradesMax) throw error;
      endpoint.capabilities = lower;
    }
  }
}

/** Whether its thoughts took room from the answer: kept apart, hidden, or in tags that did not end in time. */
const hasThought = ({ thought, content }: Reply): boolean =>
  thought || withoutThinking(content) === '';

const withRoom = ({ thinksAnyway }: Endpoint, completion: Completion): Completion =>
  thinksAnyway
    ? { ...completion, answerTokensMax: completion.answerTokensMax + thoughtTokens }
    : completion;

/** Where the size of a context is from. `assumed`: nobody tells, and no refusal has told yet. */
export type Context = {
  tokens: number;
  source: 'set' | 'server' | 'table' | 'learnt' | 'assumed';
};

/**
 * What is tried where nobody tells: an hour of talk fits into one request, and a refusal costs less than forty requests.
 */
export const contextAssumed = 131_072;

/** The context of a server that does not say how much of a prompt it read: one that cuts prompts would not be noticed. */
export const contextUnverified = 4096;

const contextLeast = 512;

/** What a server has is learnt anew after this: it may have been started with another model or context. */
const learntMs = 24 * 3_600_000;

/**
 * Contexts of models whose servers do not tell them, by the last part of the name (`openai/gpt-4o`): the input that each
 * takes at least, in tokens (platform.openai.com/docs/models). A refusal corrects it.
 */
const contextsOfModels: readonly [RegExp, number][] = [
  [/^gpt-4\.1/u, 1_000_000],
  [/^gpt-5/u, 272_000],
  [/^o[134](?:-|$)/u, 200_000],
  [/^(?:chatgpt-4o|gpt-4o|gpt-4-turbo)/u, 128_000],
  [/^gpt-3\.5-turbo/u, 16_000],
];

/** The context of a model that is known by its name. */
export function knownContext(model: string): number | undefined {
  const name = model.split('/').at(-1)!.toLowerCase();
  return contextsOfModels.find(([pattern]) => pattern.test(name))?.[1];
}

/** What refusals told, by address and model: also for the next one that opens this server, as Health does. */
const learnt = new LRUCache<string, number>({ max: 100, ttl: learntMs });

const keyOf = (api: string, model: string): string => JSON.stringify([api, model]);

/** Keeps what a refusal told. Only less than what is known already. */
function learnContext(api: string, model: string, tokens: number): void {
  const key = keyOf(api, model);
  if (tokens < (learnt.get(key) ?? Infinity))
    learnt.set(key, Math.max(contextLeast, Math.floor(tokens)));
}
