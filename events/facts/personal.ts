import * as z from 'zod';
import type { FactOf, FactSchemas } from './envelope.ts';
import { granted, withdrawn } from './access.ts';
import { kindSchema } from './recording.ts';
import { retentionFacts, retentionTerms } from './retention.ts';
import { ruleFacts } from './rules.ts';
import { templateFacts } from './templates.ts';
import { wordFacts } from './words.ts';

/** The stream of what one user has set in order: folders, tags, rules, templates and words. Sealed with the user's key. */
export const personalStream = (userId: string): PersonalStream => `personal-${userId}`;
export type PersonalStream = `personal-${string}`;
/** The user a stream of that kind is of; undefined for other streams. */
export const personOf = (stream: string): string | undefined =>
  stream.startsWith('personal-') ? stream.slice('personal-'.length) : undefined;

/** In place of a user's id: words and templates that administrators give for the whole house. Sealed with a key of its own. */
export const houseId = 'house';

/** Colours that a tag may have: those of speakers. */
export const tagColours = [1, 2, 3, 4, 5, 6, 7, 8] as const;
export type TagColour = (typeof tagColours)[number];

const named = z.object({ name: z.string() });
const folder = { folder: z.string() };
const tag = { tag: z.string() };

/** Every fact of a `personal-<user id>` stream. */
export const personalFacts = {
  'folder.created': { data: z.object(folder), content: named },
  'folder.renamed': { data: z.object(folder), content: named },
  /** What a recording that begins in it is, where nobody says otherwise. */
  'folder.configured': {
    data: z.object({
      ...folder,
      kind: kindSchema.nullable(),
      language: z.string().nullable(),
      /** What its summaries look like. Absent in older logs: none. */
      template: z.string().nullable().optional(),
      /** How long what is in it is kept; null: as its owner’s other notes. Absent: as before. */
      retention: retentionTerms.nullable().optional(),
    }),
  },
  /** What was in it is in none. */
  'folder.deleted': { data: z.object(folder) },
  /** With whom what is in it is shared, also what comes into it later. */
  'folder.shared': { data: z.object({ ...folder, ...granted }) },
  'folder.unshared': { data: z.object({ ...folder, ...withdrawn }) },
  'tag.created': { data: z.object({ ...tag, colour: z.literal(tagColours) }), content: named },
  /** Another name or colour. */
  'tag.renamed': { data: z.object({ ...tag, colour: z.literal(tagColours) }), content: named },
  'tag.deleted': { data: z.object(tag) },
  ...ruleFacts,
  ...retentionFacts,
  ...templateFacts,
  ...wordFacts,
} satisfies FactSchemas;

export type PersonalFact = FactOf<typeof personalFacts>;
