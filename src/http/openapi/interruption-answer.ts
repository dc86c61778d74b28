import * as z from 'zod';
import { interruptionReasons } from '../../../events/facts/ledger.ts';
import { seconds, time } from './activity-answers.ts';

/** A time in which nothing was recorded, and why. */
export const interruption = z.object({
  at: seconds.describe('of the recording: where it begins'),
  from: time.describe('on the server’s wall clock'),
  to: time,
  reason: z
    .enum(interruptionReasons)
    .nullable()
    .describe(
      '`call`: a call or another program had the microphone; `muted`: the system kept it back; `gone`: it was disconnected; `asleep`: the device slept; null: not known',
    ),
});
