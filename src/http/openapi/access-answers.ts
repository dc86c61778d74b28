import * as z from 'zod';
import { accessRoles } from '../../../events/facts/access.ts';

/** How somebody else’s is shared with the caller. */
export const accessAnswer = z
  .object({
    role: z.enum(accessRoles),
    audio: z.boolean().describe('whether the audio can be heard, too'),
    by: z.string().nullable().describe('name of the user whose it is'),
  })
  .nullable()
  .describe('null: it is the caller’s own');

export const sharedAnswer = {
  access: accessAnswer,
  shared: z.int().describe('with how many people and groups its owner shares it; others get 0'),
};
