import * as z from 'zod';
import type { FactOf, FactSchemas } from './envelope.ts';
import {
  blockSchema,
  correctionSchema,
  segmentSchema,
  stretchSchema,
  wordSchema,
} from './transcript.ts';

/** What a computer does with a recording, one activity each. */
export const stages = [
  'capture',
  'transcribe',
  'diarize',
  'identify',
  'join',
  'punctuate',
  'summarise',
  'entitle',
  'write',
] as const;
export type Stage = (typeof stages)[number];

export const kindSchema = z.enum(['solo', 'meeting']);
export type Kind = z.infer<typeof kindSchema>;

/** How a recording came to be; the same for a captured and an uploaded one. */
const origin = {
  /** User id of whose space it belongs to; handing it over is a fact of its own. */
  owner: z.string(),
  kind: kindSchema,
  /** ISO 639-1 code, or null to let the engine find out. */
  language: z.string().nullable(),
  /** How many people speak, if somebody said so. */
  speakers: z.number().int().positive().nullable(),
};

/** The kept audio: a file below the recording's folder, and what it must hash to. */
const keptFile = {
  /** Path relative to the recording's folder. */
  path: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string(),
};
const audioFile = {
  ...keptFile,
  /** Seconds; null until the audio has been decoded. */
  duration: z.number().nonnegative().nullable(),
};

/** How much was captured and what is missing from it. Samples at 16 kHz. */
const ledger = z.object({
  samples: z.number().int().nonnegative(),
  /** [first missing second, seconds missing] */
  gaps: z.array(z.tuple([z.number(), z.number()])),
  silent_seconds: z.number(),
  clipped_samples: z.number().int(),
});

/** Which engine did the work, for the record and the reader. */
const worker = z.object({
  /** `compat`, `native`, `local`, `language-model`, `built-in`, … */
  engine: z.string(),
  model: z.string().nullable(),
});

const stageOf = { stage: z.enum(stages) };
const none = z.object({});

/** The three documents of a recording. */
const documentSchema = z.enum(['index', 'transcript', 'summary']);
const hashes = z.object({ index: z.string(), transcript: z.string(), summary: z.string() });

/** From which stage on a recording is processed again; the first two are what people call it. */
export const reprocessedFrom = [
  'language-model',
  'speech-to-text',
  'diarize',
  'join',
  'entitle',
  'write',
] as const;
export type ReprocessedFrom = (typeof reprocessedFrom)[number];

/** Every fact of a `recording-<ulid>` stream. */
export const recordingFacts = {
  'recording.started': {
    data: z.object({ ...origin, device: z.string().nullable(), trigger: z.string() }),
    content: z.object({ title: z.string().optional() }),
  },
  'recording.paused': { data: none },
  'recording.resumed': { data: none },
  'recording.discarded': { data: none },
  'audio.captured': { data: z.object({ ...audioFile, ledger: ledger.optional() }) },
  'capture.interrupted': {
    data: z.object({ ...audioFile, ledger: ledger.optional(), reason: z.string() }),
  },
  'audio.imported': {
    data: z.object({ ...origin, ...audioFile, started_at: z.string() }),
    content: z.object({ title: z.string().optional(), filename: z.string().optional() }),
  },

  /** A job got its turn at an engine. Carries `run` and `attempt`. */
  'stage.started': { data: z.object({ ...stageOf }) },
  /** The service was asked to stop while the stage ran: no fault of the recording's. */
  'stage.interrupted': { data: z.object({ ...stageOf }) },
  'stage.failed': {
    data: z.object({ ...stageOf, code: z.string(), retriable: z.boolean() }),
    content: z.object({ message: z.string(), traceback: z.string().optional() }),
  },

  /** The plan: which stretches will be asked of the engine, in order. */
  'speech.detected': {
    data: z.object({
      detector: z.string(),
      duration: z.number().nonnegative(),
      stretches: z.array(stretchSchema),
      /** What a reader should know of the audio (`truncated`, …). */
      warnings: z.array(z.string()),
    }),
  },
  /** One stretch of the plan, recognised. */
  'utterance.recognised': {
    data: z.object({
      /** Index into the plan's stretches. */
      index: z.number().int().nonnegative(),
      start: z.number(),
      end: z.number(),
      words: z.number().int(),
      language: z.string().nullable(),
      doubt: z.string().optional(),
    }),
    content: z.object({ segments: z.array(segmentSchema) }),
  },
  'transcription.completed': {
    data: z.object({
      ...worker.shape,
      language: z.string().nullable(),
      utterances: z.number().int(),
      words: z.number().int(),
    }),
  },

  'diarization.completed': {
    data: z.object({
      ...worker.shape,
      turns: z.array(z.tuple([z.number(), z.number(), z.string()])),
    }),
  },
  'diarization.skipped': { data: z.object({ reason: z.string() }) },
  'identification.completed': {
    data: worker,
    content: z.object({
      names: z.array(z.object({ name: z.string(), confidence: z.number(), reason: z.string() })),
    }),
  },
  'identification.skipped': { data: z.object({ reason: z.string() }) },
  /** Diarization and identification joined: who spoke when, and who they may be. */
  'turns.joined': {
    data: z.object({
      speakers: z.array(z.object({ label: z.string(), seconds: z.number() })),
    }),
    content: z.object({
      turns: z.array(blockSchema),
      suggestions: z.array(
        z.object({
          label: z.string(),
          name: z.string().nullable(),
          confidence: z.number().nullable(),
          reason: z.string().nullable(),
          sample: z.object({ start: z.number(), end: z.number(), text: z.string() }).nullable(),
        }),
      ),
    }),
  },
  'speakers.named': {
    data: z.object({ labels: z.array(z.string()) }),
    content: z.object({ names: z.record(z.string(), z.string()) }),
  },
  'speakers.skipped': { data: none },

  'transcript.punctuated': {
    data: z.object({
      ...worker.shape,
      parts: z.number().int(),
      /** Block ids whose words an answer would have changed: kept as they were. */
      kept: z.array(z.string()),
    }),
    content: z.object({ blocks: z.array(blockSchema) }),
  },
  /** No language model was to be had on a first run. `stage` says for what. */
  'summary.fallback_used': { data: z.object({ ...stageOf, reason: z.string() }) },
  'summary.completed': {
    data: z.object({ ...worker.shape, parts: z.number().int(), language: z.string().nullable() }),
    content: z.object({ text: z.string() }),
  },
  'title.chosen': {
    data: worker,
    content: z.object({ title: z.string(), abstract: z.string() }),
  },

  /** Decided once, before the first file is written, and never again. */
  'documents.named': {
    data: z.object({
      /** Start of the recording in the server's time zone, RFC 3339 with offset. */
      local_start: z.string(),
      ui_language: z.enum(['de', 'en']),
      renderer: z.number().int(),
    }),
    content: z.object({ base: z.string(), title: z.string() }),
  },
  /**
   * What is about to be written: whatever becomes of the process, a file with one of these hashes is
   * ours and may be replaced.
   */
  'documents.rendered': {
    data: z.object({ version: z.number().int().positive(), sha256: hashes }),
  },
  'documents.saved': {
    data: z.object({
      /** Which version of the documents this is, from 1. */
      version: z.number().int().positive(),
      renderer: z.number().int(),
      sha256: hashes,
      /** Documents a person had changed: ours was not written over them. */
      kept: z.array(documentSchema),
    }),
    content: z.object({
      paths: z.object({ index: z.string(), transcript: z.string(), summary: z.string() }),
    }),
  },

  /** A person said what the recording is called. */
  'title.changed': {
    data: none,
    content: z.object({ title: z.string(), previous: z.string().nullable() }),
  },
  'kind.changed': { data: z.object({ kind: kindSchema }) },
  /** A person said what was spoken; null: let the engine find out. */
  'language.set': { data: z.object({ language: z.string().nullable() }) },
  /** Names given or corrected afterwards: all names by label. */
  'speakers.renamed': {
    data: z.object({ labels: z.array(z.string()) }),
    content: z.object({ names: z.record(z.string(), z.string()) }),
  },
  /** From now on it belongs to another user, and its documents are in their space. */
  'recording.handed_over': { data: z.object({ owner: z.string() }) },
  /** A person corrected a paragraph or turn: its text, or whose it is. The content is all of it anew. */
  'turn.edited': {
    data: z.object({
      /** Version of the fact whose blocks the id is one of. */
      basis: z.number().int().positive(),
      block: z.string(),
      speaker: z.string().nullable(),
    }),
    content: z.object({
      text: z.string(),
      words: z.array(wordSchema),
      /** Name of the speaker, if the label is a new one. */
      name: z.string().optional(),
    }),
  },
  /** A person sent a whole document. What of it is no correction of ours is kept as their own version. */
  'document.edited': {
    data: z.object({
      document: documentSchema,
      /** Whether the content is their own version; without one, ours is written again. */
      own: z.boolean(),
      /** SHA-256 of the file they had seen, which is what may be replaced. */
      replaces: z.string(),
    }),
    content: z.object({ markdown: z.string().optional() }),
  },
  /** Corrections of an earlier transcript, placed in the present one by when they were said. */
  'corrections.carried_over': {
    data: z.object({
      placed: z.number().int(),
      unplaced: z.number().int(),
      /** Labels that only corrections gave. */
      labels: z.array(z.string()),
    }),
    content: z.object({
      blocks: z.array(blockSchema),
      /** What found no place: nothing a person wrote is dropped silently. */
      unplaced: z.array(correctionSchema),
      names: z.record(z.string(), z.string()),
    }),
  },
  /** A person deleted documents; the recording stays. */
  'documents.deleted': { data: z.object({ documents: z.array(documentSchema).min(1) }) },
  /** A person switched back to an earlier version of the documents. */
  'version.restored': {
    data: z.object({
      version: z.number().int().positive(),
      /** What that version was made of: versions of facts in this stream. */
      material: z.object({
        kind: kindSchema.nullable(),
        results: z.record(z.string(), z.number().int().positive().nullable()),
        labels: z.array(z.string()),
        stretches: z.number().int().nullable(),
        utterances: z.number().int(),
      }),
      speakers: z.array(z.object({ label: z.string(), seconds: z.number() })),
      language: z.string().nullable(),
    }),
    content: z.object({
      blocks: z.array(blockSchema),
      title: z.string(),
      abstract: z.string(),
      summary: z.string(),
      names: z.record(z.string(), z.string()),
    }),
  },

  /**
   * The same samples in a smaller file, which is the kept audio from now on. What it replaces is removed
   * only after this fact.
   */
  'audio.compressed': {
    data: z.object({ ...keptFile, replaces: z.string() }),
  },
  /** There are documents, and the audio was not to be kept: the file goes after this fact. */
  'audio.removed': { data: z.object({ path: z.string() }) },

  'processing.cancelled': { data: none },
  'error.cleared': { data: none },
  'retry.requested': { data: none },
  'reprocessing.requested': {
    data: z.object({
      from: z.enum(reprocessedFrom),
      language: z.string().nullable().optional(),
      speakers: z.number().int().positive().nullable().optional(),
    }),
  },
  /** Documents, audio and words are gone for good; only this skeleton stays. */
  'recording.erased': { data: none },
} satisfies FactSchemas;

export type RecordingFact = FactOf<typeof recordingFacts>;
export type RecordingFactType = RecordingFact['type'];
export type RecordingFactOf<T extends RecordingFactType> = Extract<RecordingFact, { type: T }>;

/** The stream of one recording. */
export const recordingStream = (recordingId: string): string => `recording-${recordingId}`;
/** The recording a stream belongs to; undefined for other streams. */
export const recordingOf = (stream: string): string | undefined =>
  stream.startsWith('recording-') ? stream.slice('recording-'.length) : undefined;
