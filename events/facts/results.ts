import * as z from 'zod';
import { sentenceSchema } from './sentence.ts';
import { templateUsed } from './templates.ts';
import type { FactSchemas } from './envelope.ts';
import {
  blockSchema,
  correctedSchema,
  correctionSchema,
  correctedSpeech,
  namedVoiceSchema,
  sampleSchema,
  segmentSchema,
  stretchSchema,
  summaryLineSchema,
} from './transcript.ts';

/** Which engine did the work, for the record and the reader. */
const worker = z.object({
  /** `compat`, `native`, `local`, `language-model`, `built-in`, … */
  engine: z.string(),
  model: z.string().nullable(),
});

const channelSchema = z.union([z.literal(0), z.literal(1)]);

/**
 * Why a language model did not do it, and why a model of this machine could not instead; absent when it did. `reason`: both
 * in English, as releases before `cause` read it.
 */
const withoutModel = {
  reason: z.string().optional(),
  cause: sentenceSchema.optional(),
  problem: sentenceSchema.optional(),
};

/** Someone says their own name, or somebody else calls them by it. */
const nameQuoteSchema = z.object({
  text: z.string(),
  start: z.number().nonnegative(),
  end: z.number().nonnegative(),
  how: z.enum(['said_by_self', 'addressed']),
});
export type NameQuote = z.infer<typeof nameQuoteSchema>;

/** The talk is too short for an extract that is not the talk again: it was left out. */
const leftOut = { too_short: z.literal(true).optional() };

/** Who is who: names by label, and the voices that may be known by them from now on. */
export const namesFact = {
  data: z.object({
    labels: z.array(z.string()),
    /** Labels to or from which people moved speech: their voices are measured again. Absent: none. */
    moved: z.array(z.string()).optional(),
  }),
  content: z.object({
    names: z.record(z.string(), z.string()),
    /** Absent: voices are not remembered; in older logs also where none could be. */
    voices: z.array(namedVoiceSchema).optional(),
  }),
};

/** What a run through the pipeline leads to, in the order of its stages. */
export const runFacts = {
  /**
   * The plan grew while the recording ran: these stretches are asked of the engine next. The last one ends where
   * a pause was; or, with `cut`, in the middle of speech, and the next begins there.
   */
  'speech.followed': {
    data: z.object({
      detector: z.string(),
      stretches: z.array(stretchSchema).min(1),
      cut: z.literal(true).optional(),
    }),
  },
  /** The plan: which stretches will be asked of the engine, in order. */
  'speech.detected': {
    data: z.object({
      detector: z.string(),
      duration: z.number().nonnegative(),
      stretches: z.array(stretchSchema),
      /** The channel of each, where two channels carry different speech. Absent: what is asked of is the mix. */
      channels: z.array(channelSchema).optional(),
      /** What a reader should know of the audio (`truncated`, …). */
      warnings: z.array(z.string()),
      /** The sound track it is about, from 1, of a file that has several. */
      tracks: z.object({ used: z.number().int(), of: z.number().int() }).optional(),
      /** The plan begins with what was followed while it was recorded; so many utterances of that stand. */
      live: z.object({ utterances: z.number().int().nonnegative() }).optional(),
    }),
  },
  /** One stretch of the plan, recognised; also once more, in the language decided on. */
  'utterance.recognised': {
    data: z.object({
      /** Index into the plan's stretches. */
      index: z.number().int().nonnegative(),
      start: z.number(),
      end: z.number(),
      words: z.number().int(),
      language: z.string().nullable(),
      /** What it sounded like when the engine was left to find out, where it was recognised again in another language. */
      heard: z.string().optional(),
      /** How sure the engine was of the language it heard, 0 to 1. */
      probability: z.number().optional(),
      /** In older logs: why all of it may be wrong. It stands beside each segment since. */
      doubt: z.string().optional(),
      /** Of a meeting that is followed: whose voice it may be, until speakers are told apart at the end. */
      voice: z.string().optional(),
    }),
    content: z.object({ segments: z.array(segmentSchema) }),
  },
  'transcription.completed': {
    data: z.object({
      ...worker.shape,
      language: z.string().nullable(),
      utterances: z.number().int(),
      words: z.number().int(),
      /** Passages that sounded like another language than the one they were recognised in, most of them alike. */
      otherwise: z
        .object({ heard: z.string(), count: z.number().int(), of: z.number().int() })
        .optional(),
      /** The model that recognises it once more when there are documents (`stt.second_pass`). */
      second_pass: z.string().optional(),
      /** Terms that were put in place of what was heard. Absent: none. */
      replaced: z.number().int().positive().optional(),
    }),
  },

  'diarization.completed': {
    data: z.object({
      ...worker.shape,
      turns: z.array(z.tuple([z.number(), z.number(), z.string()])),
      /**
       * The labels of the speakers that the recogniser itself told apart (`speaker` of segments), in the
       * order in which they first occur in what it recognised. Absent where its speakers do not count.
       */
      labels: z.array(z.string()).optional(),
      /** The channel that each label speaks in, where channels were recognised apart. */
      channels: z.record(z.string(), channelSchema).optional(),
      /** Requests whose speakers could not be compared: each has labels of its own. Absent: all could. */
      apart: z.number().int().optional(),
    }),
    /** How each speaker sounds: the mean embedding of so many seconds of speech. Absent in older logs. */
    content: z.object({
      embedding_model: z.string(),
      voices: z.array(
        z.object({ label: z.string(), seconds: z.number(), embedding: z.array(z.number()) }),
      ),
    }),
  },
  /** `reason` in English; older logs have no content. */
  'diarization.skipped': {
    data: z.object({ reason: z.string() }),
    content: z.object({ cause: sentenceSchema }),
  },
  'identification.completed': {
    data: worker,
    content: z.object({
      names: z.array(
        z.object({
          name: z.string(),
          confidence: z.number(),
          reason: z.string(),
          /** What was said that the name rests on, as it was heard. Absent in older logs. */
          quotes: z.array(nameQuoteSchema).optional(),
        }),
      ),
    }),
  },
  /** `data` has a code; the content a sentence, which may quote a server. Older logs have no content. */
  'identification.skipped': {
    data: z.object({ reason: z.string() }),
    content: z.object({ reason: z.string(), cause: sentenceSchema.optional() }),
  },
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
          sample: sampleSchema.nullable(),
          /** More to choose from. Absent in older logs. */
          samples: z.array(sampleSchema).optional(),
        }),
      ),
    }),
  },
  /** While a meeting is recorded: who the live voices are, all names by label. A suggestion when it waits for names. */
  'voices.named': {
    data: z.object({ labels: z.array(z.string()) }),
    content: z.object({ names: z.record(z.string(), z.string()) }),
  },
  'speakers.named': namesFact,
  'speakers.skipped': { data: z.object({}) },
  /** A person names them later: the meeting stays waiting, and asks no more. */
  'speakers.postponed': { data: z.object({}) },
  /** The voices of these labels belong to a person of another name; the recording's names stay. */
  'voice.renamed': {
    data: z.object({ labels: z.array(z.string()) }),
    content: z.object({ name: z.string() }),
  },
  /** What was said of the voices of these labels is taken back, for good. */
  'voice.revoked': { data: z.object({ labels: z.array(z.string()) }) },
  /**
   * The voices of these labels, measured again from the kept audio by another embedding model, or after people moved
   * speech to or from them. Of a label without one there was too little speech, or it was mixed.
   */
  'voice.measured': {
    data: z.object({ embedding_model: z.string(), labels: z.array(z.string()) }),
    content: z.object({ voices: z.array(namedVoiceSchema) }),
  },

  'transcript.punctuated': {
    data: z.object({
      ...worker.shape,
      parts: z.number().int(),
      /** Block ids whose words an answer would have changed: kept as they were, at least in part. */
      kept: z.array(z.string()),
      /** For none of them was there an answer that could be read. Absent in older logs, and where there was one. */
      unanswered: z.literal(true).optional(),
      /** The text has no mark at all. Absent: there are marks, or no words; older logs do not say. */
      unmarked: z.literal(true).optional(),
    }),
    content: z.object({ blocks: z.array(blockSchema), ...withoutModel }),
  },
  /** Corrections of an earlier transcript, placed in the present one by when they were said. */
  'corrections.carried_over': {
    data: z.object({
      placed: z.number().int(),
      unplaced: z.number().int(),
      /** Labels that only corrections gave. */
      labels: z.array(z.string()),
      ...correctedSpeech,
    }),
    content: z.object({
      blocks: z.array(blockSchema),
      /** What found no place: nothing a person wrote is dropped silently. */
      unplaced: z.array(correctionSchema),
      names: z.record(z.string(), z.string()),
      /** Words that people put in place of others while the summary was written; of the same turns with their block. */
      corrected: z.array(correctedSchema).optional(),
    }),
  },
  'summary.completed': {
    data: z.object({
      ...worker.shape,
      parts: z.number().int(),
      language: z.string().nullable(),
      /** As a person wanted it. Absent: as its template has it, and in older logs. */
      length: z.enum(['shorter', 'longer']).optional(),
      /** Which template it was made by; without a model: which one could not be. Absent in older logs. */
      template: templateUsed.optional(),
      /** Parts of the talk of which the model noted nothing. Absent: none; in older logs there may have been some. */
      unnoted: z.array(stretchSchema).optional(),
      ...leftOut,
    }),
    content: z.object({
      text: z.string(),
      /** What the text says, line by line; absent where it is prose, as in older logs. */
      lines: z.array(summaryLineSchema).optional(),
      ...withoutModel,
    }),
  },
  'title.chosen': {
    data: z.object({
      ...worker.shape,
      /** The title is the one of the documents before; without a model only the abstract is new. */
      kept: z.literal(true).optional(),
      /** It comes of the recordings that this one was made of; a language model makes another. */
      carried: z.literal(true).optional(),
      /** Without a model: what the title was made of, when it is not an extract. */
      of: z.literal('filename').optional(),
      ...leftOut,
    }),
    content: z.object({ title: z.string(), abstract: z.string(), ...withoutModel }),
  },
} satisfies FactSchemas;
