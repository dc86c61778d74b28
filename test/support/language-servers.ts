import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wellBehaved, type Brain } from './language-servers-brains.ts';
import {
  answerOf,
  overflowOf,
  promptOf,
  routesOf,
  type Reply,
  type Faults,
  type Flavour,
  type SeenRequest,
} from './language-servers-flavours.ts';

export type LanguageServerOptions = {
  flavour: Flavour;
  brain?: Brain;
  faults?: Faults;
  models?: string[];
  contextTokens?: number;
  /** What a gateway's list of models calls the context; left out: it does not tell. */
  contextKey?: string;
  /** Asked for as a bearer token on every route when given. */
  apiKey?: string;
  /** Paths answered with 403, as gateways do for what they do not let through. */
  locked?: string[];
  /** The model thinks aloud unless told not to, in the way of its flavour. */
  thinks?: boolean;
};

export type LanguageServer = {
  /** Base URL as a person would enter it, with `/v1`. */
  url: string;
  requests: SeenRequest[];
  /** The chat requests among them. */
  chats: () => SeenRequest[];
  faults: Faults;
  /** Refuses chat requests by what they ask for. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever was sent
  refuses?: ((body: any) => Faults['status']) | undefined;
  /** May be exchanged while the server runs. */
  brain: Brain;
  close: () => Promise<void>;
};

/** Starts a stand-in for a language-model server on a free port of the loopback interface. */
export async function startLanguageServer(options: LanguageServerOptions): Promise<LanguageServer> {
  const settings = {
    brain: wellBehaved,
    models: ['test-model'],
    contextTokens: 8192,
    thinks: false,
    ...options,
  };
  const faults: Faults = { ...options.faults };
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const path = request.url ?? '/';
    const seen = {
      method: request.method ?? 'GET',
      path,
      headers: request.headers,
      body: text === '' ? null : JSON.parse(text),
    };
    requests.push(seen);
    if (options.apiKey && request.headers.authorization !== `Bearer ${options.apiKey}`)
      return send(response, {
        status: 401,
        body: {
          error: {
            message: `Incorrect API key provided: ${request.headers.authorization?.slice(7)}`,
          },
        },
      });
    if (options.locked?.includes(path))
      return send(response, { status: 403, body: '<h1>Forbidden</h1>', type: 'text/html' });
    if (!isChat(seen)) return send(response, routesOf(settings, seen));
    const fault = faults.times === undefined || faults.times-- > 0 ? faults : {};
    return chat(seen, fault, response);
  }
  async function chat(seen: SeenRequest, fault: Faults, response: ServerResponse): Promise<void> {
    if (fault.silent) return;
    if (fault.slowMs) await new Promise((resolve) => setTimeout(resolve, fault.slowMs));
    await fault.until;
    const status = started.refuses?.(seen.body);
    const spoilt = spoiltReply(seen, status ? { ...fault, status } : fault);
    if (spoilt) return send(response, spoilt);
    const native = seen.path === '/api/chat';
    const prompt = promptOf(settings, seen, fault.truncates ?? false);
    const overflow = overflowOf(settings, seen, prompt);
    if (overflow) return send(response, overflow);
    const reply = answerOf(settings, seen, prompt, fault, native);
    if (fault.contentType === 'text/html')
      return send(response, {
        status: 200,
        body: '<!doctype html><title>Log in</title>',
        type: 'text/html',
      });
    if (fault.halfJson || fault.diesMidAnswer) {
      const whole = JSON.stringify(reply.body);
      const half = whole.slice(0, whole.length / 2);
      if (fault.halfJson)
        return send(response, { status: 200, body: half, type: 'application/json' });
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(whole),
      });
      response.write(half, () => response.destroy());
      return;
    }
    return send(response, fault.contentType ? { ...reply, type: fault.contentType } : reply);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const started: LanguageServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    chats: () => requests.filter(isChat),
    faults,
    get brain() {
      return settings.brain;
    },
    set brain(brain) {
      settings.brain = brain;
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
  return started;
}

const isChat = (seen: SeenRequest): boolean =>
  seen.method === 'POST' && (seen.path.endsWith('/chat/completions') || isNativeChat(seen));

/** Ollama's `/api/chat` without messages only loads the model. */
const isNativeChat = (seen: SeenRequest): boolean =>
  seen.path === '/api/chat' && seen.body?.messages?.length > 0;

function spoiltReply(seen: SeenRequest, fault: Faults): Reply | undefined {
  if (fault.redirectTo)
    return { status: 307, body: '', type: 'text/plain', headers: { location: fault.redirectTo } };
  if (fault.status) {
    const { status, body, headers } = fault.status;
    return { status, body, ...(headers && { headers }) };
  }
  if (fault.errorPageBytes)
    return { status: 500, body: `<html>${'x'.repeat(fault.errorPageBytes)}`, type: 'text/html' };
  if (fault.answerBytes)
    return { status: 200, body: { choices: [], padding: 'x'.repeat(fault.answerBytes) } };
  const rejected = fault.rejects?.find((field) => seen.body?.[field] !== undefined);
  return rejected
    ? {
        status: 400,
        body: { error: { message: `Unsupported parameter: '${rejected}'`, param: rejected } },
      }
    : undefined;
}

function send(response: ServerResponse, reply: Reply): void {
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  const type = reply.type ?? 'application/json; charset=utf-8';
  response.writeHead(reply.status, { 'content-type': type, ...reply.headers });
  response.end(text);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
