import * as z from 'zod';
import { lineKinds } from '../../../events/facts/transcript.ts';

/** What a recording is about, at a glance. */
export const abstract = z
  .string()
  .nullable()
  .describe(
    'two or three sentences; one where a model has no more; empty where it would say the talk again',
  );

const summaryLine = z.object({
  id: z.string().describe('by which it is edited; it stays'),
  revision: z.string().describe('what it says now, for `If-Match`'),
  text: z.string(),
  kind: z.enum(lineKinds),
  section: z.string().nullable().describe('heading that it stands below; null: none'),
  of_template: z.boolean().describe('that heading is of a template'),
  person: z
    .string()
    .nullable()
    .describe('who decided it, is to do it or said it, as documents name them'),
  due: z.string().nullable().describe('until when, as it was said'),
  due_date: z.string().nullable().describe('day a task is due, as 2026-03-03; null: in doubt'),
  done: z.boolean().describe('a task that is done'),
  block: z.string().nullable().describe('Markdown block id of the passage that it rests on'),
  cites: z
    .array(z.union([z.object({ block: z.string() }), z.object({ note: z.int() })]))
    .describe('what it rests on: passages and side notes'),
  edited_by: z.string().nullable().describe('id of the user who edited it last; null: nobody did'),
  unfounded: z
    .literal(true)
    .optional()
    .describe('a decision or task that was not found in what that person said'),
});

/** The summary of a recording. */
export const summary = z.object({
  abstract,
  abstract_revision: z.string().describe('what the abstract says now, for `revision` of an edit'),
  revision: z.string().describe('what all of it says now, for `If-Match`'),
  lines: z.array(summaryLine),
  offered: z
    .object({ lines: z.array(summaryLine) })
    .nullable()
    .describe('what a model made since people edited the summary; it waits for their decision'),
});
