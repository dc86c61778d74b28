import * as z from 'zod';
import { seconds } from './activity-answers.ts';

/** Of which other recordings one is, or which are of it. */
export const originsSchema = z
  .array(
    z.object({
      how: z
        .enum(['continues', 'continued', 'joined', 'cut-from', 'cut-off', 'shortened'])
        .describe(
          '`continues`: it goes into that one when it has ended; `continued`, `joined`: that one is in it; `cut-from`: it ' +
            'was its end; `cut-off`: that one was its end; `shortened`: a passage of it was removed for good',
        ),
      recording_id: z.string().describe('the other one'),
      at: seconds.nullable().describe('from which second on; of `cut-from` a second of the other'),
      title: z
        .string()
        .nullable()
        .describe('what the other one is called; null: it is gone, or not asked for'),
    }),
  )
  .describe('of which other recordings it is, or which are of it');
