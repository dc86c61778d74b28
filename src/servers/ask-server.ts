import { type Clock, systemClock } from '../shared/retry.ts';
import { isAbort } from '../shared/abort.ts';
import { send } from './connections.ts';
import { AnswerLost, type Server, type ServerAnswer, answerMegabytesMax } from './server.ts';
import OpenAI from 'openai';

/** What is read of an error: servers send pages of 10 MB. */
const errorBytesMax = 64 * 1024;
/** A look must not take longer than that. */
const lookMs = 3000;

/**
 * One request, with the server's key. Redirects are followed only on the server itself, so that neither key nor audio nor
 * transcript goes elsewhere; where one leads away, it is the answer.
 * @param onPiece called with each piece of a good answer as it comes
 * @throws {AnswerLost}; what fetch throws
 */
export async function askServer(
  { apiKey, connections }: Pick<Server, 'apiKey' | 'connections'>,
  url: string,
  init: RequestInit,
  onPiece?: (piece: string, contentType: string) => void,
): Promise<ServerAnswer> {
  const headers = new Headers(init.headers);
  if (apiKey === null) headers.delete('authorization');
  else headers.set('authorization', `Bearer ${apiKey}`);
  return await answerOf(await send(connections, url, { ...init, headers }), onPiece);
}

/** Whether an answer is what was asked for, as far as its status tells. */
export const isGood = ({ status }: { status: number }): boolean => status >= 200 && status < 300;

/** How a look measures time, and how long it may take. */
export type LookTime = { timeoutMs?: number; clock?: Clock };

/**
 * Whether a server is there, by a GET that is worth no long wait.
 * @returns null when it does not answer in time
 * @throws as `askServer`; the signal's reason
 */
export async function lookAt(
  server: Server,
  url: string,
  signal: AbortSignal,
  time: LookTime = {},
): Promise<ServerAnswer | null> {
  return await shortly(signal, time, async (late) => {
    try {
      return await askServer(server, url, { signal: late });
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted) return null;
      throw error;
    }
  });
}

/** Does a work whose signal aborts after the time of a look, and with `signal`. */
export async function shortly<T>(
  signal: AbortSignal,
  { timeoutMs = lookMs, clock = systemClock }: LookTime,
  work: (late: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const over = new AbortController();
  clock.wait(timeoutMs, over.signal).then(
    () => late.abort(),
    () => {}, // the look has ended
  );
  return await work(AbortSignal.any([signal, late.signal])).finally(() => over.abort());
}

async function answerOf(
  response: Response,
  onPiece?: (piece: string, contentType: string) => void,
): Promise<ServerAnswer> {
  const { status, headers, ok } = response;
  const contentType = (headers.get('content-type') ?? '')
    .replace(/;.*$/su, '')
    .trim()
    .toLowerCase();
  const decoder = new TextDecoder();
  let body = '';
  let bytes = 0;
  for await (const chunk of piecesOf(response)) {
    bytes += chunk.length;
    if (!ok && bytes > errorBytesMax) break; // leaving the loop cancels the rest
    if (bytes > answerMegabytesMax * 1024 ** 2)
      throw new AnswerLost('The answer is too large', { isTooLarge: true });
    const piece = decoder.decode(chunk, { stream: true });
    body += piece;
    if (ok) onPiece?.(piece, contentType);
  }
  return { status, contentType, headers, body: body + decoder.decode() };
}

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? [];
  } catch (cause) {
    if (isAbort(cause)) throw cause;
    throw new AnswerLost('The answer broke off', { cause });
  }
}

/**
 * A request that the openai package writes and `ask` sends. The package's retries and time limits are off (they would run
 * a job of half an hour three times), its environment variables are overridden, and what goes wrong on the way is thrown
 * as it was: the package hides causes of timeouts.
 */
export async function throughOpenAI<T>(
  { base, apiKey }: Server,
  ask: (url: string, init: RequestInit) => Promise<Response>,
  request: (client: OpenAI) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    try {
      return await ask(input instanceof Request ? input.url : String(input), init);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const client = new OpenAI({
    baseURL: base,
    apiKey: apiKey ?? 'none', // it refuses to work without one
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off', // its debug log holds transcripts
    timeout: 2 ** 31 - 1,
    // With `Response` it need not try out whether this fetch knows FormData.
    fetch: Object.assign(send, { Response }),
  });
  try {
    return await request(client);
  } catch (error) {
    throw failure ?? error;
  }
}
