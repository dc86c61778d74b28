import { accessFacts } from './access.ts';
import { linkFacts } from './links.ts';
import { takenSchema } from './retention.ts';
import { holdFacts } from './holds.ts';
import { orderFacts } from './order.ts';
import * as z from 'zod';
import { assemblyFacts, madeOf } from './assembly.ts';
import { interruptedSchema, ledgerSchema } from './ledger.ts';
import { sentenceSchema } from './sentence.ts';
import { documentFacts } from './documents.ts';
import type { FactOf, FactSchemas } from './envelope.ts';
import { namesFact, runFacts } from './results.ts';
import { sidenoteFacts } from './sidenotes.ts';
import { summaryFacts } from './summary.ts';
import {
  blockSchema,
  correctedSpeakers,
  correctedSpeech,
  summaryLineSchema,
  wordSchema,
} from './transcript.ts';
import { keysOf } from '../../src/shared/keys-of.ts';

/**
 * What a computer does with a recording, one activity each, in the order in which they come. `from`: where a run begins
 * that does it again, by the name that people use; stages side by side begin together. `asks`: the engine that has to
 * answer; `awaits`: what it waits for where others come first. `words` and `share`: as the command line calls it, and which part of the work it usually is.
 */
export const stageTable = {
  capture: { from: null, asks: null, awaits: 'speech-recognition', words: 'recording', share: 0 },
  follow: {
    from: null,
    asks: null,
    awaits: 'speech-recognition',
    words: 'transcribing while recording',
    share: 0,
  },
  assemble: {
    from: null,
    asks: null,
    awaits: 'files',
    words: 'assembling audio',
    share: 0,
  },
  transcribe: {
    from: 'speech-to-text',
    asks: 'speech',
    awaits: 'speech-recognition',
    words: 'transcribing',
    share: 0.8,
  },
  diarize: {
    from: 'diarize',
    asks: null,
    awaits: 'speaker-recognition',
    words: 'separating speakers',
    share: 0.02,
  },
  identify: {
    from: 'diarize',
    asks: null,
    awaits: 'speaker-recognition',
    words: 'recognising voices',
    share: 0.02,
  },
  join: {
    from: 'join',
    asks: null,
    awaits: 'speaker-recognition',
    words: 'matching text to speakers',
    share: 0.01,
  },
  punctuate: {
    from: 'language-model',
    asks: 'model',
    awaits: 'language-model',
    words: 'adding punctuation',
    share: 0.06,
  },
  summarise: {
    from: 'language-model',
    asks: 'model',
    awaits: 'language-model',
    words: 'summarising',
    share: 0.06,
  },
  entitle: {
    from: 'entitle',
    asks: 'model',
    awaits: 'language-model',
    words: 'creating a title',
    share: 0.02,
  },
  write: {
    from: 'write',
    asks: null,
    awaits: 'documents',
    words: 'saving documents',
    share: 0.01,
  },
  continue: {
    from: null,
    asks: null,
    awaits: 'continued-note',
    words: 'adding to the continued note',
    share: 0,
  },
} as const;
export type Stage = keyof typeof stageTable;
export const stages = keysOf(stageTable);

export const kindSchema = z.enum(['solo', 'meeting']);
export type Kind = z.infer<typeof kindSchema>;

/** How many people speak at least and at most, without an exact number. Absent in older logs, and where it was not given. */
const speakerLimits = {
  speakers_min: z.number().int().positive().nullable().optional(),
  speakers_max: z.number().int().positive().nullable().optional(),
};

/** How a recording came to be; the same for a captured and an uploaded one. */
const origin = {
  /** Id of the user whose space it belongs to; handing it over is a separate fact. */
  owner: z.string(),
  kind: kindSchema,
  /** ISO 639-1 code, or null to let the engine find out. */
  language: z.string().nullable(),
  /** How many people speak, if that was given. */
  speakers: z.number().int().positive().nullable(),
  ...speakerLimits,
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

const captured = {
  ledger: ledgerSchema.optional(),
  /** Two channels: the microphone left, what came out of the loudspeakers right. */
  split: z.literal(true).optional(),
};

/** Names of people who may be heard, as given with the recording. */
const people = { people: z.array(z.string()).optional() };

const stageOf = { stage: z.enum(stages) };
const none = z.object({});

/** From which stage on a recording is processed again. */
export type ReprocessedFrom = NonNullable<(typeof stageTable)[Stage]['from']> | 'summary';
export const reprocessedFrom: readonly ReprocessedFrom[] = [
  ...new Set(stages.flatMap((stage) => stageTable[stage].from ?? [])),
  // The summary alone, as a person wants it: what there is counts until it is made.
  'summary',
];
/** The stages that a run begins with, in their order. */
export const beginsWith = (from: ReprocessedFrom): Stage[] =>
  from === 'summary' ? ['summarise'] : stages.filter((stage) => stageTable[stage].from === from);

/** Every fact of a `recording-<ulid>` stream. */
export const recordingFacts = {
  'recording.started': {
    data: z.object({
      ...origin,
      device: z.string().nullable(),
      trigger: z.string(),
      /** Id of the ended recording behind which it is recorded, and into which it goes. */
      continues: z.string().optional(),
    }),
    content: z.object({ title: z.string().optional(), ...people }),
  },
  'recording.paused': { data: none },
  'recording.resumed': { data: none },
  'recording.discarded': { data: none },
  'audio.interrupted': { data: interruptedSchema },
  'audio.captured': { data: z.object({ ...audioFile, ...captured }) },
  'capture.interrupted': { data: z.object({ ...audioFile, ...captured, reason: z.string() }) },
  'audio.imported': {
    data: z.object({ ...origin, ...audioFile, started_at: z.string(), ...madeOf }),
    content: z.object({
      title: z.string().optional(),
      filename: z.string().optional(),
      /** What its documents are called, without their ends, where those of another are no more. */
      base: z.string().optional(),
      ...people,
    }),
  },

  /** A job got its turn at an engine. Carries `run` and `attempt`. */
  'stage.started': { data: z.object({ ...stageOf }) },
  /** The service was asked to stop while the stage ran, or lost its locks or the log and lives: no fault of the recording's. */
  'stage.interrupted': { data: z.object({ ...stageOf }) },
  'stage.failed': {
    data: z.object({ ...stageOf, code: z.string(), retriable: z.boolean() }),
    /** `message`: all of it in English, as releases before `reason` read it. */
    content: z.object({
      message: z.string(),
      reason: sentenceSchema.optional(),
      traceback: z.string().optional(),
    }),
  },
  /** No language model was to be had on a first run. `stage` says for what. */
  'summary.fallback_used': { data: z.object({ ...stageOf, reason: z.string() }) },

  ...runFacts,
  ...documentFacts,
  ...sidenoteFacts,
  ...summaryFacts,
  ...assemblyFacts,
  ...orderFacts,
  ...accessFacts,
  ...linkFacts,
  ...holdFacts,

  /** A person said what the recording is called. */
  'title.changed': {
    data: none,
    content: z.object({ title: z.string(), previous: z.string().nullable() }),
  },
  /** A person said who may be heard: all of them from now on. */
  'people.given': { data: none, content: z.object({ people: z.array(z.string()) }) },
  'kind.changed': { data: z.object({ kind: kindSchema }) },
  /** A person said what was spoken; null: let the engine find out. */
  'language.set': { data: z.object({ language: z.string().nullable() }) },
  /** A person said when it began: on the server's wall clock, RFC 3339 with its offset. */
  'start.changed': { data: z.object({ local_start: z.string() }) },
  /** Names given or corrected afterwards: all names by label, and the voices of those that are new. */
  'speakers.renamed': {
    data: namesFact.data.extend({
      /**
       * A language model's texts mention a name that changed. It was replaced in them where that is certain (`content`
       * has them); `again`: they are made again too. Absent: none does.
       */
      texts: z.enum(['replaced', 'again']).optional(),
    }),
    content: namesFact.content.extend({
      title: z.string().optional(),
      abstract: z.string().optional(),
      summary: z.string().optional(),
      lines: z.array(summaryLineSchema).optional(),
    }),
  },
  /** From now on it belongs to another user, and its documents are in their space. */
  'recording.handed_over': { data: z.object({ owner: z.string() }) },
  /** A person corrected a paragraph or turn: its text, or whose it is. The content is all of it. */
  'turn.edited': {
    data: z.object({
      /** Version of the fact whose blocks the id is one of. */
      basis: z.number().int().positive(),
      block: z.string(),
      speaker: z.string().nullable(),
      ...correctedSpeech,
    }),
    content: z.object({
      text: z.string(),
      words: z.array(wordSchema),
      /** Words that it put in place of others. Absent: none, and in older logs. */
      corrected: z.array(z.object({ heard: z.string(), write: z.string() })).optional(),
      ...correctedSpeakers,
    }),
  },
  /** A person cut a turn in two, or joined two: these blocks are what those say instead. The content is all of it. */
  'turns.recut': {
    data: z.object({
      basis: z.number().int().positive(),
      /** Ids of neighbours. */
      replaced: z.array(z.string()).min(1),
      by: z
        .array(
          z.object({
            id: z.string(),
            speaker: z.string().nullable(),
            start: z.number().nonnegative(),
            end: z.number().nonnegative(),
          }),
        )
        .min(1),
      ...correctedSpeech,
    }),
    content: z.object({
      /** In the order of `by`. */
      turns: z.array(z.object({ text: z.string(), words: z.array(wordSchema) })),
      ...correctedSpeakers,
    }),
  },
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
        /** Absent in older logs: the version of the plan. */
        heardSince: z.number().int().nonnegative().nullable().optional(),
      }),
      speakers: z.array(z.object({ label: z.string(), seconds: z.number() })),
      spoken: correctedSpeech.spoken,
      language: z.string().nullable(),
    }),
    content: z.object({
      blocks: z.array(blockSchema),
      title: z.string(),
      abstract: z.string(),
      summary: z.string(),
      lines: z.array(summaryLineSchema).optional(),
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
  /**
   * What a browser still held of its microphone came after the recording had ended: the kept audio is another
   * file from now on, the same with this at its end, and all of it is recognised again.
   */
  'audio.extended': {
    data: z.object({
      ...audioFile,
      ...captured,
      /** Seconds there were before. */
      before: z.number().nonnegative(),
      replaces: z.string(),
    }),
  },
  /** There are documents, and the audio was not to be kept: the file goes after this fact. */
  'audio.removed': {
    /** `retention`: a period took it. */
    data: z.object({ path: z.string(), retention: takenSchema.optional() }),
  },

  'processing.cancelled': { data: none },
  'error.cleared': { data: none },
  'retry.requested': { data: none },
  'reprocessing.requested': {
    data: z.object({
      from: z.enum(reprocessedFrom),
      language: z.string().nullable().optional(),
      speakers: z.number().int().positive().nullable().optional(),
      ...speakerLimits,
      /** Speech model of this run alone; without it, that of the settings. */
      model: z.string().optional(),
      /** Of the summary alone, whose language `language` is then. */
      length: z.enum(['shorter', 'longer']).optional(),
      /** Template of the summary, in this run and later ones; null: that of the folder, or of the kind, again. */
      template: z.string().nullable().optional(),
    }),
  },
  /** Documents, audio and words are gone for good; only this skeleton stays. */
  'recording.erased': { data: z.object({ retention: takenSchema.optional() }) },
} satisfies FactSchemas;

export type RecordingFact = FactOf<typeof recordingFacts>;
export type RecordingFactType = RecordingFact['type'];
/** All types of a recording's facts. */
export const recordingFactTypes: ReadonlySet<RecordingFactType> = new Set(keysOf(recordingFacts));
export type RecordingFactOf<T extends RecordingFactType> = Extract<RecordingFact, { type: T }>;

/** The stream of one recording. */
export const recordingStream = (recordingId: string): RecordingStream => `recording-${recordingId}`;
export type RecordingStream = `recording-${string}`;
/** The recording a stream belongs to; undefined for other streams. */
export const recordingOf = (stream: string): string | undefined =>
  stream.startsWith('recording-') ? stream.slice('recording-'.length) : undefined;
