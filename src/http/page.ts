import * as z from 'zod';
import { limits } from './limits.ts';

const { pageMax, pageDefault } = limits;
const whole = (text: string): boolean => /^\d{1,15}$/.test(text);

/** `?limit&cursor` of lists. */
export const pageSchema = z.object({
  limit: z
    .string()
    .refine(whole, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(1).max(pageMax))
    .default(pageDefault),
  cursor: z.string().max(1000).optional(),
});

/** `?after`: a position of the log, 0 for its beginning. */
export const positionSchema = z
  .string()
  .refine(whole, 'must be a position of the log')
  .transform(Number)
  .pipe(z.number().int().min(0))
  .default(0);
