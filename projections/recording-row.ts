import { type Kind, type Stage, recordingOf } from '../events/facts/recording.ts';
import type { Note } from './recording/notes.ts';
import type { Suggestion } from './recording/reading.ts';
import type { Utterance } from './recording/followed.ts';
import type { Block, Correction, SummaryLine } from '../events/facts/transcript.ts';
import type { LoggedFact } from '../events/facts/catalogue.ts';
import type { Seal } from './runner/projection.ts';

/** What a reader sees of one recording, folded from its facts. Snake case: it is what HTTP answers. */
export type RecordingRow = {
  recording_id: string;
  owner: string;
  kind: Kind;
  /** The machine's top-level state. */
  status: 'idle' | 'recording' | 'transcribing' | 'awaiting-speakers' | 'error';
  /** Canonical name of the whole state, e.g. `transcribing.finishing(punctuate.running,summarise.done)`. */
  state: string;
  /** Position and time of the fact that led into the present state. */
  position: number;
  since: string;
  run: number;
  /** Stages that have started and not ended, with their attempt and when it started. */
  running: { stage: Stage; attempt: number; since: string }[];
  title: string | null;
  /** Name of the file it was imported from; null for a captured one. */
  source: string | null;
  abstract: string | null;
  /** Asked for, then as heard. */
  language: string | null;
  started_at: string;
  duration: number | null;
  device: string | null;
  audio: { path: string; bytes: number; sha256: string } | null;
  speakers: { label: string; name: string | null; seconds: number }[];
  /** While it awaits speakers: what to ask. */
  suggestions: Suggestion[];
  error: {
    stage: Stage;
    code: string;
    message: string | null;
    retriable: boolean;
    at: string;
  } | null;
  documents: { index: string; transcript: string; summary: string } | null;
  document_hashes: { index: string; transcript: string; summary: string } | null;
  /** Version of the documents; 0: none yet. */
  version: number;
  /** What a reader should know: no language model, parts kept unpunctuated, audio truncated, … */
  notes: Note[];
  /** Samples, gaps, silence and clipping of a captured recording. */
  ledger: unknown;
};

/** The words of one recording. */
export type TranscriptRow = {
  recording_id: string;
  /** What was recognised, while there are no turns or paragraphs made of it. */
  utterances: Utterance[];
  /** With what people corrected; of utterances alone their paragraphs. */
  blocks: Block[];
  /** Corrections of an earlier transcript that found no place in this one. */
  unplaced: Correction[];
  summary: string | null;
  /** The summary line by line; none where it is prose. */
  lines: readonly SummaryLine[];
};

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
let lastPlace: Place = { stream: '', id: undefined, keys: [] };

type Place = { stream: string; id: string | undefined; keys: readonly string[] };
