import * as z from 'zod';
import { seconds, time } from './activity-answers.ts';

const cite = z.object({
  recording_id: z.string().describe('ULID'),
  block: z.string().nullable().describe('null: it is recorded, and only recognised so far'),
  start: seconds.describe('of the recording: from there it plays'),
  title: z.string().nullable(),
  created_at: time,
  speaker: z.string().nullable().describe('who says it, as people see it'),
  quote: z.string().describe('what was said there'),
});

export const answer = z.object({
  lines: z.array(z.object({ text: z.string(), cites: z.array(cite) })),
  not_found: z.boolean().describe('nothing of that was said in what was searched'),
  nearest: z.array(cite).describe('of an answer without lines: passages that come nearest'),
  searched: z.object({
    recordings: z.number().int(),
    passages: z.number().int().describe('that were read'),
    complete: z.boolean().describe('false: not all that was said was read, or is searched yet'),
    when: z
      .object({
        from: time.nullable(),
        to: time.nullable(),
        latest: z.boolean().describe('the latest of these notes alone'),
      })
      .nullable()
      .describe(
        'what the question says of when: notes that began then were searched; null: nothing',
      ),
  }),
});
