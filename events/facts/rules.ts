import * as z from 'zod';
import { tagsMax } from './order.ts';
import { kindSchema } from './recording.ts';

/** Where a recording comes from: a device of the server's, a browser or a desk, a file. */
export const ruleSources = ['device', 'browser', 'upload'] as const;

/** What has to hold of a recording, all of what is given. Names and texts are compared without regard to case. */
export const ruleWhen = z.object({
  kind: kindSchema.optional(),
  source: z.enum(ruleSources).optional(),
  /** Of the device; `*` stands for anything. */
  device: z.string().optional(),
  /** Of the file it was imported from; `*` stands for anything. */
  file_name: z.string().optional(),
  /** ISO 639-1 code. */
  language: z.string().optional(),
  /** 1: Monday. */
  weekdays: z.array(z.int().min(1).max(7)).optional(),
  /** Begun from then on, and before then, by the clock (`18:30`); over midnight where the second is not the later one. */
  from: z.string().optional(),
  to: z.string().optional(),
  /** The title has all of these words. */
  title: z.string().optional(),
  /** The name of somebody who speaks. */
  speaker: z.string().optional(),
  /** One passage has all of these words. */
  said: z.string().optional(),
});
export type RuleWhen = z.output<typeof ruleWhen>;

/** What is done then. `kind` and `language` go into the recording's first fact. */
export const ruleThen = z.object({
  folder: z.string().optional(),
  tags: z.array(z.string()).max(tagsMax).optional(),
  /** Of its summaries, without a choice of a person. */
  template: z.string().optional(),
  kind: kindSchema.optional(),
  language: z.string().optional(),
});
export type RuleThen = z.output<typeof ruleThen>;

const rule = { rule: z.string() };

/** Rules of one user, in their `personal-<user id>` stream. */
export const ruleFacts = {
  /** Made, or changed as a whole. */
  'rule.saved': {
    data: z.object({ ...rule, enabled: z.boolean() }),
    content: z.object({ when: ruleWhen, then: ruleThen }),
  },
  'rule.deleted': { data: z.object(rule) },
  /** All of them, in their order. */
  'rules.ordered': { data: z.object({ rules: z.array(z.string()) }) },
};
