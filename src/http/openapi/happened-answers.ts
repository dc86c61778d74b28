import * as z from 'zod';
import { shownKinds } from '../happened-page.ts';
import { time } from './activity-answers.ts';

const id = z.string().nullable();
const name = z.string().nullable().describe('null: there is none, or it is gone');

/** One thing that happened. */
export const happenedAnswer = z.object({
  id: z.string().describe('of the entry'),
  n: z.int().nullable().describe('position of its fact in the log; null: it is only counted'),
  at: time,
  kind: z.enum(shownKinds),
  type: z.string().describe('of the fact, or of what is counted'),
  by: z
    .string()
    .describe(
      'id of the user who did it, `guest`, `system`: the server, or `unknown`: who failed to log in',
    ),
  by_name: name,
  user_id: id.describe('to whom it was done'),
  user: name,
  group_id: id,
  group: name,
  recording_id: id,
  folder_id: id,
  link_id: id,
  setting: z.string().nullable().describe('its name, never its value'),
  role: z.string().nullable(),
  audio: z.boolean().nullable().describe('whether the audio is shared, too'),
  is_admin: z.boolean().nullable().describe('whether a new user is an administrator'),
  count: z
    .int()
    .nullable()
    .describe('how often on that day (UTC), since `at`; null: it is one fact'),
  last_at: time.nullable().describe('the last time on that day'),
});
