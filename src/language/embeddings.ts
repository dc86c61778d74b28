import * as z from 'zod';
import { serverConnections } from '../servers/connections.ts';
import { throughOpenAI } from '../servers/ask-server.ts';
import { type Server, serverAddress } from '../servers/server.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import {
  ServerAnswerError,
  askForJson,
  askedInTime,
  isOverflow,
  listedModels,
} from './language-server.ts';

/** Turns texts into lists of numbers: texts of similar meaning have similar ones. */
export interface EmbeddingModel {
  /** Jobs of the same queue share the slots of one server. */
  readonly queue: string;
  /** Null: none is configured, and the server was not asked yet. */
  readonly model: string | null;
  /** How many numbers an embedding has; null until the first. */
  readonly dimensions: number | null;
  /** The model, asked from the server where none is configured. @throws as `embed` */
  named(signal: AbortSignal): Promise<string>;
  /**
   * One embedding for each text, in their order, each of length 1.
   * @throws {StageError} `model-away` (retriable), `model-refused`; AbortError when aborted
   */
  embed(texts: readonly string[], as: EmbeddedAs, signal: AbortSignal): Promise<Float32Array[]>;
}

export type EmbeddingOptions = {
  /** With or without `/v1`. */
  baseUrl: string;
  /** Null: the first for embeddings that the server lists. */
  model: string | null;
  apiKey: string | null;
  /** What one request may take, loading of the model included. */
  timeoutSeconds: number;
};

export type OpenEmbeddingModel = EmbeddingModel & {
  /** The models the server lists; empty where it lists none. */
  models(signal: AbortSignal): Promise<string[]>;
  close(): Promise<void>;
};

/** What one request asks at most. Servers that take less say so, and are asked for half. */
const batchMax = 32;
const batchCharactersMax = 30_000;
/** How often a text that is too long for a model is halved. */
const halvingsMax = 3;
/** The server may have been started with another model: where none is configured it is asked again after this. */
const listedMs = 10 * 60_000;
const dimensionsMax = 8192;

const answerSchema = z.object({
  data: z.array(
    z.object({
      index: z.int().nullish(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
});

/** What is known of a server. */
type Endpoint = {
  server: Server;
  /** As configured, else as the server listed it when it was asked last. */
  model: string | null;
  /** What was configured. */
  set: string | null;
  listedAt: number;
  dimensions: number | null;
  batchMax: number;
};

/** Opens a server of the route `/embeddings` as OpenAI has it. Nothing is sent before the first question. */
export function openEmbeddingModel(options: EmbeddingOptions): OpenEmbeddingModel {
  const { api: base, origin: name } = serverAddress(options.baseUrl);
  const { timeoutSeconds } = options;
  const server: Server = {
    kind: 'embedding',
    base,
    name,
    apiKey: options.apiKey,
    connections: serverConnections(0),
  };
  const endpoint: Endpoint = {
    server,
    model: options.model,
    set: options.model,
    listedAt: 0,
    dimensions: null,
    batchMax,
  };
  return {
    queue: `embeddings ${base}`,
    get model() {
      return endpoint.model;
    },
    get dimensions() {
      return endpoint.dimensions;
    },
    named: (signal) =>
      askedInTime(server, { signal, timeoutSeconds }, async (both) => {
        // Only here: what is embedded next is of the model that is named.
        const isOld = performance.now() - endpoint.listedAt > listedMs;
        return await modelOf(endpoint, both, isOld);
      }),
    async embed(texts, as, signal) {
      const found: Float32Array[] = [];
      for (let from = 0; from < texts.length;) {
        const batch = batchFrom(texts, from, endpoint.batchMax);
        const asked = { signal, timeoutSeconds, prompt: batch.join('\n') };
        const embedded = await askedInTime(server, asked, async (both) => {
          const prefix = embeddingPrefix(await modelOf(endpoint, both), as);
          return await embedSome(endpoint, { texts: batch, prefix, signal: both });
        });
        found.push(...embedded);
        from += embedded.length;
      }
      return found;
    },
    models: (signal) =>
      askedInTime(server, { signal, timeoutSeconds }, (both) => listedModels(server, both)),
    close: () => server.connections.destroy(),
  };
}

async function modelOf(endpoint: Endpoint, signal: AbortSignal, anew = false): Promise<string> {
  const { model: before } = endpoint;
  if (before !== null && (endpoint.set !== null || !anew)) return before;
  const models = await listedModels(endpoint.server, signal);
  endpoint.model = models.find((id) => looksEmbedding.test(id)) ?? models[0] ?? before;
  endpoint.listedAt = performance.now();
  if (endpoint.model !== before) endpoint.dimensions = null;
  if (endpoint.model !== null) return endpoint.model;
  const { name: server } = endpoint.server;
  throw new StageError(failure('embedding-server-no-model', { server }), { retriable: false });
}

/** Servers list models of all kinds. */
const looksEmbedding = /embed|(?:^|[/_-])(?:bge|e5|gte|minilm|mpnet)(?:[-_:.]|$)/iu;

function batchFrom(texts: readonly string[], from: number, most: number): readonly string[] {
  let to = from;
  let characters = 0;
  while (to < texts.length && to - from < most) {
    characters += texts[to]!.length;
    if (characters > batchCharactersMax && to > from) break;
    to += 1;
  }
  return texts.slice(from, to);
}

type Batch = { texts: readonly string[]; prefix: string; signal: AbortSignal };

/** Embeds the first of the texts, as many as the server takes at once; a text that is too long for it by its beginning. */
async function embedSome(endpoint: Endpoint, batch: Batch): Promise<Float32Array[]> {
  let { texts } = batch;
  for (let halvings = 0; ;) {
    try {
      return await embedAll(endpoint, { ...batch, texts });
    } catch (error) {
      // It may have been started with another model, which has to be named before it is asked.
      if (error instanceof ServerAnswerError && error.answer.status === 404)
        endpoint.listedAt = -Infinity;
      if (!isTooMuch(error)) throw error;
      if (texts.length > 1) {
        texts = texts.slice(0, Math.ceil(texts.length / 2));
        endpoint.batchMax = Math.min(endpoint.batchMax, texts.length);
      } else {
        if (halvings >= halvingsMax) throw error;
        halvings += 1;
        texts = texts.map((text) => text.slice(0, Math.ceil(text.length / 2)));
      }
    }
  }
}

/** Of llama.cpp, text-embeddings-inference, vLLM and OpenAI: too many texts, or one that is too long. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof ServerAnswerError &&
  (isOverflow(error.answer) ||
    error.answer.status === 413 ||
    ([400, 422, 500].includes(error.answer.status) &&
      /too large to process|batch size|too (?:many|long)|input length|maximum allowed/iu.test(
        error.answer.body,
      )));

async function embedAll(
  endpoint: Endpoint,
  { texts, prefix, signal }: Batch,
): Promise<Float32Array[]> {
  const { server } = endpoint;
  const input = texts.map((text) => prefix + text);
  const model = endpoint.model ?? '';
  const ask = async (url: string, init: RequestInit) =>
    Response.json(await askForJson(server, url, init));
  const answer: unknown = await throughOpenAI(server, ask, (client) =>
    client.embeddings.create({ model, input, encoding_format: 'float' }, { signal }),
  );
  const parsed = answerSchema.safeParse(answer);
  // `{"error": …}` inside a 200, as some gateways answer.
  if (!parsed.success) throw unusable(server, 'numbers');
  const { data } = parsed.data;
  const places = data.map(({ index }, at) => index ?? at);
  if (data.length !== texts.length || new Set(places).size !== texts.length)
    throw unusable(server, 'count');
  const inOrder = texts.map((_, at) => data[places.indexOf(at)]?.embedding);
  return inOrder.map((embedding) => {
    if (embedding === undefined) throw unusable(server, 'count');
    const numbers = unitLength(typeof embedding === 'string' ? fromBase64(embedding) : embedding);
    if (!numbers || numbers.length > dimensionsMax) throw unusable(server, 'numbers');
    endpoint.dimensions ??= numbers.length;
    if (numbers.length !== endpoint.dimensions) throw unusable(server, 'length');
    return numbers;
  });
}

const unusable = ({ name: server }: Server, fault: 'count' | 'numbers' | 'length'): StageError =>
  new StageError(failure('embedding-answer-unusable', { server, fault }), { retriable: false });

/** As some servers send them, whatever was asked for: floats of 32 bits, the lowest byte first. */
function fromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}

/** Undefined where there is nothing to compare: no numbers, or nothing but zeros. */
function unitLength(numbers: readonly number[]): Float32Array | undefined {
  const length = Math.sqrt(numbers.reduce((sum, one) => sum + one * one, 0));
  if (!Number.isFinite(length) || length === 0) return undefined;
  return Float32Array.from(numbers, (one) => one / length);
}

/** What a text is embedded for: a question looks for passages. */
export type EmbeddedAs = 'question' | 'passage';

type Prefixes = Readonly<Record<EmbeddedAs, string>>;

const instruct: Prefixes = {
  question:
    'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ',
  passage: '',
};
const represent: Prefixes = {
  question: 'Represent this sentence for searching relevant passages: ',
  passage: '',
};

/** What models were trained with before a text, by the last part of their name; the first that fits. From their model cards. */
const prefixesOfModels: readonly [RegExp, Prefixes][] = [
  [/nomic-embed/u, { question: 'search_query: ', passage: 'search_document: ' }],
  [/e5-mistral|e5.{0,40}-instruct|qwen3-embed/u, instruct],
  [/arctic-embed.{0,20}(?:v2|2\.0)|arctic-embed2/u, { question: 'query: ', passage: '' }],
  [/(?:^|[-_])e5(?:[-_:.]|$)/u, { question: 'query: ', passage: 'passage: ' }],
  [/mxbai-embed|arctic-embed|bge-(?:small|base|large)-en/u, represent],
  [
    /embedding-?gemma/u,
    { question: 'task: search result | query: ', passage: 'title: none | text: ' },
  ],
];

/** What is put before a text for a model. Nothing for models that are not known by their name. */
export function embeddingPrefix(model: string, as: EmbeddedAs): string {
  const name = model.split('/').at(-1)!.toLowerCase();
  return prefixesOfModels.find(([pattern]) => pattern.test(name))?.[1][as] ?? '';
}
