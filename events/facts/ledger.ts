import * as z from 'zod';

/** How much was captured and what is missing from it. Samples at 16 kHz. */
export const ledgerSchema = z.object({
  /** Frames in the file, with the silence that stands for gaps. */
  samples: z.number().int().nonnegative(),
  /** [first missing second, seconds missing] */
  gaps: z.array(z.tuple([z.number(), z.number()])),
  /** Seconds in which the device gave nothing but digital silence. */
  silent_seconds: z.number(),
  clipped_samples: z.number().int(),
});
/** What kept a browser from recording: a call or another program, the system, the device that is gone, or its sleep. */
export const interruptionReasons = ['call', 'muted', 'gone', 'asleep'] as const;
export type InterruptionReason = (typeof interruptionReasons)[number];

/** Nothing was recorded for a while. What is missing of the audio is a gap of the ledger. */
export const interruptedSchema = z.object({
  /** Seconds of the recording where it begins. */
  at: z.number().nonnegative(),
  /** On the server's wall clock, RFC 3339 with its offset. */
  from: z.string(),
  to: z.string(),
  /** Absent: not known. */
  reason: z.enum(interruptionReasons).optional(),
});

export type KeptLedger = z.infer<typeof ledgerSchema>;
