import * as z from 'zod';
import { stages } from '../../../events/facts/recording.ts';

export const time = z.string().describe('RFC 3339, UTC');
export const seconds = z.number().nonnegative().describe('seconds');
export const stage = z.enum(stages);

export const waiting = z
  .object({
    for: z.string().describe('an engine, a server that is away, …'),
    ahead: z.number().int().describe('how many come first'),
    since: time,
  })
  .describe('What a stage waits for');

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
  state: z.enum(['running', 'done', 'failed']),
  started_at: time,
  ended_at: time.nullable(),
  files: z.number().int().describe('looked at so far'),
  facts: z.number().int().nullable().describe('in it; null until it is complete'),
  error: z.string().nullable().describe('for a person'),
});
