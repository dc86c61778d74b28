import { LRUCache } from 'lru-cache';
import type { Segment } from '../../../events/facts/transcript.ts';
import type { ServerAnswer } from '../../servers/server.ts';

/** What a server can do, as far as it has shown. */
export type Capabilities = {
  /** diarized_json (segments with speakers) → verbose_json with words → verbose_json → json without times. */
  format: 'diarized' | 'words' | 'segments' | 'json';
  /** OpenAI's gpt-4o transcribers: without diarized_json all they have is text. */
  textOnly: boolean;
  /** Whether it tells speakers apart: by the name of the model, or as an answer has shown; null: not yet. */
  speakers: boolean | null;
  /** Whether it takes samples of the speakers that earlier requests found. */
  references: boolean;
  /** Whether it takes `stream`, until it has refused it; most that do not know it take no notice. */
  streams: boolean;
  /** Whether it takes names and terms, until it has refused them. */
  prompts: boolean;
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
 * OpenAI's gpt-4o transcribers are known to give no times, but for the one that tells speakers apart.
 */
export function capabilities(endpoint: string, model: string | null): Capabilities {
  const found = remembered.get(endpoint);
  if (found) return found;
  const textOnly = model !== null && /^gpt-4o.*transcribe/.test(model);
  // `gpt-4o-transcribe-diarize`, and what proxies call it.
  const speakers = model !== null && /diari[sz]/i.test(model);
  const format = speakers ? 'diarized' : textOnly ? 'json' : 'words';
  const known: Capabilities = {
    format,
    textOnly,
    speakers: speakers || (textOnly ? false : null),
    references: speakers,
    streams: true,
    prompts: true,
    failures: 0,
  };
  remembered.set(endpoint, known);
  return known;
}

/** Takes from an answer whether the server tells speakers apart; without being asked to some do not. */
export function noteSpeakers(known: Capabilities, segments: readonly Segment[], asked: boolean) {
  if (segments.some(({ speaker }) => speaker !== undefined)) known.speakers = true;
  else if (asked && segments.length > 0) known.speakers = false;
}

/** What is known of the speed of an endpoint with a model; shared as `capabilities`. */
export function serverPace(endpoint: string): ServerPace {
  const found = paces.get(endpoint);
  if (found) return found;
  const unknown: ServerPace = { slowest: null, answersAtWork: false, assumesEnglish: false };
  paces.set(endpoint, unknown);
  return unknown;
}

/** Asks for the answer in one piece from now on, where one says that streaming it is the trouble. @returns whether to ask again */
export function stopStreaming(known: Capabilities, { status, body }: ServerAnswer): boolean {
  if (!known.streams || status < 400 || status === 404 || !/\bstream/i.test(body)) return false;
  known.streams = false;
  return true;
}

/** Asks without names and terms from now on, where one says that they are the trouble. @returns whether to ask again */
export function stopPrompting(known: Capabilities, { status, body }: ServerAnswer): boolean {
  if (![400, 422, 500, 501].includes(status) || !/\bprompt/i.test(body)) return false;
  known.prompts = false;
  return true;
}

/**
 * Takes the next simpler format when an answer says that the format is the trouble: by name, or by
 * an unexplained 500 for the second time (speaches with a Parakeet model).
 * @returns whether to ask again.
 */
export function downgrade(known: Capabilities, answer: ServerAnswer): boolean {
  if (known.format === 'json' || ![400, 415, 422, 500, 501].includes(answer.status)) return false;
  if (known.references && /known_speaker/i.test(answer.body)) {
    known.references = false;
    return true;
  }
  const named = /response_format|timestamp|granularit|verbose_json|diarized_json/i.test(
    answer.body,
  );
  if (!named) {
    if (answer.status !== 500) return false;
    known.failures += 1;
    if (known.failures < 2) return false;
  }
  known.failures = 0;
  known.format = simplerThan(known);
  return true;
}

/** The next simpler format of a server that does not have the present one. */
export function simplerThan({ format, textOnly }: Capabilities): Capabilities['format'] {
  if (format === 'diarized') return textOnly ? 'json' : 'words';
  return format === 'words' ? 'segments' : 'json';
}
