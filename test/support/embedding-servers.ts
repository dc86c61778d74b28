import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What can go wrong. Mutable on a running server. */
export type EmbeddingFaults = {
  status?: { status: number; body: string; headers?: Record<string, string> };
  /** Another model than those it lists is refused, as Ollama and vLLM do. */
  isStrict?: boolean;
  /** Answers when this has resolved. */
  until?: Promise<void>;
  /** Puts this in the place of the answer. */
  answers?: unknown;
  /** More texts at once are refused, as text-embeddings-inference does. */
  textsMax?: number;
  /** Longer texts are refused, as llama.cpp does. */
  charactersMax?: number;
  /** Texts with this in them are refused. */
  refuses?: string;
  /** A text with this in it ends the process that embeds: no answer, and the next request comes while another starts. */
  fells?: string;
};

export type EmbeddingServer = {
  /** Base URL as a person would enter it, with `/v1`. */
  url: string;
  /** The texts of each request that was answered, with what was before them. */
  asked: { model: string; input: string[] }[];
  keys: (string | undefined)[];
  faults: EmbeddingFaults;
  dimensions: number;
  close(): Promise<void>;
};

/** Words that mean the same to the server. */
const synonyms: readonly (readonly string[])[] = [
  ['money', 'budget', 'costs', 'price', 'francs', 'geld', 'kosten'],
  ['holiday', 'vacation', 'urlaub', 'ferien', 'leave'],
  ['car', 'automobile', 'vehicle', 'auto'],
  ['doctor', 'physician', 'surgeon', 'arzt'],
  ['confidential', 'secret', 'hidden', 'geheim'],
  ['plan', 'scheme', 'intention'],
];
const meant = new Map(synonyms.flatMap((words) => words.map((word) => [word, words[0]!])));
/** Of every text: they say nothing about it. */
const common = new Set(
  'the a an is are was were of to in on and or it this that we i you he she what when where who how for with be do does query passage'.split(
    ' ',
  ),
);

/** Embeds by words and their beginnings, with synonyms as one word: meaning differs from words, and the same text gives the same. */
export function embeddingOf(text: string, dimensions: number): number[] {
  const numbers = Array.from({ length: dimensions }, () => 0);
  const add = (feature: string, weight: number): void => {
    const hash = fnv(feature);
    numbers[hash % dimensions]! += (hash & 0x10000 ? 1 : -1) * weight;
  };
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (common.has(word)) continue;
    const said = meant.get(word) ?? word;
    add(said, 1);
    add(said.slice(0, 5), 0.5);
  }
  add('any text', 0.2);
  return numbers;
}

function fnv(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Starts a stand-in for an embedding server on a free port of the loopback interface. */
export async function startEmbeddingServer(
  options: {
    models?: string[];
    dimensions?: number;
    apiKey?: string;
    port?: number;
    faults?: EmbeddingFaults;
  } = {},
): Promise<EmbeddingServer> {
  const { models = ['test-chat', 'test-embed'], apiKey, port = 0 } = options;
  const state: EmbeddingServer = {
    url: '',
    asked: [],
    keys: [],
    faults: { ...options.faults },
    dimensions: options.dimensions ?? 128,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  let isStarting = false;
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const send = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    const key = request.headers.authorization;
    state.keys.push(key);
    if (apiKey !== undefined && key !== `Bearer ${apiKey}`)
      return send(401, { error: { message: `Incorrect API key provided: ${key}` } });
    if (request.url === '/v1/models') return send(200, { data: models.map((id) => ({ id })) });
    if (request.url !== '/v1/embeddings') return send(404, { error: 'Not Found' });
    const { faults } = state;
    const body: { model: string; input: string[] } = JSON.parse(Buffer.concat(chunks).toString());
    if (faults.isStrict && !models.includes(body.model))
      return send(404, { error: { message: `The model ${body.model} does not exist.` } });
    await faults.until;
    if (faults.status) return send(faults.status.status, faults.status.body, faults.status.headers);
    const { input, model } = body;
    if (input.includes('')) return send(400, { error: { message: 'input cannot be empty' } });
    if (input.length > (faults.textsMax ?? Infinity))
      return send(413, { error: `batch size ${input.length} > maximum allowed batch size` });
    if (input.some((text) => text.length > (faults.charactersMax ?? Infinity)))
      return send(500, { error: { message: 'input is too large to process' } });
    const { refuses, fells } = faults;
    if (isStarting) {
      isStarting = false;
      return send(503, 'loading');
    }
    if (fells !== undefined && input.some((text) => text.includes(fells))) {
      isStarting = true;
      response.destroy();
      return;
    }
    if (refuses !== undefined && input.some((text) => text.includes(refuses)))
      return send(400, { error: { message: 'This input is not allowed' } });
    state.asked.push({ model, input });
    if (faults.answers !== undefined) return send(200, faults.answers);
    const data = input.map((text, index) => ({
      index,
      embedding: embeddingOf(text, state.dimensions),
    }));
    // Servers need not keep the order.
    send(200, { object: 'list', model, data: data.toReversed() });
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return state;
}
