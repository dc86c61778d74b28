import * as z from 'zod';
import { time } from './activity-answers.ts';

export const fact = z.object({
  position: z.number().int(),
  stream: z.string(),
  version: z.number().int(),
  type: z.string(),
  at: time,
  by: z.string(),
  run: z.number().int().optional(),
  attempt: z.number().int().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
  content: z.record(z.string(), z.unknown()).optional().describe('only to those who may hear it'),
  erased: z.literal(true).optional(),
});

export const factPage = z.object({
  events: z.array(fact),
  next_after: z.number().int().nullable().describe('null: this is the end'),
});
