import * as z from 'zod';

/** Where a word of somebody's list stands in place of what was misheard. */
export const replacedAnswer = z
  .array(
    z.object({
      from: z.int().describe('in `text`, in UTF-16 units'),
      to: z.int(),
      heard: z.string().describe('what speech recognition wrote there'),
    }),
  )
  .describe('where a word of the user or the house stands in place of what was misheard');
