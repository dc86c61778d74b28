import { Agent } from 'undici';
import { guardedLookup, serverAddress } from '../shared/outbound.ts';
import { StageError } from '../shared/errors.ts';
import { ServerAnswerError, boundedFetch } from './bounded-fetch.ts';
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
import { chatOllama, ollamaContext } from './chat-ollama.ts';
import type { Completion, LanguageModel } from './model.ts';
import { type RecognisedServer, recogniseServer } from './recognise-server.ts';
import { AnswerTimedOut, contextToldBy, stageErrorOf } from './server-errors.ts';

export type LanguageModelOptions = {
  /** With or without `/v1`. */
  baseUrl: string;
  /** Null: the first the server lists. */
  model: string | null;
  apiKey: string | null;
  /** What a person set; null: asked from the server, else 4096. */
  contextTokens: number | null;
  /** What one answer may take, loading of the model included. */
  timeoutSeconds: number;
};

export type OpenLanguageModel = LanguageModel & {
  /** The models the server lists: tries address and key without asking for an answer. */
  models(signal: AbortSignal): Promise<string[]>;
  close(): Promise<void>;
};

/** The context to plan with where neither the server nor a person tells. */
const contextDefault = 4096;
const connectMs = 10_000;
/**
 * Servers are restarted with other models and contexts: what was found out is asked again after
 * this.
 */
const factsMs = 10 * 60_000;
/** Room for the thoughts of a model that cannot be kept from thinking. */
const thoughtTokens = 4096;

/**
 * Opens a language-model server: any OpenAI-compatible one, Ollama through its own API. Nothing is
 * sent before the first question. Until then `model` is what was configured, or `default`.
 */
export function openLanguageModel(options: LanguageModelOptions): OpenLanguageModel {
  const address = serverAddress(options.baseUrl);
  const { apiKey } = options;
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectMs, lookup: guardedLookup },
  });
  const fetch = boundedFetch(dispatcher);
  const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  const native = { root: address.root, headers, fetch };
  let server: RecognisedServer | undefined;
  let recognisedAt = 0;
  let model = options.model;
  let capabilities: ChatCapabilities | undefined;
  let ollamaTokens: number | undefined;
  let contextMax = Infinity;
  let thinksAnyway = false;

  /**
   * Runs against the time limit and the caller's signal; every failure comes out in a person's
   * words.
   */
  async function limited<T>(
    signal: AbortSignal,
    prompt: string,
    job: (both: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const limit = AbortSignal.timeout(options.timeoutSeconds * 1000);
    try {
      return await job(AbortSignal.any([signal, limit]));
    } catch (error) {
      signal.throwIfAborted();
      if (limit.aborted) throw new AnswerTimedOut(address.origin, options.timeoutSeconds);
      throw stageErrorOf(error, { server: address.origin, apiKey, prompt });
    }
  }

  async function recognised(signal: AbortSignal): Promise<RecognisedServer> {
    if (server && performance.now() - recognisedAt < factsMs) return server;
    const found = await recogniseServer({ address, headers, dispatcher, signal });
    server = found.certain ? found : undefined;
    recognisedAt = performance.now();
    capabilities = undefined;
    ollamaTokens = undefined;
    contextMax = Infinity;
    return found;
  }

  function modelOf(found: RecognisedServer): string {
    model ??= found.models[0] ?? null;
    if (model !== null) return model;
    throw new StageError(
      'model-refused',
      `The language-model server at ${address.origin} lists no model. Install one there, or set llm.model.`,
      { retriable: false },
    );
  }

  async function contextOf(found: RecognisedServer, signal: AbortSignal): Promise<number> {
    if (found.kind === 'ollama') {
      ollamaTokens ??=
        options.contextTokens ?? (await ollamaContext(native, modelOf(found), signal));
      return Math.min(ollamaTokens, contextMax);
    }
    const told = found.context.get(modelOf(found)) ?? found.context.get('');
    // What the server has is a hard limit; a person may only ask for less of it.
    const wanted = Math.min(options.contextTokens ?? Infinity, told ?? Infinity, contextMax);
    return Number.isFinite(wanted) ? wanted : contextDefault;
  }

  /** Asks, leaves out what the server refuses, and remembers what it takes. */
  async function asked(completion: Completion, signal: AbortSignal): Promise<Reply> {
    const found = await recognised(signal);
    capabilities ??= initialCapabilities(found.kind, address.origin);
    for (let step = 0; ; step += 1) {
      const to: ChatTo = { model: modelOf(found), completion, capabilities, signal };
      try {
        return found.kind === 'ollama'
          ? await chatOllama(native, to, await contextOf(found, signal))
          : await chatOpenAI({ api: address.api, apiKey, fetch }, to);
      } catch (error) {
        if (!(error instanceof ServerAnswerError)) throw error;
        contextMax = Math.min(contextMax, contextToldBy(error) ?? Infinity);
        const lower = downgradeChat(capabilities, error, completion.schema !== undefined);
        if (!lower || step >= downgradesMax) throw error;
        capabilities = lower;
      }
    }
  }

  const withRoom = (completion: Completion): Completion =>
    thinksAnyway
      ? { ...completion, answerTokensMax: completion.answerTokensMax + thoughtTokens }
      : completion;

  return {
    queue: address.api,
    get model() {
      return model ?? 'default';
    },
    contextTokens: (signal) =>
      limited(signal, '', async (both) => contextOf(await recognised(both), both)),
    complete: (completion, signal) =>
      limited(signal, completion.user, async (both) => {
        let reply = await asked(withRoom(completion), both);
        if (reply.finish === 'length' && reply.reasoning !== '' && !thinksAnyway) {
          thinksAnyway = true;
          reply = await asked(withRoom(completion), both);
        }
        return judgedReply(reply, completion, address.origin);
      }),
    models: (signal) => limited(signal, '', async (both) => (await recognised(both)).models),
    close: () => dispatcher.destroy(),
  };
}
