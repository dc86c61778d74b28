import * as z from 'zod';

/** How something is written, and how it was misheard. */
export const wordContent = z.object({
  write: z.string(),
  heard: z.array(z.string()),
});
export type WordContent = z.output<typeof wordContent>;

/** Words of one user in their `personal-<user id>` stream, those of the house in `personal-house`. */
export const wordFacts = {
  /** Made, or changed as a whole. Null: for all recordings, else for those of a folder. */
  'word.saved': {
    data: z.object({ word: z.string(), folder: z.string().nullable() }),
    content: wordContent,
  },
  'word.deleted': { data: z.object({ word: z.string() }) },
};
