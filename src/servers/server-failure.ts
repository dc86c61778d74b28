import { StageError, type StageFailure, codeOf } from '../shared/errors.ts';
import { isRecord, parsedJson } from '../shared/json.ts';
import { failure } from '../words/failures.ts';
import { AnswerLost, type Server, type ServerAnswer, answerMegabytesMax } from './server.ts';

/** Of a speech server: wait until it is there again. */
export const waitingCodes: ReadonlySet<string> = new Set(['engine-away', 'engine-busy']);

/**
 * Failure for an answer that is not what was asked for.
 * @param prompt what was sent, so that nothing of it is quoted back
 */
export function answerFailure(server: Server, answer: ServerAnswer, prompt = ''): StageError {
  const { kind, name } = server;
  const { status, headers, body } = answer;
  const said = { server: name, said: saidBy(server, answer, prompt) };
  const numbered = { ...said, status: String(status) };
  const failed = (retriable: boolean, sentence: StageFailure) =>
    new StageError(sentence, { retriable, retryAfterMs: retryAfterMs(headers) });

  if (status >= 300 && status < 400) {
    const redirected = { server: name, url: locationOf(headers) };
    return failed(false, failure(`${kind}-server-redirects`, redirected));
  }
  if (status === 401 || status === 403)
    return failed(false, failure(`${kind}-server-key-wrong`, said));
  if (status === 404) return failed(false, failure(`${kind}-server-not-found`, said));
  if (status === 429 && /insufficient_quota/.test(body))
    return failed(false, failure(`${kind}-server-no-credit`, said));
  if ([408, 409, 425, 429, 498].includes(status))
    return failed(true, failure(`${kind}-server-busy`, said));
  if ([502, 503, 504].includes(status) || (status >= 520 && status <= 530))
    return failed(true, failure(`${kind}-server-not-ready`, numbered));
  // whisper.cpp answers 500 to what it cannot read and to fields it cannot parse.
  if (
    status === 501 ||
    (status === 500 && /FFmpeg conversion failed|\bsto[fi]\b|basic_string/.test(body))
  )
    return failed(false, failure(`${kind}-server-cannot`, numbered));
  if (status >= 500) return failed(true, failure(`${kind}-server-failed`, numbered));
  return failed(false, failure(`${kind}-server-refused`, numbered));
}

/** Failure for a request that got no whole answer. AbortErrors of ours are not for here. */
export function connectionFailure(
  { kind, name: server }: { kind: Server['kind'] | 'mitschrift'; name: string },
  error: unknown,
): StageError {
  const found = causes(error);
  // Said on the way to the server (a forbidden address), and wrapped by fetch.
  const own = found.find((cause) => cause instanceof StageError);
  if (own) return own;
  const cause = found.map(codeOf).find((one) => one) ?? '';
  const failed = (retriable: boolean, sentence: StageFailure) =>
    new StageError(sentence, { retriable, cause: error });
  const brokeOff = (during: 'request' | 'answer') =>
    failed(
      true,
      failure(`${kind}-server-broke-off`, { server, cause: cause || undefined, during }),
    );
  const lost = found.find((one) => one instanceof AnswerLost);
  if (lost?.isTooLarge) return tooLarge(kind, server, error);
  if (certificate.test(cause))
    return failed(false, failure(`${kind}-server-certificate`, { server, cause }));
  if (cause === 'EPROTO' || cause.startsWith('ERR_SSL'))
    return failed(false, failure(`${kind}-server-no-https`, { server }));
  if (cause === 'UND_ERR_BODY_TIMEOUT')
    return failed(true, failure(`${kind}-server-stopped-answering`, { server }));
  if (lost) return brokeOff('answer');
  if (closed.has(cause)) return failed(true, failure(`${kind}-server-closes`, { server, cause }));
  if (away.has(cause))
    return failed(true, failure(`${kind}-server-unreachable`, { server, cause }));
  return brokeOff('request');
}

/** So much cannot be an answer; the next would be as large. */
function tooLarge(kind: Server['kind'] | 'mitschrift', server: string, cause: unknown): StageError {
  const large = { server, fault: 'too-large', limit: answerMegabytesMax * 1024 ** 2 } as const;
  const lasting = { retriable: false, cause };
  if (kind === 'speech')
    return new StageError(failure('speech-answer-unreadable', large), {
      ...lasting,
      as: 'engine-refused',
    });
  if (kind === 'language' || kind === 'embedding')
    return new StageError(failure(`${kind}-server-not-api`, large), lasting);
  return new StageError(failure('not-mitschrift', { server }), lasting);
}

const away = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** Before an answer: something stands in front of a server that is not there (Docker, ssh, a proxy). */
const closed = new Set(['UND_ERR_SOCKET', 'EPIPE', 'ECONNRESET', 'ECONNABORTED']);
const certificate = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ALTNAME|ERR_TLS/;

/** Causes lie deep: openai wraps fetch, fetch wraps undici, undici the tries of several addresses. */
export function causes(error: unknown): Error[] {
  const found: Error[] = [];
  let at: unknown = error;
  while (at instanceof Error && found.length < 6) {
    found.push(at);
    at = at.cause ?? (at instanceof AggregateError ? at.errors[0] : undefined);
  }
  return found;
}

/** Longest wait a server may ask for. */
const retryAfterMsMax = 600_000;

/** `retry-after-ms` as OpenAI and Azure send it, or `Retry-After` in seconds or as a date. */
function retryAfterMs(headers: Headers): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? NaN);
  const given = headers.get('retry-after');
  const seconds = given === null ? NaN : Number(given);
  const date = given === null ? NaN : Date.parse(given) - Date.now();
  const ms = [exact, seconds * 1000, date].find((value) => Number.isFinite(value) && value >= 0);
  return ms === undefined ? undefined : Math.min(ms, retryAfterMsMax);
}

function locationOf(headers: Headers): string | undefined {
  const location = headers.get('location') ?? '';
  return URL.canParse(location) ? new URL(location).origin + new URL(location).pathname : undefined;
}

/** Characters of a server's own words that are quoted. */
const quotedMax = 300;

/**
 * A server's own words as they may be shown and logged: cut, without the key, which servers repeat when it is wrong.
 * Undefined for a page, for nothing, and for words that quote the prompt.
 */
export function saidBy(
  { apiKey }: Server,
  answer: ServerAnswer,
  prompt: string,
): string | undefined {
  const { contentType, body } = answer;
  if (contentType.includes('html') || /^\s*</.test(body)) return undefined;
  let said = serverMessage(body);
  if (apiKey) said = said.replaceAll(apiKey, '•••');
  said = said.replaceAll(/\b(Bearer\s+|sk-)[\w.*-]+/giu, '$1•••');
  if (said.length > quotedMax) said = `${said.slice(0, quotedMax)}…`;
  return said === '' || quotes(said, prompt) ? undefined : said;
}

/** Whether any 32 characters in a row are the prompt's. */
function quotes(message: string, prompt: string): boolean {
  const flat = prompt.replaceAll(/\s+/gu, ' ');
  for (let at = 0; at + 32 <= message.length; at += 1) {
    if (flat.includes(message.slice(at, at + 32))) return true;
  }
  return false;
}

/**
 * What a server says is wrong, from the shapes servers use: OpenAI's `error.message` and `param`,
 * Ollama's and LM Studio's `error` string, FastAPI's `detail` (without the input it echoes), plain text.
 */
export function serverMessage(body: string): string {
  return (fromJson(body) ?? body).replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

function fromJson(body: string): string | undefined {
  const parsed = parsedJson(body);
  if (!isRecord(parsed)) return undefined;
  const { error, detail, message } = parsed;
  if (isRecord(error)) return words(error['message'], error['param'], error['code']);
  if (!Array.isArray(detail)) return words(error, detail, message);
  return detail
    .filter(isRecord)
    .map(({ loc, msg }) => words(Array.isArray(loc) ? loc.join('.') : '', msg))
    .join('; ');
}

const words = (...parts: unknown[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(' ');
