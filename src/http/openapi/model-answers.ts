import * as z from 'zod';

/** Where an installation is. */
export const modelPhase = z.enum(['waiting', 'downloading', 'unpacking', 'checking']);

const progress = z.object({
  phase: modelPhase,
  fraction: z.number().nullable().describe('0 to 1; null while the server has not said how much'),
  bytes: z.number().int(),
  total: z.number().int().nullable(),
  rate: z.number().int().nullable().describe('bytes a second'),
  seconds_left: z.number().int().nullable(),
});

/** A model of `GET /models`. */
export const modelSchema = z.object({
  id: z.string(),
  title: z.string(),
  about: z.string().nullable(),
  purpose: z.string(),
  languages: z.array(z.string()).describe('ISO 639-1; empty: not bound to a language'),
  size: z.number().int().describe('bytes on the disk, about as long as it is not installed'),
  license: z.string(),
  memory_gb: z.number().nullable(),
  recommended: z
    .string()
    .nullable()
    .describe('why the model is recommended for this server and `stt.language`'),
  installed: z.boolean(),
  used_for: z.array(z.string()).describe('what removing it would end, in sentences'),
  progress: progress.nullable(),
  error: z.string().nullable().describe('why the last installation failed'),
  downloads: z
    .array(
      z.object({
        url: z.string(),
        size: z.number().int().nullable().describe('bytes, where the publisher says it'),
        sha256: z.string().nullable().describe('where the publisher says it'),
      }),
    )
    .describe('files to fetch elsewhere and import where the server has no internet'),
});
