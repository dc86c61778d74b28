import * as z from 'zod';

/** Times are seconds from the recording's first sample. */
const span = { start: z.number().nonnegative(), end: z.number().nonnegative() };

export const wordSchema = z.object({ text: z.string(), ...span });
export type Word = z.infer<typeof wordSchema>;

/** Why a passage may be wrong: `repetition`, `known-phrase`, `low-confidence`, `no-speech`, `other-speaker`, `prompt`, … */
const reasonSchema = z.string();

/** A passage that may be wrong, or said by someone else. */
export const doubtSchema = z.object({ ...span, reason: reasonSchema });
export type Doubt = z.infer<typeof doubtSchema>;

/** A term that a user or the house wants written so, in place of what was heard; the times are those of its words. */
const replacedSchema = z.object({ ...span, write: z.string(), heard: z.string() });
export type Replaced = z.infer<typeof replacedSchema>;

/** A piece of recognised speech as the engine cut it. Without word times `words` is empty. */
export const segmentSchema = z.object({
  ...span,
  text: z.string(),
  words: z.array(wordSchema),
  /**
   * Who said it, where the engine tells speakers apart. The same text is the same person, within a
   * recording; different ones of different requests may be one person too. Absent when it did not say.
   */
  speaker: z.string().optional(),
  /** Why it may be wrong; absent when nothing is suspected. */
  doubt: reasonSchema.optional(),
  /** In the order of the text; absent where nothing was replaced. */
  replaced: z.array(replacedSchema).optional(),
});
export type Segment = z.infer<typeof segmentSchema>;

/** A paragraph (solo) or a turn (meeting) of the transcript; `id` is its Markdown block id (`t-0001`). */
export const blockSchema = z.object({
  id: z.string(),
  /** Speaker label such as `SPEAKER_00` (`SPEAKER_1` in older logs); null in a solo recording. */
  speaker: z.string().nullable(),
  ...span,
  text: z.string(),
  words: z.array(wordSchema),
  /** What of it may be wrong; absent when nothing is suspected. */
  doubts: z.array(doubtSchema).optional(),
  /** What was replaced when it was recognised: also what a person wrote otherwise since (`replacedIn`). */
  replaced: z.array(replacedSchema).optional(),
  /** In older logs: why all of it may be wrong. */
  doubt: reasonSchema.optional(),
});
export type Block = z.infer<typeof blockSchema>;

/** Something a person corrected in a transcript: words, or whose they are. */
export const correctionSchema = z.object({
  ...span,
  /** What was there, and what the person put in its place; either may be empty. */
  before: z.string(),
  after: z.string(),
  /** Name or label of the speaker it was given to, if that was the correction. */
  speaker: z.string().optional(),
  /** It was cut out of a longer turn, so that no more than it goes to the speaker. */
  part: z.literal(true).optional(),
});
export type Correction = z.infer<typeof correctionSchema>;

/** Words that a person put in place of what was heard; `block`: in this one. */
export const correctedSchema = z.object({
  heard: z.string(),
  write: z.string(),
  block: z.string().optional(),
});
export type Corrected = z.infer<typeof correctedSchema>;

/** What a model's line can be; people also write text, which stands without a heading. */
export const modelLineKinds = ['decision', 'task', 'open', 'point'] as const;
export const lineKinds = ['text', ...modelLineKinds] as const;

/** A line of a summary: what was decided, what a person is to do, a question that stays open, what else matters, or text. */
export const summaryLineSchema = z.object({
  kind: z.enum(lineKinds),
  text: z.string(),
  /** Label of the speaker who decided it, is to do it, or said it; null for all others. */
  speaker: z.string().nullable(),
  /** The same of a person who is no speaker: their name. */
  person: z.string().nullable(),
  /** Until when, in the words of the talk. */
  due: z.string().nullable(),
  /** Id of the block that it rests on. */
  block: z.string().nullable(),
  /** A decision or task that was not found in what that person said. */
  unfounded: z.literal(true).optional(),
  /** Absent where a model wrote it: it is then the version of its fact, a dash, and its place from 1. */
  id: z.string().optional(),
  /** User id of who edited it last; absent: nobody did. */
  by: z.string().optional(),
  /** A task that is done. */
  done: z.literal(true).optional(),
  /** Middle of its block in seconds, by which it is found among other blocks. */
  at: z.number().nonnegative().optional(),
  /** Number of the side note that it rests on. */
  note: z.number().int().positive().optional(),
  /** Heading of a template that it is below; absent: it is below that of its kind. */
  section: z.string().optional(),
});
export type SummaryLine = z.infer<typeof summaryLineSchema>;
export type LineKind = SummaryLine['kind'];

/** [start, end] in seconds of a stretch of audio that holds speech. */
export const stretchSchema = z.tuple([z.number().nonnegative(), z.number().nonnegative()]);
export type Stretch = z.infer<typeof stretchSchema>;

/** Labels that lost or gained speech when a person gave it to another speaker. */
const movedSchema = z.object({ from: z.array(z.string()), to: z.array(z.string()) });
export type Moved = z.infer<typeof movedSchema>;

/** Who speaks how much after a correction. */
export const correctedSpeech = {
  /** Seconds of speech by label. Absent in older logs, and where there are no speakers. */
  spoken: z.record(z.string(), z.number()).optional(),
  /** Absent: no speech was given to another speaker; in older logs it may have been. */
  moved: movedSchema.optional(),
};

/** Something a speaker said, by which people tell who it is. */
export const sampleSchema = z.object({ start: z.number(), end: z.number(), text: z.string() });

/** Who the speakers of turns are after a person changed these. */
export const correctedSpeakers = {
  /** Name of the last turn's speaker, if the label is a new one. */
  name: z.string().optional(),
  /** What tells who each label is, the best first; only while the meeting waits for its speakers. */
  samples: z.record(z.string(), z.array(sampleSchema)).optional(),
};

/** How a speaker sounds, under the name a person gave: kept in the fact of the name, for later meetings of theirs. */
export const namedVoiceSchema = z.object({
  label: z.string(),
  /** Model that made the embedding; its length is the dimension. */
  embedding_model: z.string(),
  embedding: z.array(z.number()),
  /** Of speech it was made of. */
  seconds: z.number().nonnegative(),
  /** A sentence of it, in seconds of the recording. Absent in older logs, and where there is none. */
  sample: stretchSchema.optional(),
});
export type NamedVoice = z.infer<typeof namedVoiceSchema>;
