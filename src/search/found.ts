import * as z from 'zod';
import { kindSchema } from '../../events/facts/recording.ts';

/** How notes are looked for, and by what one is found. */
export const searchMode = z.enum(['words', 'meaning', 'both']);
export type SearchMode = z.output<typeof searchMode>;

/** A note that was found. */
const about = {
  recording_id: z.string().describe('ULID'),
  why: searchMode.describe('by what it is found'),
  by: z.string().nullable().describe('name of the user whose it is; null: the caller’s own'),
  audio: z.boolean().describe('whether there is audio that the caller may hear'),
  title: z.string().nullable(),
  source: z
    .string()
    .nullable()
    .describe('name of the file it was imported from; null for a captured one'),
  created_at: z.string().describe('RFC 3339, UTC'),
};

/** With the passage that was found: the words as they stand in the transcript, with what is said around them; one line. */
const hit = z.object({
  ...about,
  filename: z.string().nullable().describe('null: it is somebody else’s'),
  snippet: z.string(),
  start: z.number().nullable().describe('where it is said, in seconds'),
});
export type Hit = z.output<typeof hit>;

/** A place in a note where words of a question are. */
const passage = z.object({
  block: z.string().nullable().describe('null: written (title, summary, side note), not said'),
  start: z.number().nullable().describe('where the first of the words is said, in seconds'),
  end: z.number().nullable(),
  speaker: z.string().nullable().describe('as people see it'),
  text: z.string(),
  marks: z
    .array(z.tuple([z.int(), z.int()]))
    .describe('where in `text` the words are: from and to, in UTF-16 units'),
});
export type Passage = z.output<typeof passage>;

/** With all that was found in it. */
const noteFound = z.object({
  ...about,
  kind: kindSchema,
  passages: z
    .array(passage)
    .describe('those with most of the words, in the order in which they are said'),
  more: z.int().describe('how many passages there are besides'),
});
export type NoteFound = z.output<typeof noteFound>;

/** How much was searched. */
const searched = z.object({
  complete: z
    .boolean()
    .describe('false: not all are searched, because the index is made or has no room'),
  fraction: z
    .number()
    .min(0)
    .max(1)
    .describe('share of the transcripts that are searched, the newest first'),
  meaning: z
    .object({ complete: z.boolean(), fraction: z.number().min(0).max(1) })
    .nullable()
    .describe('the same by meaning; null: they were searched by their words alone'),
});

/** Best first. */
export const hitsFound = z.object({ hits: z.array(hit), ...searched.shape });
export type HitsFound = z.output<typeof hitsFound>;

/** A page of notes. */
export const notesFound = z.object({
  notes: z.array(noteFound),
  passages: z.int().describe('how many are in these notes'),
  notes_found: z.int().describe('on all pages'),
  next_cursor: z
    .string()
    .nullable()
    .describe(
      '`cursor` of the next page, also where this one has fewer than asked for; null: this is the last',
    ),
  ...searched.shape,
});
export type NotesFound = z.output<typeof notesFound>;
