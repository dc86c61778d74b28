import type { Kind, Stage } from '../events/facts/recording.ts';
import type { Note } from './recording/notes.ts';
import type { Suggestion, Utterance } from './recording/reading.ts';
import type { Block, Correction } from '../events/facts/transcript.ts';

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
};
