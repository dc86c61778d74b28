import * as z from 'zod';
import type { Sentence } from '../../src/words/params.ts';

/**
 * A code of the catalogue with its parameters (`src/words`). Parameters may hold what another server said or the name of a
 * device: a fact has it in its content. Facts of releases before it have the sentence in English alone.
 */
export const sentenceSchema: z.ZodType<Sentence> = z.lazy(() =>
  z.object({
    area: z.string().exactOptional(),
    code: z.string(),
    params: z
      .record(
        z.string(),
        z.union([
          z.string(),
          z.number(),
          z.array(z.string()),
          sentenceSchema,
          z.array(sentenceSchema),
        ]),
      )
      .exactOptional(),
  }),
);
