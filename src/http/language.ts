import * as z from 'zod';

/** An ISO 639-1 code (or 639-3, where there is none); `auto` and nothing mean: find out. */
export const languageSchema = z
  .string()
  .regex(/^(?:auto|[a-z]{2,3})?$/, 'must be an ISO 639-1 code such as `de`, or `auto`')
  .transform((code) => (code === '' || code === 'auto' ? null : code))
  .nullable();
