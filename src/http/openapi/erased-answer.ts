import * as z from 'zod';

/** Copies of what was erased that are still in notes folders. */
export const copiesLeft = {
  left: z
    .array(z.string())
    .describe('copies that a person changed: they stay; paths below the notes folder'),
  away: z
    .array(z.string())
    .describe('copies in a notes folder that cannot be reached: they are removed when it can'),
};
