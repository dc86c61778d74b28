import { z } from 'zod';

/** Times are seconds from the recording's first sample. */
const span = { start: z.number().nonnegative(), end: z.number().nonnegative() };

export const wordSchema = z.object({ text: z.string(), ...span });
export type Word = z.infer<typeof wordSchema>;

/** A piece of recognised speech as the engine cut it. Without word times `words` is empty. */
export const segmentSchema = z.object({ ...span, text: z.string(), words: z.array(wordSchema) });
export type Segment = z.infer<typeof segmentSchema>;

/** A paragraph (solo) or a turn (meeting) of the transcript; `id` is its Markdown block id (`t-0001`). */
export const blockSchema = z.object({
  id: z.string(),
  /** Speaker label such as `SPEAKER_1`; null in a solo recording. */
  speaker: z.string().nullable(),
  ...span,
  text: z.string(),
  words: z.array(wordSchema),
  /** Why this stretch may be wrong (`repetition`, `known-phrase`, …); absent when nothing is suspected. */
  doubt: z.string().optional(),
});
export type Block = z.infer<typeof blockSchema>;

/** [start, end] in seconds of a stretch of audio that holds speech. */
export const stretchSchema = z.tuple([z.number().nonnegative(), z.number().nonnegative()]);
export type Stretch = z.infer<typeof stretchSchema>;
