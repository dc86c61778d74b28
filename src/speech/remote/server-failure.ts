import { StageError, type StageErrorCode, codeOf } from '../../shared/errors.ts';

/** An answer of a server, read to its end or to the limit. */
export type ServerAnswer = {
  status: number;
  /** Media type in lower case without parameters; `''` when it says none. */
  contentType: string;
  headers: Headers;
  body: string;
};

/**
 * What went wrong between us and a server. Codes, and what is done about them:
 * `engine-away`, `engine-busy`: wait until it is there again. `engine-failed`, `engine-stalled`: try
 * again for some minutes. `engine-answer`: try again a few times. `engine-refused`: the same again will not help.
 */
export const waitingCodes: ReadonlySet<string> = new Set(['engine-away', 'engine-busy']);

/** The connection ended in the middle of an answer. */
export class AnswerBrokenOff extends Error {
  override name = 'AnswerBrokenOff';
}

/**
 * Failure for an answer that is not a transcript.
 * @param name the server's, for the sentence. @param secret what must not stand in it: servers
 *   repeat a wrong key.
 */
export function answerFailure(
  name: string,
  answer: ServerAnswer,
  secret: string | null = null,
): StageError {
  const { status, contentType, headers } = answer;
  const body = secret ? answer.body.replaceAll(secret, '…') : answer.body;
  const said = sentenceIn(body, contentType);
  const quoted = said ? ` It says: ${said}` : '';
  const fail = (code: StageErrorCode, sentence: string) =>
    new StageError(code, `${sentence}${quoted}`, {
      retriable: code !== 'engine-refused',
      retryAfterMs: retryAfterMs(headers),
    });

  if (status >= 300 && status < 400)
    return fail(
      'engine-refused',
      `${name} redirects to ${locationOf(headers)}. Set stt.base_url to that address.`,
    );
  if (status === 401 || status === 403)
    return fail('engine-refused', `${name} does not accept the API key (stt.api_key).`);
  if (status === 404)
    return fail(
      'engine-refused',
      `${name} does not know this address or model. Check stt.base_url, stt.backend and stt.model.`,
    );
  if (status === 413) return fail('engine-refused', `${name} finds the audio too large.`);
  if (status === 429 && /insufficient_quota/.test(body))
    return fail('engine-refused', `The account at ${name} has no credit left.`);
  if ([408, 425, 429, 498].includes(status)) return fail('engine-busy', `${name} is busy.`);
  if ([502, 503, 504].includes(status) || (status >= 520 && status <= 530))
    return fail('engine-busy', `${name} is not ready (HTTP ${status}).`);
  // whisper.cpp answers 500 to what it cannot read and to fields it cannot parse.
  if (
    status === 501 ||
    (status === 500 && /FFmpeg conversion failed|\bsto[fi]\b|basic_string/.test(body))
  )
    return fail('engine-refused', `${name} cannot do this (HTTP ${status}).`);
  if (status >= 500) return fail('engine-failed', `${name} failed (HTTP ${status}).`);
  return fail('engine-refused', `${name} did not accept the request (HTTP ${status}).`);
}

/** Failure for a request that got no whole answer. AbortErrors of ours are not for here. */
export function connectionFailure(name: string, error: unknown): StageError {
  const found = causes(error);
  const own = found.find((cause) => cause instanceof StageError);
  if (own) return own;
  const code = systemCode(error);
  const fail = (kind: StageErrorCode, sentence: string) =>
    new StageError(kind, sentence, { retriable: kind !== 'engine-refused', cause: error });
  if (certificate.test(code))
    return fail('engine-refused', `The certificate of ${name} is not trusted here (${code}).`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return fail('engine-refused', `${name} does not speak HTTPS: try http://.`);
  if (code === 'UND_ERR_BODY_TIMEOUT')
    return fail('engine-stalled', `${name} stopped in the middle of its answer.`);
  if (found.some((cause) => cause instanceof AnswerBrokenOff))
    return fail(
      'engine-failed',
      `${name} broke off in the middle of its answer (${code || 'no reason given'}).`,
    );
  if (closed.has(code))
    return fail('engine-away', `${name} closes connections without an answer (${code}).`);
  if (away.has(code)) return fail('engine-away', `${name} cannot be reached (${code}).`);
  return fail('engine-failed', `${name} broke the connection off (${code || 'no reason given'}).`);
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
const certificate = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ALTNAME/;

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

function systemCode(error: unknown): string {
  return (
    causes(error)
      .map(codeOf)
      .find((code) => code) ?? ''
  );
}

/** Longest wait a server may ask for. */
const retryAfterMsMax = 600_000;

/** `retry-after-ms`, or `Retry-After` in seconds or as a date. */
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

/** What OpenAI, FastAPI, Ollama and plain servers say in words; `''` for pages and nothing. */
export function sentenceIn(body: string, contentType: string): string {
  let found: unknown = contentType.includes('html') || /^\s*</.test(body) ? '' : body;
  try {
    const parsed: Record<string, unknown> | null = JSON.parse(body);
    const error = parsed?.['error'] as { message?: unknown } | string | undefined;
    const detail = parsed?.['detail'] as { msg?: unknown }[] | string | undefined;
    found =
      (typeof error === 'object' ? error?.message : error) ??
      (Array.isArray(detail) ? detail[0]?.msg : detail) ??
      parsed?.['message'] ??
      '';
  } catch {
    // no JSON: then it is the text itself
  }
  const text = typeof found === 'string' ? found.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim() : '';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
