import * as z from 'zod';
import type { FactSchemas } from './envelope.ts';

/** Days that a period may have. */
export const retentionDaysMax = 36_500;
const days = z.int().min(1).max(retentionDaysMax).nullable();

/** How long audio and notes are kept: days, or null for ever. What is left out is as the next one has it: user, server. */
export const retentionTerms = z.strictObject({
  audio_days: days.optional(),
  notes_days: days.optional(),
});
export type RetentionTerms = z.infer<typeof retentionTerms>;

/** Whether both say the same. */
export const isSameTerms = (a: RetentionTerms | null, b: RetentionTerms | null): boolean =>
  a?.audio_days === b?.audio_days &&
  a?.notes_days === b?.notes_days &&
  (a === null) === (b === null);

/** What a user says of retention, in the stream of their order. */
export const retentionFacts = {
  'retention.set': { data: retentionTerms },
  /** All that is due before that moment may go. */
  'retention.confirmed': { data: z.object({ before: z.string() }) },
} satisfies FactSchemas;

/** Whose period took something; what it was, when nothing else is left of it. */
export const takenSchema = z.object({
  owner: z.string(),
  rule: z.enum(['folder', 'user', 'server']),
  days: z.int(),
  folder: z.string().nullable(),
  started_at: z.string(),
  kind: z.enum(['solo', 'meeting']),
  seconds: z.number().nullable(),
});
export type Taken = z.infer<typeof takenSchema>;
