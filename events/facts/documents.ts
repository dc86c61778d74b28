import * as z from 'zod';
import type { FactSchemas } from './envelope.ts';

/** The three documents of a recording. */
const documentSchema = z.enum(['index', 'transcript', 'summary']);
const hashes = z.object({ index: z.string(), transcript: z.string(), summary: z.string() });

/** What becomes of a recording's documents: named once, then written version by version, edited, deleted. */
export const documentFacts = {
  /** Decided once, before the first file is written, and never again. */
  'documents.named': {
    data: z.object({
      /** Start of the recording in the server's time zone, RFC 3339 with offset. */
      local_start: z.string(),
      ui_language: z.enum(['de', 'en']),
      renderer: z.number().int(),
    }),
    content: z.object({ base: z.string(), title: z.string() }),
  },
  /**
   * What is about to be written: whatever becomes of the process, a file with one of these hashes is
   * ours and may be replaced.
   */
  'documents.rendered': {
    data: z.object({ version: z.number().int().positive(), sha256: hashes }),
  },
  'documents.saved': {
    data: z.object({
      /** Which version of the documents this is, from 1. */
      version: z.number().int().positive(),
      renderer: z.number().int(),
      /** Whether paragraphs of the transcript have their times; they have in facts without it. */
      times: z.boolean().optional(),
      /** Whether people are links to notes about them; they are not in facts without it. */
      links: z.boolean().optional(),
      /** Where the page of the recording is, without `/notes/<id>`; the documents name its id alone without it. */
      address: z.string().nullable().optional(),
      sha256: hashes,
      /** Documents a person had changed: ours was not written over them. */
      kept: z.array(documentSchema),
    }),
    content: z.object({
      paths: z.object({ index: z.string(), transcript: z.string(), summary: z.string() }),
      /** Path of the audio in the vault that the documents lie in, where it does. */
      audio: z.string().nullable().optional(),
      /** What they say of its owner's order, by name: absent where it is in no folder, or has no tag. */
      folder: z.string().optional(),
      tags: z.array(z.string()).optional(),
    }),
  },
  /** They say another folder, or other tags, than the recording has: they are written again. */
  'documents.outdated': { data: z.object({}) },
  /** A person sent a whole document. What cannot be taken as corrections is kept as their own version. */
  'document.edited': {
    data: z.object({
      document: documentSchema,
      /** Whether the content is their own version; without one, ours is written again. */
      own: z.boolean(),
      /** SHA-256 of the file they had seen, which is what may be replaced. */
      replaces: z.string(),
    }),
    content: z.object({ markdown: z.string().optional() }),
  },
  /** A person deleted documents; the recording stays. */
  'documents.deleted': { data: z.object({ documents: z.array(documentSchema).min(1) }) },
} satisfies FactSchemas;
