import * as z from 'zod';
import { stages } from '../../../events/facts/recording.ts';

export const time = z.string().describe('RFC 3339, UTC');
export const seconds = z.number().nonnegative().describe('seconds');
export const stage = z.enum(stages);

export const waiting = z
  .object({
    for: z.string().describe('what stands after “Waiting for”, in the reader’s language'),
    code: z.string().nullable().optional().describe('the same for programs'),
    cause: z.string().nullable().optional().describe('why there is none, for a person'),
    ahead: z.number().int().describe('how many come first'),
    since: time,
  })
  .describe('What a stage waits for');

export const warningAnswer = z.object({
  code: z.string(),
  message: z.string(),
  reason: z.string().optional().describe('the sentence, for programs'),
  params: z.record(z.string(), z.unknown()).optional(),
});

export const secondsLeft = seconds
  .nullable()
  .describe('by how fast it has been; null: too little of it is done to say, or it waits');

export const behind = z
  .number()
  .nonnegative()
  .describe('seconds of what was said that are not recognised yet, while it is recorded');

export const activity = z.object({
  stage,
  attempt: z.number().int(),
  fraction: z.number().min(0).max(1).nullable().describe('null: unknown'),
  seconds_left: secondsLeft,
  waiting: waiting.nullable(),
  behind: behind.optional(),
});

export const backupNow = z.object({
  path: z.string(),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  started_at: time,
  ended_at: time.nullable(),
  files: z.number().int().describe('looked at so far; once it is complete, the files in it'),
  bytes: z.number().int().nullable().describe('of all files in it; null until it is complete'),
  facts: z.number().int().nullable().describe('in it; null until it is complete'),
  error: z.string().nullable().describe('for a person'),
});

export const node = z.object({
  id: z.string().describe('of this process'),
  host: z.string().describe('the name of its computer'),
  process: z.number().int().describe('its number there'),
  address: z.string().nullable().describe('where it listens, as it calls it itself'),
  role: z.enum(['serve', 'work', 'all']),
  version: z.string(),
  slots: z.number().int().describe('for how many recordings it works at once'),
  there: z.boolean().describe('false: it died within a day, or is cut off'),
  current: z.boolean().describe('the node that answers'),
  started_at: time.describe('by its own clock'),
  noted_at: time.describe('when it wrote down last what it holds'),
  holds: z.array(
    z.object({
      name: z.string().describe('`projector`, `recording:ID`, `upload:ID`, …'),
      since: time.describe('by the clock of the database'),
    }),
  ),
  unnamed: z.number().int().describe('what it holds beside, and has not written down yet'),
});
