/** What is quoted of a server's own words. */
const charactersMax = 300;

/**
 * What a server says is wrong, from the shapes servers use: OpenAI's `error.message` and `param`,
 * Ollama's and LM Studio's `error` string, FastAPI's `detail` (without the input it echoes).
 */
export function serverMessage(body: string): string {
  const said = fromJson(body) ?? body.replaceAll(/<[^>]*>/gu, ' ');
  return said.replaceAll(/\s+/gu, ' ').trim();
}

/**
 * A server's words as they may be shown and logged: cut, without the key, and without the prompt
 * that some servers quote.
 */
export function quotable(message: string, secret: string | null, prompt: string): string {
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

const words = (...parts: unknown[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(' ');

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
