import * as z from 'zod';
import { recordingByFilename } from '../../projections/library.ts';
import type { Caller } from '../accounts/caller.ts';
import { notFound } from './problems.ts';
import type { HttpServices } from './services.ts';
import { guest, sees } from './visible-recording.ts';

/** Whose is meant: an administrator’s own, or what `guest` has, which is kept apart. */
export const ownerSchema = z.strictObject({
  owner: z.literal(guest).optional().describe('to administrators: of what `guest` recorded'),
});
type AskedOwner = z.output<typeof ownerSchema>;

/** Whose is asked for. @throws {Problem} 404 where the caller may not know of it */
export function ownerIn({ owner }: AskedOwner, caller: Caller): string {
  const asked = owner ?? caller.userId;
  if (!sees(caller, asked)) throw notFound();
  return asked;
}

/**
 * In whose space the documents at these paths are. `saved` gives administrators paths in that of `guest`, too; a path that
 * is in both spaces is one in their own, unless `owner` says otherwise.
 * @throws {Problem} 404 as `ownerIn`
 */
export async function ownerOfPaths(
  { storage }: Pick<HttpServices, 'storage'>,
  asked: AskedOwner,
  caller: Caller,
  paths: readonly string[],
): Promise<string> {
  const own = ownerIn(asked, caller);
  if (own === guest || !sees(caller, guest)) return own;
  const are = async (owner: string): Promise<boolean> => {
    for (const path of paths)
      if ((await recordingByFilename(storage, owner, path)) === undefined) return false;
    return true;
  };
  return !(await are(own)) && (await are(guest)) ? guest : own;
}
