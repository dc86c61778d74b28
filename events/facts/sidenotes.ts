import * as z from 'zod';
import type { FactSchemas } from './envelope.ts';

const which = {
  /** Its number in this recording, from 1; none is given twice. */
  note: z.number().int().positive(),
};

const written = {
  ...which,
  /** Seconds of the recording when it was begun. */
  at: z.number().nonnegative(),
  /** Id of the block that it is about. */
  block: z.string().optional(),
  /** It marks the moment; it may be without words. */
  mark: z.literal(true).optional(),
};

/** A person's own notes on what is said. Their words are the person's: no model changes them. */
export const sidenoteFacts = {
  'sidenote.written': {
    data: z.object(written),
    content: z.object({ text: z.string() }),
  },
  'sidenote.edited': { data: z.object(which), content: z.object({ text: z.string() }) },
  'sidenote.removed': { data: z.object(which) },
  /** These are all of them from now on: it was made of parts of others, and has theirs. */
  'sidenotes.carried': {
    data: z.object({
      notes: z.array(
        z.object({
          ...written,
          by: z.string(),
          written_at: z.string(),
          edited_at: z.string().optional(),
        }),
      ),
    }),
    /** In the order of `notes`. */
    content: z.object({ texts: z.array(z.string()) }),
  },
} satisfies FactSchemas;
