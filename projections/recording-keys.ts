import type { LoggedFact } from '../events/facts/catalogue.ts';
import { recordingOf } from '../events/facts/recording.ts';
import type { Seal } from './projection.ts';

/** Name of the projection of recordings, in whose rows everything of them is. */
export const recordingsName = 'recordings';

/** Key of what is kept of a recording. */
export const recordingKey = (id: string): string => `r/${id}`;

/** What the keys of a recording's texts begin with. */
export const textsOf = (id: string): string => `t/${id}/`;

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
  if (kind === 'r') return { subject, open: ['core', 'clock'] };
  return kind === 't' ? { subject } : undefined;
}

type Place = { stream: string; id: string | undefined; keys: readonly string[] };
let lastPlace: Place = { stream: '', id: undefined, keys: [] };
