import { Agent, type Dispatcher } from 'undici';
import { guardedLookup } from '../../shared/outbound.ts';
import { StageError } from '../../shared/errors.ts';
import { AnswerBrokenOff, type ServerAnswer } from './server-failure.ts';

/** Largest transcript taken: an hour of words with times is about 2 MB. */
const answerBytesMax = 32 * 1024 * 1024;
/** What is read of an error: servers send pages of 10 MB. */
const errorBytesMax = 64 * 1024;
const connectSeconds = 10;
/** Once an answer has begun, so long may pass between two pieces of it. */
const bodySeconds = 60;

/**
 * Connections for long jobs: no limit until the answer begins (the caller has one that grows with
 * the audio; undici's own 300 s would cut it), a limit once it has begun, and none kept open:
 * whisper.cpp gives each idle one a thread of its pool for 5 s.
 */
export function serverConnections(): Agent {
  return new Agent({
    pipelining: 0,
    connections: 4,
    headersTimeout: 0,
    bodyTimeout: bodySeconds * 1000,
    connect: { timeout: connectSeconds * 1000, lookup: guardedLookup },
  });
}

/**
 * One request through the built-in fetch, never redirected (a POST would become a GET).
 * @param onBody called with what has come of a good answer, whenever more comes
 * @throws {StageError} `engine-answer` when the answer is too large; {AnswerBrokenOff}; what fetch throws.
 */
export async function askServer(
  url: string,
  init: RequestInit,
  dispatcher: Dispatcher,
  onBody?: (soFar: string, contentType: string) => void,
): Promise<ServerAnswer> {
  const options = { ...init, redirect: 'manual', dispatcher } as unknown as RequestInit;
  const response = await fetch(url, options);
  const { status, headers } = response;
  const contentType = (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  const onText = response.ok && onBody ? (soFar: string) => onBody(soFar, contentType) : undefined;
  const body = await readBody(response, onText).catch(brokenOff);
  return { status, contentType, headers, body };
}

function brokenOff(error: unknown): never {
  if (error instanceof StageError || (error as Error).name === 'AbortError') throw error;
  throw new AnswerBrokenOff('The answer broke off', { cause: error });
}

async function readBody(response: Response, onText?: (soFar: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (!response.ok && bytes > errorBytesMax) return text; // leaving the loop cancels the rest
    if (bytes > answerBytesMax)
      throw new StageError('engine-answer', 'The server’s answer is larger than 32 MB.', {
        retriable: false,
      });
    text += decoder.decode(chunk, { stream: true });
    onText?.(text);
  }
  return text + decoder.decode();
}
