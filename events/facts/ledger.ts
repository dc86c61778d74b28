import * as z from 'zod';

/** How much was captured and what is missing from it. Samples at 16 kHz. */
export const ledgerSchema = z.object({
  samples: z.number().int().nonnegative(),
  /** [first missing second, seconds missing] */
  gaps: z.array(z.tuple([z.number(), z.number()])),
  silent_seconds: z.number(),
  clipped_samples: z.number().int(),
});
export type KeptLedger = z.infer<typeof ledgerSchema>;
