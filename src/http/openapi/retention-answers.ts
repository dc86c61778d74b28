import * as z from 'zod';
import { retentionTerms } from '../../../events/facts/retention.ts';
import { kindSchema } from '../../../events/facts/recording.ts';

const days = z.int().nullable();
const effect = {
  takes_effect_at: z
    .string()
    .nullable()
    .describe('a change waits for 24 hours before it takes anything; null: none waits'),
};
const counts = {
  notes: z.int().describe('whole notes'),
  audio: z.int().describe('those that lose their audio alone'),
};
const rule = {
  rule: z.enum(['folder', 'user', 'server']).describe('whose period it is'),
  days: z.int(),
  folder: z.string().nullable().describe('id of the folder whose period it is'),
};
const part = z.enum(['notes', 'audio']).describe('the whole note, or its audio alone');
const held = z.object({ until: z.string().nullable(), by: z.string().nullable() }).nullable();

/** What is set, what goes soon, what waits for a yes. */
export const retentionAnswer = z.object({
  server: z.object({
    audio_days: days,
    notes_days: days,
    longest: z.boolean().describe('nobody keeps anything longer'),
    ...effect,
  }),
  own: z.object({ ...retentionTerms.shape, ...effect }),
  folders: z
    .array(z.object({ id: z.string(), name: z.string(), ...retentionTerms.shape, ...effect }))
    .describe('folders with a period of their own, by name'),
  soon: z
    .object({ at: z.string(), ...counts })
    .nullable()
    .describe('what goes on the first day within a week on which something goes'),
  waiting: z
    .object({
      ...counts,
      shared: z.int().describe('how many of them others may read'),
      began_before: z.string().describe('when the newest of them began'),
      before: z.string().describe('what to confirm'),
    })
    .nullable()
    .describe('what is due, and is deleted only after `POST /retention/confirm`'),
  protected: z
    .array(
      z.object({
        recording_id: z.string(),
        title: z.string().nullable(),
        until: z.string().nullable(),
        by: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    )
    .describe('what is protected from deletion, newest first, at most 100'),
  last_backup_at: z
    .string()
    .nullable()
    .describe('of this server: what is deleted may still be in it'),
});

export const previewAnswer = z.object({
  items: z
    .array(
      z.object({
        recording_id: z.string(),
        title: z.string().nullable(),
        part,
        at: z.string(),
        ...rule,
        shared: z.boolean().describe('others may read it'),
        hold: held.describe('protected then: it stays'),
      }),
    )
    .describe('the first 200, the longest due first'),
  ...counts,
  shared: z.int(),
  protected: z.int().describe('not counted among the others'),
});

export const logAnswer = z.object({
  removed: z.array(
    z.object({
      at: z.string(),
      part,
      ...rule,
      started_at: z.string(),
      kind: kindSchema,
      seconds: z.number().nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
