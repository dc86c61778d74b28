import * as z from 'zod';
import { happenedKinds } from '../../../projections/happened.ts';
import { time } from './activity-answers.ts';

const id = z.string().nullable();
const name = z.string().nullable().describe('null: there is none, or it is gone');

/** One thing that happened. */
export const happenedAnswer = z.object({
  n: z.int().describe('position of its fact in the log'),
  at: time,
  kind: z.enum(happenedKinds),
  type: z.string().describe('of the fact'),
  by: z.string().describe('id of the user who did it, `guest`, or `system`: the server'),
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
});
