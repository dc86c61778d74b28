import { StageError } from '../shared/errors.ts';
import { ServerAnswerError } from './bounded-fetch.ts';

export type Asked = {
  /** The server's origin, for messages. */
  server: string;
  apiKey: string | null;
  /** What was sent, so that nothing of it is quoted back. */
  prompt: string;
};

/** Statuses after which the same request may succeed later. */
const passing = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/** Says in a sentence what went wrong between us and a language-model server. */
export function stageErrorOf(error: unknown, asked: Asked): StageError {
  if (error instanceof StageError) return error;
  // Said on the way to the server (a forbidden address), and wrapped by fetch.
  if (error instanceof Error && error.cause instanceof StageError) return error.cause;
  if (error instanceof ServerAnswerError) return fromAnswer(error, asked);
  return fromConnection(error, asked);
}

/** A time limit of ours that passed: the server may be away, or too slow for so large a request. */
export class AnswerTimedOut extends StageError {
  constructor(server: string, seconds: number) {
    super(
      'model-away',
      `The language-model server at ${server} gave no answer within ${seconds} seconds.`,
      { retriable: true },
    );
  }
}

/** Whether a refusal says that the prompt does not fit into the model's context. */
export function isOverflow(error: ServerAnswerError): boolean {
  if (error.status !== 400 && error.status !== 413 && error.status !== 422) return false;
  return /exceed_context_size|context_length_exceeded|exceeds? the (available )?context|maximum context length|longer than the context|context (length|size|window) (exceeded|is)|context length of only|too many tokens|prompt is too long/iu.test(
    error.body,
  );
}

/** The context's size, where a refusal states it: llama.cpp's `n_ctx`, the sentences of others. */
export function contextToldBy(error: ServerAnswerError): number | null {
  const found =
    /"n_ctx"\s*:\s*(\d+)/u.exec(error.body) ??
    /maximum context length is (\d+)/iu.exec(error.body) ??
    /(?:available context size \(|context length of only )(\d+)/iu.exec(error.body);
  return found ? Number(found[1]) : null;
}

const away = (message: string, retryAfter?: number): StageError =>
  new StageError('model-away', message, { retriable: true, retryAfterMs: retryAfter });
const refused = (message: string): StageError =>
  new StageError('model-refused', message, { retriable: false });
/** What is quoted of a server's own words. */
const charactersMax = 300;

/**
 * What a server says is wrong, from the shapes servers use: OpenAI's `error.message` and `param`,
 * Ollama's and LM Studio's `error` string, FastAPI's `detail` (without the input it echoes).
 */
export function serverMessage(body: string): string {
  const said = fromJson(body) ?? body.replaceAll(/<[^<>]*>/gu, ' ');
  return said.replaceAll(/\s+/gu, ' ').trim();
}

const words = (...parts: unknown[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(' ');

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fromAnswer(error: ServerAnswerError, asked: Asked): StageError {
  const { status, body } = error;
  const server = `The language-model server at ${asked.server}`;
  const said = quotable(serverMessage(body), asked.apiKey, asked.prompt);
  const quoted = said ? `: ${said}` : '.';
  if (error.problem === 'redirected')
    return refused(`${server} sends us elsewhere, to ${body}. Enter that address if you trust it.`);
  if (error.problem === 'too-large')
    return refused(`${server} answered with more than 8 MiB, which cannot be an answer.`);
  if (error.problem === 'not-json')
    return refused(`${server} answered something that is not JSON. Is that the address of an API?`);
  if (error.problem === 'broken-json') return away(`${server} answered with broken JSON.`);
  if (isOverflow(error))
    return new StageError('prompt-truncated', `${server} has too small a context${quoted}`, {
      retriable: false,
    });
  if (/content_filter|content management policy|ResponsibleAIPolicy/iu.test(body))
    return new StageError('content-filter', `${server} refuses the content${quoted}`, {
      retriable: false,
    });
  if (status === 401 || status === 403)
    return refused(`${server} does not accept the key (${status})${quoted}`);
  if (status === 429 && /insufficient_quota/u.test(body))
    return refused(`${server} says that the quota is used up${quoted}`);
  if (passing.has(status))
    return away(`${server} answered ${status}${quoted}`, retryAfterMs(error.headers));
  return refused(`${server} answered ${status}${quoted}`);
}

function fromConnection(error: unknown, asked: Asked): StageError {
  const code = codeOf(error);
  if (/^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/u.test(code))
    return refused(`The certificate of ${asked.server} is not trusted (${code}).`);
  return away(`The language-model server at ${asked.server} cannot be reached (${code}).`);
}

/** The innermost error code; fetch hides it in causes. */
function codeOf(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    current = current.cause;
  }
  return error instanceof Error ? error.name : 'unknown error';
}

/** `Retry-After` in seconds or as a date, `retry-after-ms` as OpenAI and Azure send it. */
function retryAfterMs(headers: Headers): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (ms >= 0) return ms;
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return seconds * 1000;
  const until = Date.parse(value) - Date.now();
  return until > 0 ? until : undefined;
}

/**
 * A server's words as they may be shown and logged: cut, without the key, and without the prompt
 * that some servers quote.
 */
function quotable(message: string, secret: string | null, prompt: string): string {
  let shown = message;
  if (secret) shown = shown.replaceAll(secret, '•••');
  shown = shown.replaceAll(/\b(Bearer\s+|sk-)[\w.*-]+/giu, '$1•••');
  shown = shown.slice(0, charactersMax);
  return quotes(shown, prompt) ? "(the server's message quotes the transcript)" : shown;
}

/** Whether any 32 characters in a row are the prompt's. */
function quotes(message: string, prompt: string): boolean {
  const flat = prompt.replaceAll(/\s+/gu, ' ');
  for (let at = 0; at + 32 <= message.length; at += 1) {
    if (flat.includes(message.slice(at, at + 32))) return true;
  }
  return false;
}

function fromJson(body: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isRecord(parsed)) return undefined;
  const { error, detail, message } = parsed;
  if (isRecord(error)) return words(error['message'], error['param'], error['code']);
  if (Array.isArray(detail))
    return detail
      .filter(isRecord)
      .map(({ loc, msg }) => words(Array.isArray(loc) ? loc.join('.') : '', msg))
      .join('; ');
  return words(error, detail, message);
}
