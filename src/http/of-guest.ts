import * as z from 'zod';
import type { Caller } from '../accounts/caller.ts';
import { notFound } from './problems.ts';
import { guest, sees } from './visible-recording.ts';

/** Whose is meant: an administrator’s own, or what `guest` has, which is kept apart. */
export const ownerSchema = z.strictObject({
  owner: z.literal(guest).optional().describe('to administrators: of what `guest` recorded'),
});
/** The same, where all else in a query string is passed over, as by routes that have none. */
export const ofOwner = z.object(ownerSchema.shape);
type AskedOwner = z.output<typeof ownerSchema>;

/** Whose is asked for. @throws {Problem} 404 where the caller may not know of it */
export function ownerIn({ owner }: AskedOwner, caller: Caller): string {
  const asked = owner ?? caller.userId;
  if (!sees(caller, asked)) throw notFound();
  return asked;
}
