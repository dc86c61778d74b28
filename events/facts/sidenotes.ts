import * as z from 'zod';
import type { FactSchemas } from './envelope.ts';

const which = {
  /** Its number in this recording, from 1; none is given twice. */
  note: z.number().int().positive(),
};

/** A person's own notes on what is said. Their words are the person's: no model changes them. */
export const sidenoteFacts = {
  'sidenote.written': {
    data: z.object({
      ...which,
      /** Seconds of the recording when it was begun. */
      at: z.number().nonnegative(),
      /** Id of the block that it is about. */
      block: z.string().optional(),
      /** It marks the moment; it may be without words. */
      mark: z.literal(true).optional(),
    }),
    content: z.object({ text: z.string() }),
  },
  'sidenote.edited': { data: z.object(which), content: z.object({ text: z.string() }) },
  'sidenote.removed': { data: z.object(which) },
} satisfies FactSchemas;
