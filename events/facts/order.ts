import * as z from 'zod';
import type { FactSchemas } from './envelope.ts';

/** Tags that one recording may have. */
export const tagsMax = 32;

/** Where its owner put a recording. Ids of `personal-<user id>`; a recording that is handed over is in no order any more. */
export const orderFacts = {
  /** `rule`, also below: by which of their rules; without one it is a person’s choice, which no rule changes. */
  'recording.filed': {
    data: z.object({ folder: z.string().nullable(), rule: z.string().optional() }),
  },
  /** All the tags that it has. */
  'tags.changed': {
    data: z.object({
      tags: z.array(z.string()).max(tagsMax),
      rules: z.array(z.string()).optional(),
    }),
  },
  /** What its summaries are to look like from the next one on; null: as its folder or kind has it. */
  'template.chosen': {
    data: z.object({ template: z.string().nullable(), rule: z.string().optional() }),
  },
} satisfies FactSchemas;
