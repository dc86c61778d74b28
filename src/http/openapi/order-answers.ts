import * as z from 'zod';
import { kindSchema } from '../../../events/facts/recording.ts';
import { templateContent } from '../../../events/facts/templates.ts';
import { tagColours } from '../../../events/facts/personal.ts';
import { retentionTerms } from '../../../events/facts/retention.ts';
import { limits } from '../limits.ts';

/** Where a recording is put. */
export const order = {
  folder: z.string().nullable().describe('id of the folder that it is in'),
  tags: z.array(z.string()).describe('ids of its tags'),
};

export const colour = z.literal(tagColours).describe('as speakers have them');

export const counted = {
  recordings: z
    .int()
    .describe(
      `with documents, counted up to ${limits.countedMax}, to less where there are many lists`,
    ),
  more: z.boolean().describe('whether there are more than were counted'),
};

export const folderNamed = z.object({
  id: z.string(),
  name: z.string(),
  kind: kindSchema.nullable().describe('of what begins in it, where no other is given'),
  language: z.string().nullable().describe('ISO 639-1 code; the same'),
  template: z.string().nullable().describe('id of what its summaries look like; null: by kind'),
  retention: retentionTerms
    .nullable()
    .describe('how long what is in it is kept; null: as the rest of theirs'),
  shared: z.int().describe('with how many people and groups'),
});
export const tagNamed = z.object({ id: z.string(), name: z.string(), colour });

/** What a summary looks like. */
export const template = z.object({
  id: z.string(),
  revision: z.int().describe('1, 2, …'),
  ...templateContent.shape,
});

/** How something is written. */
export const word = z.object({
  id: z.string(),
  write: z.string().describe('how it is written'),
  heard: z.array(z.string()).describe('as what it was misheard: replaced in new transcripts'),
  folder: z.string().nullable().describe('id of the folder whose recordings it is for; null: all'),
  saved_at: z.string(),
});

/** What was corrected the same way several times. */
export const wordSuggestion = z.object({
  write: z.string(),
  heard: z.string(),
  word: z
    .string()
    .nullable()
    .describe('id of the caller’s word for all recordings that is written so'),
  recordings: z.int().describe('in how many it was corrected, 2 or more'),
  last_at: z.string(),
  examples: z
    .array(
      z.object({
        recording_id: z.string(),
        title: z.string().nullable(),
        block: z.string().nullable(),
      }),
    )
    .describe('some of them, at most 3'),
});

/** Where a word stands misheard in a recording. */
export const wordFound = z.object({
  recording_id: z.string(),
  title: z.string().nullable(),
  source: z.string().nullable(),
  created_at: z.string(),
  edits: z
    .array(
      z.object({
        block: z.string(),
        revision: z.string(),
        start: z.number().describe('seconds'),
        text: z.string().describe('what the passage would say'),
        before: z.string().describe('what it says'),
        count: z.int().describe('places in it'),
      }),
    )
    .describe('passages, at most 200'),
  more: z.int().describe('passages besides'),
});

/** What several recordings became, with what undoes it. */
export const changedTogether = <T extends z.ZodType>(refused: T) =>
  z.object({
    changed: z.array(
      z.object({
        recording_id: z.string(),
        before: z.object({
          ...order,
          rule_template: z.string().nullable().describe('id of the template that a rule chose'),
        }),
      }),
    ),
    refused,
  });

export const ruleTried = z.object({
  looked_at: z.int().describe('how many recordings, the newest'),
  fitting: z.array(
    z.object({
      recording_id: z.string(),
      title: z.string().nullable(),
      created_at: z.string(),
      folder: z.string().nullable().describe('id of the folder that it would be put into'),
      add_tags: z.array(z.string()).describe('ids of tags that it would get'),
      folder_chosen: z.boolean().describe('a person chose another folder, or none: that stays'),
      template: z
        .string()
        .nullable()
        .describe('id of the template that its next summary would be made by'),
      template_chosen: z.boolean().describe('a person chose a template: that stays'),
    }),
  ),
});
