import * as z from 'zod';
import { modelLineKinds } from './transcript.ts';

/** Of a summary in the language of the talk. */
export const asSpoken = 'spoken';
/** How much a summary says. */
export const templateLengths = ['short', 'medium', 'long'] as const;

/** A heading of a summary, and what belongs below it. */
export const templateSection = z.object({
  title: z.string(),
  about: z.string(),
  /** What its lines are. */
  kind: z.enum(modelLineKinds),
});
export type TemplateSection = z.output<typeof templateSection>;

/** What a summary looks like. */
export const templateContent = z.object({
  name: z.string(),
  sections: z.array(templateSection),
  /** To the language model; empty: none. */
  instructions: z.string(),
  /** `spoken`, or an ISO 639-1 code. */
  language: z.string(),
  length: z.enum(templateLengths),
});
export type TemplateContent = z.output<typeof templateContent>;

/** Which template made a summary. */
export const templateUsed = z.object({
  id: z.string(),
  revision: z.number().int().positive(),
  /** The user whose it is, `house`, or `built-in`. */
  of: z.string(),
});
export type TemplateUsed = z.output<typeof templateUsed>;

/** Templates of one user, in their `personal-<user id>` stream; those of everybody in `personal-house`. */
export const templateFacts = {
  /** Made, or changed as a whole: another revision. */
  'template.saved': {
    data: z.object({ template: z.string(), revision: z.number().int().positive() }),
    content: templateContent,
  },
  'template.deleted': { data: z.object({ template: z.string() }) },
};
