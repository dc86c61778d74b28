import * as z from 'zod';
import type { FactSchemas } from './envelope.ts';

/** Protection from deletion: while it lasts neither a person nor a period deletes the recording. It stays with another owner. */
export const holdFacts = {
  'hold.placed': {
    data: z.object({ until: z.string().nullable() }),
    content: z.object({ reason: z.string().optional() }),
  },
  'hold.lifted': { data: z.object({}) },
} satisfies FactSchemas;

/** Until when a recording is protected (null: until somebody lifts it), and the id of who protected it. */
export type Hold = { readonly until: string | null; readonly by: string };

/** Whether it is still protected. */
export const isHeld = (hold: Pick<Hold, 'until'> | null, now: number): boolean =>
  hold !== null && (hold.until === null || Date.parse(hold.until) > now);
