import * as z from 'zod';
import type { FactOf, FactSchemas } from './envelope.ts';

export const configStream = 'config';

/** Every fact of the `config` stream. A secret's value is never here, only its fingerprint. */
export const configFacts = {
  'config.key_set': { data: z.object({ key: z.string(), value: z.json() }) },
  'config.secret_set': { data: z.object({ key: z.string(), fingerprint: z.string() }) },
  'config.key_reset': { data: z.object({ key: z.string() }) },
} satisfies FactSchemas;

export type ConfigFact = FactOf<typeof configFacts>;
