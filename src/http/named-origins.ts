import { isIn } from '../../machines/states.ts';
import type { Origin } from '../../projections/recording/origins.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { Caller } from '../accounts/caller.ts';
import { originsAnswer } from './origins.ts';
import type { HttpServices } from './services.ts';
import { sees } from './visible-recording.ts';

/** Where a recording comes from, with the titles of those that are there and that the caller may see. */
export async function namedOrigins(
  { storage }: Pick<HttpServices, 'storage'>,
  caller: Caller,
  origins: readonly Origin[],
): Promise<ReturnType<typeof originsAnswer>> {
  return await Promise.all(
    originsAnswer(origins).map(async (origin) => {
      const row = await recordingById(storage, origin.recording_id);
      if (!row || !sees(caller, row.owner) || isIn(row.state, 'idle.erased')) return origin;
      return { ...origin, title: row.title ?? row.source ?? '' };
    }),
  );
}
