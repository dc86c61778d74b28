import { LRUCache } from 'lru-cache';
import type { ServerAnswer } from './server-client.ts';

/** What a server can do, as far as it has shown. */
export type Capabilities = {
  /** verbose_json with words → verbose_json → json without times. */
  format: 'words' | 'segments' | 'json';
  /** Failures in a row that did not say why. */
  failures: number;
};

/** What a server has shown of its speed and kind. */
export type ServerPace = {
  /** The slowest answer so far, in seconds of work for a second of audio; null before the first. */
  slowest: number | null;
  /** Whether it answers other requests while it works; until it has, its silence says nothing. */
  answersAtWork: boolean;
  /** Whether it assumes English unless `language` is `auto`: whisper.cpp, which says its name. */
  assumesEnglish: boolean;
};

/** Endpoints remembered at most; the one that was not used for longest is forgotten. */
const endpointsMax = 64;
/** A server may have been updated, or a failure misread: then the best is tried again. */
const rememberedMs = 3600_000;
const remembered = new LRUCache<string, Capabilities>({ max: endpointsMax, ttl: rememberedMs });
const paces = new LRUCache<string, ServerPace>({ max: endpointsMax });

/**
 * What is known of an endpoint and model; shared, so that what one job finds out serves the next.
 * OpenAI's gpt-4o transcribers are known to give no times.
 */
export function capabilities(endpoint: string, model: string | null): Capabilities {
  const found = remembered.get(endpoint);
  if (found) return found;
  const textOnly = model !== null && /^gpt-4o.*transcribe/.test(model);
  const known: Capabilities = { format: textOnly ? 'json' : 'words', failures: 0 };
  remembered.set(endpoint, known);
  return known;
}

/** What is known of the speed of an endpoint with a model; shared as `capabilities`. */
export function serverPace(endpoint: string): ServerPace {
  const found = paces.get(endpoint);
  if (found) return found;
  const unknown: ServerPace = { slowest: null, answersAtWork: false, assumesEnglish: false };
  paces.set(endpoint, unknown);
  return unknown;
}

/**
 * Takes the next simpler format when an answer says that the format is the trouble: by name, or by
 * an unexplained 500 for the second time (speaches with a Parakeet model).
 * @returns whether to ask again.
 */
export function downgrade(known: Capabilities, answer: ServerAnswer): boolean {
  if (known.format === 'json' || ![400, 415, 422, 500, 501].includes(answer.status)) return false;
  const named = /response_format|timestamp|granularit|verbose_json/i.test(answer.body);
  if (!named) {
    if (answer.status !== 500) return false;
    known.failures += 1;
    if (known.failures < 2) return false;
  }
  known.failures = 0;
  known.format = known.format === 'words' ? 'segments' : 'json';
  return true;
}
