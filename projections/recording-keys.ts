import type { LoggedFact } from '../events/facts/catalogue.ts';
import { recordingOf } from '../events/facts/recording.ts';
import type { Seal } from './projection.ts';

/** Name of the projection of recordings, in whose rows everything of them is. */
export const recordingsName = 'recordings';

/** Key of what is kept of a recording. */
export const recordingKey = (id: string): string => `r/${id}`;

/** What the keys of a recording's texts begin with. */
export const textKeysOf = (id: string): string => `t/${id}/`;

/** Key of the texts of a fact, by its version. */
export const textKey = (id: string, version: number): string => `${textKeysOf(id)}${nine(version)}`;

/** Key of an utterance, by the version of the plan that it is one of; and what the keys of all of it begin with. */
export const utterancesOf = (id: string, plan: number): string => `${textKeysOf(id)}u/${plan}/`;
export const utteranceKey = (id: string, plan: number, index: number): string =>
  `${utterancesOf(id, plan)}${nine(index)}`;

/** Nine digits sort as numbers do. */
const nine = (number: number): string => String(number).padStart(9, '0');

/** The recording that a fact belongs to, with the keys of what folding the fact has to see. */
export function recordingIn({ stream }: LoggedFact): Place {
  // A recording's facts mostly follow each other, and are asked about several times each.
  if (stream === lastPlace.stream) return lastPlace;
  const id = recordingOf(stream);
  lastPlace = { stream, id, keys: id === undefined ? [] : [recordingKey(id)] };
  return lastPlace;
}

/** What people said and wrote is sealed with the recording's key; lists and states are not. */
export function sealOfRecording(key: string): Seal | undefined {
  const [kind, subject] = key.split('/', 2);
  if (subject === undefined) return undefined;
  if (kind === 'r') return { subject, open: ['core', 'counted', 'clock'] };
  return kind === 't' ? { subject } : undefined;
}

type Place = { stream: string; id: string | undefined; keys: readonly string[] };
let lastPlace: Place = { stream: '', id: undefined, keys: [] };
