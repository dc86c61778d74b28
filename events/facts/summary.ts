import * as z from 'zod';
import type { FactSchemas } from './envelope.ts';
import { summaryLineSchema } from './transcript.ts';

const made = {
  /** Version of the model's summary that the lines were made of, or that a person decided about last. */
  basis: z.number().int().positive(),
  /** Version of the turns whose labels the lines have; null: none. Of other turns the labels are other people's. */
  turns: z.number().int().positive().nullable(),
};

/** All of the summary as it is then: a later one by a model never takes its place by itself. */
const whole = z.object({
  lines: z.array(summaryLineSchema),
  /** The abstract in a person's words; absent: they left it as it was. */
  abstract: z.string().optional(),
});

/** What people changed of a summary. */
export const summaryFacts = {
  'summary.edited': {
    data: z.object({
      ...made,
      /** What was done to which lines; the abstract is `short`. */
      edits: z.array(
        z.object({
          line: z.string(),
          did: z.enum(['added', 'changed', 'moved', 'removed', 'returned']),
        }),
      ),
      /** What a person said of the summary that a model made since: it is the one from now on, or it is not. */
      offered: z.enum(['used', 'declined']).optional(),
    }),
    content: whole,
  },
  /** A task is done, or is not after all. */
  'task.checked': {
    data: z.object({ ...made, line: z.string(), done: z.boolean() }),
    content: whole,
  },
} satisfies FactSchemas;
