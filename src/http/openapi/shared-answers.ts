import * as z from 'zod';
import { kindSchema } from '../../../events/facts/recording.ts';
import { lineKinds, wordSchema } from '../../../events/facts/transcript.ts';
import { seconds, time } from './activity-answers.ts';
import { speaker } from './recording-answers.ts';

const state = z
  .enum(['running', 'working', 'ready'])
  .describe('it is recorded, it is worked on, or there is a note');
const isReadable = z
  .boolean()
  .describe(
    'false: it is not ready, and the link opens nothing of it before; everything else is empty',
  );

const line = z.object({
  id: z.string(),
  text: z.string(),
  kind: z.enum(lineKinds),
  section: z.string().nullable().describe('the heading that it stands below; null: none'),
  of_template: z.boolean().describe('that heading is of a template'),
  person: z.string().nullable(),
  due: z.string().nullable(),
  due_date: z.string().nullable(),
  done: z.boolean(),
  block: z.string().nullable().describe('of the turn that it rests on'),
});

const turn = z.object({
  index: z.int(),
  block: z.string().nullable(),
  start: seconds,
  end: seconds,
  speaker: z.string().nullable(),
  text: z.string(),
  words: z.array(wordSchema).describe('with the audio; else none'),
});

/** What a link opens. */
export const sharedNoteAnswer = z.object({
  recording_id: z.string().describe('ULID: for its audio, peaks and export'),
  shared_by: z.string().nullable().describe('name of the user whose it is'),
  state,
  paused: z.boolean(),
  readable: isReadable,
  live: z.boolean().describe('the link opens what is said while it is recorded'),
  audio: z.boolean().describe('its audio and peaks can be had'),
  version: z.int().describe('of the documents; 0: none yet'),
  title: z.string().nullable(),
  kind: kindSchema,
  language: z.string().nullable(),
  started_at: time.nullable(),
  duration: seconds.nullable(),
  speakers: z.array(speaker),
  summary: z
    .object({ abstract: z.string().nullable(), lines: z.array(line) })
    .nullable()
    .describe('null: there is none'),
  turns: z.array(turn),
  expires_at: time.nullable().describe('when the link ends; null: not by itself'),
  ticket: z.string().describe('goes as `?ticket=` to audio, peaks, export (md, txt) and `/ws`'),
  ticket_expires_at: time.describe('the same request with `ticket` prolongs it'),
});

/** What a WebSocket of a link says besides `utterance`. */
export const sharedFrame = z.object({
  type: z.literal('shared'),
  recording_id: z.string(),
  state: z
    .enum(['running', 'working', 'ready', 'discarded', 'over'])
    .describe('after `discarded` and `over` the connection ends: what was read is to be forgotten'),
  paused: z.boolean(),
  readable: isReadable,
  live: z.boolean(),
  version: z.int().describe('of the documents: with another one it is to be read again'),
  speakers: z.array(speaker),
});
