import type { ServerAnswer } from './server-client.ts';

/** What a server can do, as far as it has shown. */
export type Capabilities = {
  /** verbose_json with words → verbose_json → json without times. */
  rung: 'words' | 'segments' | 'json';
  /** Failures in a row that did not say why. */
  failures: number;
};

/** Endpoints remembered at most; the oldest is forgotten. */
const endpointsMax = 64;
/** A server may have been updated, or a failure misread: then the best is tried again. */
const rememberedMs = 3600_000;
const remembered = new Map<string, { known: Capabilities; since: number }>();

/**
 * What is known of an endpoint and model; shared, so that what one job finds out serves the next.
 * OpenAI's gpt-4o transcribers are known to give no times.
 */
export function capabilities(endpoint: string, model: string | null): Capabilities {
  const found = remembered.get(endpoint);
  if (found && Date.now() - found.since < rememberedMs) return found.known;
  const textOnly = model !== null && /^gpt-4o.*transcribe/.test(model);
  const known: Capabilities = { rung: textOnly ? 'json' : 'words', failures: 0 };
  remembered.delete(endpoint);
  remembered.set(endpoint, { known, since: Date.now() });
  const oldest = remembered.keys().next().value;
  if (remembered.size > endpointsMax && oldest !== undefined) remembered.delete(oldest);
  return known;
}

/**
 * Takes the next rung when an answer says that the format is the trouble: by name, or by an
 * unexplained 500 for the second time (speaches with a Parakeet model).
 * @returns whether to ask again.
 */
export function stepDown(known: Capabilities, answer: ServerAnswer): boolean {
  if (known.rung === 'json' || ![400, 415, 422, 500, 501].includes(answer.status)) return false;
  const named = /response_format|timestamp|granularit|verbose_json/i.test(answer.body);
  if (!named) {
    if (answer.status !== 500) return false;
    known.failures += 1;
    if (known.failures < 2) return false;
  }
  known.failures = 0;
  known.rung = known.rung === 'words' ? 'segments' : 'json';
  return true;
}
