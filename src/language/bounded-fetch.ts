import type { Agent } from 'undici';

/** An answer longer than this is not one: 8 MiB is some two million tokens. */
const answerBytesMax = 8 * 1024 * 1024;
/** What is read of an error page. */
const errorBytesMax = 64 * 1024;
const redirectsMax = 3;

/**
 * The server answered, but not with what was asked for. Never shown as it is: see `stageErrorOf`.
 */
export class ServerAnswerError extends Error {
  override name = 'ServerAnswerError';
  readonly status: number;
  readonly headers: Headers;
  /** The raw body, cut. May quote the prompt or the key. */
  readonly body: string;
  /** Set when no status tells what was wrong. */
  readonly problem: 'redirected' | 'too-large' | 'not-json' | 'broken-json' | undefined;
  constructor(response: Response, body: string, problem?: ServerAnswerError['problem']) {
    // No "timed out" in here: the openai package would take it for a timeout and drop the cause.
    super(`The server answered ${response.status}${problem ? ` (${problem})` : ''}`);
    this.status = response.status;
    this.headers = response.headers;
    this.body = body;
    this.problem = problem;
  }
}

/**
 * A fetch that reads JSON answers to their end, but never more than 8 MiB, and follows redirects
 * only on the host it was sent to, so that neither key nor transcript goes elsewhere. JSON under
 * another content type is accepted.
 * @throws {ServerAnswerError} for whatever is not 2xx with JSON; fetch's own errors else.
 */
export function boundedFetch(dispatcher: Agent): typeof fetch {
  return async (input, init) => {
    const { response, text } = await send(urlOf(input), init, dispatcher, answerBytesMax);
    assertJson(response, text);
    return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } });
  };
}

/** The text at an address, for looking who answers there. Same limits as `boundedFetch`. */
export async function fetchText(
  url: string,
  init: RequestInit,
  dispatcher: Agent,
): Promise<string> {
  return (await send(url, init, dispatcher, answerBytesMax)).text;
}

async function send(
  from: string,
  init: RequestInit | undefined,
  dispatcher: Agent,
  bytesMax: number,
): Promise<{ response: Response; text: string }> {
  let url = from;
  for (let hop = 0; hop <= redirectsMax; hop += 1) {
    // `dispatcher` is undici's addition; Node's types name another undici than ours.
    const options: object = { ...init, redirect: 'manual', dispatcher };
    const response = await fetch(url, options);
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) {
      const text = await textOf(response, response.ok ? bytesMax : errorBytesMax);
      if (!response.ok) throw new ServerAnswerError(response, text);
      return { response, text };
    }
    await response.body?.cancel();
    const target = new URL(location, url);
    if (hop === redirectsMax || !sameServer(new URL(url), target))
      throw new ServerAnswerError(response, target.origin, 'redirected');
    url = target.href;
  }
  throw new Error('unreachable: the loop returns or throws');
}

/** The same host and port; or the same host asking for TLS. */
const sameServer = (from: URL, to: URL): boolean =>
  from.origin === to.origin ||
  (from.hostname === to.hostname && from.protocol === 'http:' && to.protocol === 'https:');

async function textOf(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    chunks.push(chunk);
    if (bytes > bytesMax) {
      // Leaving the loop cancels the body. Of an error page the beginning is enough.
      if (response.ok) throw new ServerAnswerError(response, '', 'too-large');
      break;
    }
  }
  return Buffer.concat(chunks).subarray(0, bytesMax).toString('utf8');
}

function assertJson(response: Response, text: string): void {
  try {
    JSON.parse(text);
  } catch {
    const begun = /^\s*[[{]/u.test(text);
    throw new ServerAnswerError(response, text.slice(0, 1000), begun ? 'broken-json' : 'not-json');
  }
}

const urlOf = (input: string | URL | Request): string =>
  input instanceof Request ? input.url : String(input);
