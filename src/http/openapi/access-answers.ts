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
  links: z.int().describe('by how many links that are open; others than its owner get 0'),
  hold: z
    .object({
      until: z.string().nullable().describe('null: until it is lifted'),
      by: z.string().nullable().describe('name of who protected it'),
      reason: z.string().nullable(),
    })
    .nullable()
    .describe('protected from deletion; others than the owner get null'),
};

export const followedNow = z
  .array(
    z.object({
      recording_id: z.string(),
      owner: z.string().nullable().describe('name of the user who records'),
      folder: z
        .string()
        .nullable()
        .describe('name of the folder it is in, if that is shared with the caller'),
      title: z.string().nullable(),
      since: z.string(),
    }),
  )
  .describe('what others record right now and the caller may follow, at most 20');

/** A folder that somebody shares with the caller. */
export const folderWithMe = z.object({
  id: z.string(),
  name: z.string(),
  by: z.string().nullable().describe('name of the user whose it is'),
  role: z.enum(accessRoles),
  audio: z.boolean(),
});
