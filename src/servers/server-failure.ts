import { StageError, type StageErrorCode, codeOf } from '../shared/errors.ts';
import { AnswerLost, type Server, type ServerAnswer, answerMegabytesMax } from './server.ts';

/**
 * What is done about a failure. `away`, `busy`: wait until the server is there again. `failed`, `stalled`: try again for
 * some minutes. `refused`: the same again will not help.
 */
type Outcome = 'away' | 'busy' | 'failed' | 'stalled' | 'refused';

const codeFor = (kind: Server['kind'], outcome: Outcome): StageErrorCode =>
  kind === 'speech' ? `engine-${outcome}` : outcome === 'refused' ? 'model-refused' : 'model-away';

/** Of a speech server: wait until it is there again. */
export const waitingCodes: ReadonlySet<string> = new Set(['engine-away', 'engine-busy']);

/**
 * Failure for an answer that is not what was asked for.
 * @param prompt what was sent, so that nothing of it is quoted back
 */
export function answerFailure(server: Server, answer: ServerAnswer, prompt = ''): StageError {
  const { kind, name } = server;
  const { status, headers, body } = answer;
  const settings = kind === 'speech' ? 'stt' : 'llm';
  const fail = (outcome: Outcome, sentence: string) =>
    new StageError(codeFor(kind, outcome), `${sentence}${quoted(server, answer, prompt)}`, {
      retriable: outcome !== 'refused',
      retryAfterMs: retryAfterMs(headers),
    });

  if (status >= 300 && status < 400)
    return fail(
      'refused',
      `${name} redirects to ${locationOf(headers)}. Set ${settings}.base_url to that address.`,
    );
  if (status === 401 || status === 403)
    return fail('refused', `${name} does not accept the API key (${settings}.api_key).`);
  if (status === 404)
    return fail(
      'refused',
      kind === 'speech'
        ? `${name} does not know this address or model. Check stt.base_url, stt.backend and stt.model.`
        : `${name} does not know this address or model. Check llm.base_url and llm.model.`,
    );
  if (status === 429 && /insufficient_quota/.test(body))
    return fail('refused', `The account at ${inside(name)} has no credit left.`);
  if ([408, 409, 425, 429, 498].includes(status)) return fail('busy', `${name} is busy.`);
  if ([502, 503, 504].includes(status) || (status >= 520 && status <= 530))
    return fail('busy', `${name} is not ready (HTTP ${status}).`);
  // whisper.cpp answers 500 to what it cannot read and to fields it cannot parse.
  if (
    status === 501 ||
    (status === 500 && /FFmpeg conversion failed|\bsto[fi]\b|basic_string/.test(body))
  )
    return fail('refused', `${name} cannot do this (HTTP ${status}).`);
  if (status >= 500) return fail('failed', `${name} failed (HTTP ${status}).`);
  return fail('refused', `${name} did not accept the request (HTTP ${status}).`);
}

/** Failure for a request that got no whole answer. AbortErrors of ours are not for here. */
export function connectionFailure(
  { kind, name }: Pick<Server, 'kind' | 'name'>,
  error: unknown,
): StageError {
  const found = causes(error);
  // Said on the way to the server (a forbidden address), and wrapped by fetch.
  const own = found.find((cause) => cause instanceof StageError);
  if (own) return own;
  const code = found.map(codeOf).find((one) => one) ?? '';
  const reason = code || 'no reason given';
  const fail = (outcome: Outcome, sentence: string) =>
    new StageError(codeFor(kind, outcome), sentence, {
      retriable: outcome !== 'refused',
      cause: error,
    });
  const lost = found.find((cause) => cause instanceof AnswerLost);
  if (lost?.isTooLarge)
    return fail(
      'refused',
      `${name} answered with more than ${answerMegabytesMax} MB, which cannot be an answer.`,
    );
  if (certificate.test(code))
    return fail('refused', `The certificate of ${inside(name)} is not trusted here (${code}).`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return fail('refused', `${name} does not speak HTTPS: try http://.`);
  if (code === 'UND_ERR_BODY_TIMEOUT')
    return fail('stalled', `${name} stopped in the middle of its answer.`);
  if (lost) return fail('failed', `${name} broke off in the middle of its answer (${reason}).`);
  if (closed.has(code))
    return fail('away', `${name} closes connections without an answer (${code}).`);
  if (away.has(code)) return fail('away', `${name} cannot be reached (${code}).`);
  return fail('failed', `${name} broke the connection off (${reason}).`);
}

/** A server's name inside of a sentence. */
const inside = (name: string): string => name.replace(/^The /, 'the ');

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
function causes(error: unknown): Error[] {
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

function locationOf(headers: Headers): string {
  const location = headers.get('location') ?? '';
  return URL.canParse(location)
    ? new URL(location).origin + new URL(location).pathname
    : 'elsewhere';
}

/** Characters of a server's own words that are quoted. */
const quotedMax = 300;

/**
 * A server's own words as they may be shown and logged, after a sentence of ours: cut, without the key, which servers
 * repeat when it is wrong, and without the prompt, which some quote. `''` for a page, and for nothing.
 */
export function quoted({ apiKey }: Server, answer: ServerAnswer, prompt: string): string {
  const { contentType, body } = answer;
  if (contentType.includes('html') || /^\s*</.test(body)) return '';
  let said = serverMessage(body);
  if (apiKey) said = said.replaceAll(apiKey, '•••');
  said = said.replaceAll(/\b(Bearer\s+|sk-)[\w.*-]+/giu, '$1•••');
  if (said.length > quotedMax) said = `${said.slice(0, quotedMax)}…`;
  if (quotes(said, prompt)) said = '(its message quotes the transcript)';
  return said && ` It says: ${said}`;
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
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
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

/** Whether a part of an answer in JSON is an object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
