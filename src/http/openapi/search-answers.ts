import * as z from 'zod';
import { kindSchema } from '../../../events/facts/recording.ts';
import { time } from './activity-answers.ts';
import { source } from './recording-answers.ts';

const id = z.string().describe('ULID');

const why = z.enum(['words', 'meaning', 'both']).describe('by what it is found');

/** A passage that was found. */
export const hit = z.object({
  recording_id: id,
  why,
  filename: z.string().nullable().describe('null: it is somebody else’s'),
  by: z.string().nullable().describe('name of the user whose it is; null: the caller’s own'),
  audio: z.boolean().describe('whether there is audio that the caller may hear'),
  title: z.string().nullable(),
  source,
  created_at: time,
  snippet: z.string(),
  start: z.number().nullable().describe('where it is said, in seconds'),
});

/** A note with what was found in it. */
export const noteFound = z.object({
  recording_id: id,
  why,
  by: z.string().nullable().describe('name of the user whose it is; null: the caller’s own'),
  audio: z.boolean().describe('whether there is audio that the caller may hear'),
  title: z.string().nullable(),
  source,
  kind: kindSchema,
  created_at: time,
  passages: z
    .array(
      z.object({
        block: z
          .string()
          .nullable()
          .describe('null: written (title, summary, side note), not said'),
        start: z.number().nullable().describe('where the first of the words is said, in seconds'),
        end: z.number().nullable(),
        speaker: z.string().nullable().describe('as people see it'),
        text: z.string(),
        marks: z
          .array(z.tuple([z.int(), z.int()]))
          .describe('where in `text` the words are: from and to, in UTF-16 units'),
      }),
    )
    .describe('those with most of the words, in the order in which they are said'),
  more: z.int().describe('how many passages there are besides'),
});
