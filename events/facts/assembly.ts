import * as z from 'zod';
import type { FactSchemas } from './envelope.ts';
import { ledgerSchema } from './ledger.ts';

const second = z.number().nonnegative();

/** What of a recording, from a second of it to another, is in one that was made of parts of others. */
const partSchema = z.object({ recording: z.string(), from: second, to: second });
export type Part = z.infer<typeof partSchema>;

/** Of a recording that was made of parts of others, in their order; absent of all others. */
export const madeOf = {
  parts: z.array(partSchema).optional(),
  /** Recordings that are in it whole, and are erased before its documents are written. */
  absorbs: z.array(z.string()).optional(),
  /** Version up to which these were read then: what is said of them later is carried over before they are erased. */
  absorbed_version: z.int().positive().optional(),
  /** What was missing from those that were captured. */
  ledger: ledgerSchema.optional(),
  /** Two channels: the microphone left, what came out of the loudspeakers right. */
  split: z.literal(true).optional(),
};

/** Why what was recorded stays a recording of its own: what it continues is gone, has no audio, or was not made of both. */
export const apartReasons = ['gone', 'no-audio', 'given-up', 'late-audio'] as const;

/**
 * A person wants a recording made of parts of others. Each of these facts has the stage `assemble` do it, from what the log
 * says up to it; what it makes are facts as any other run has them, in this recording (behind `audio.assembled`) or in
 * another (behind `audio.imported`).
 */
export const assemblyFacts = {
  /** Another recording comes behind this one; or before it, when it began before. That one stays, or is taken up. */
  'recording.joined': { data: z.object({ with: z.string(), absorbs: z.literal(true).optional() }) },
  /** What comes after a second is a recording of its own from now on, of this id. */
  'recording.cut': { data: z.object({ at: second, into: z.string() }) },
  /** What was said from one second to another is gone. `into`: for good, and the rest is a recording of this id. */
  'passage.removed': { data: z.object({ from: second, to: second, into: z.string().optional() }) },
  /** What was recorded behind an ended recording goes into that one, which takes it up whole. */
  'recording.continued': { data: z.object({ into: z.string() }) },
  /** … which does not take it: it stays a recording of its own. */
  'recording.kept_apart': { data: z.object({ reason: z.enum(apartReasons) }) },
  /** Its audio is another from now on, and so is all that it says: the facts of a run follow at once. */
  'audio.assembled': {
    data: z.object({
      path: z.string(),
      bytes: z.number().int().nonnegative(),
      sha256: z.string(),
      duration: second.nullable(),
      replaces: z.string(),
      ...madeOf,
    }),
  },
} satisfies FactSchemas;
