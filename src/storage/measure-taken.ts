import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { Blobs } from './blobs/blobs.ts';
import type { CountedBytes } from './disk.ts';
import { type UnfinishedUploads, uploadOwner } from './uploads/unfinished-uploads.ts';

/** What `limits.spaces_gb` and `limits.user_gb` count. */
export const spaceMeasures = (place: CountedPlace, storage: ProjectionStorage) => ({
  measure: (signal: AbortSignal) => measureTaken(place, signal),
  measureByUser: (signal: AbortSignal) =>
    measureByUser(place, async (id) => (await recordingById(storage, id))?.owner, signal),
});

type CountedPlace = {
  blobs: Pick<Blobs, 'measure'>;
  unfinished: Pick<UnfinishedUploads, 'underWay'>;
};

/**
 * What `limits.spaces_gb` limits, as it is stored: everybody's documents, the recordings, and
 * resumable uploads at the length they were announced with. Uploads that are being received in one go
 * are not in: nothing of them was acknowledged.
 */
export async function measureTaken(
  { blobs, unfinished }: CountedPlace,
  signal?: AbortSignal,
): Promise<CountedBytes> {
  const spaces = await blobs.measure('spaces/', signal);
  const recordings = await blobs.measure('recordings/', signal);
  const counted = [...spaces.values(), ...recordings.values()];
  return {
    bytes: sum([...counted, ...(await announcedUploads(unfinished))].map(({ bytes }) => bytes)),
    unread: sum(counted.map(({ unread }) => unread)),
  };
}

/**
 * The same for each user (`limits.user_gb`): documents in their space, recordings and uploads they own.
 * @param ownerOf a recording's owner; undefined for a folder that no recording has: it counts for none
 */
async function measureByUser(
  { blobs, unfinished }: CountedPlace,
  ownerOf: (recordingId: string) => Promise<string | undefined>,
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const byUser = new Map<string, number>();
  const add = (user: string, bytes: number) => byUser.set(user, (byUser.get(user) ?? 0) + bytes);
  for (const [user, { bytes }] of await blobs.measure('spaces/', signal)) add(user, bytes);
  for (const [recordingId, { bytes }] of await blobs.measure('recordings/', signal)) {
    const owner = await ownerOf(recordingId);
    if (owner !== undefined) add(owner, bytes);
  }
  for (const { owner, bytes } of await announcedUploads(unfinished)) add(owner, bytes);
  return byUser;
}

/**
 * Bytes that each resumable upload under way will have when it is complete; of those whose length was
 * not announced yet, the bytes that are there.
 */
const announcedUploads = async (
  unfinished: CountedPlace['unfinished'],
): Promise<{ owner: string; bytes: number }[]> =>
  (await unfinished.underWay()).map(({ info, bytes }) => ({
    owner: uploadOwner(info),
    bytes: Math.max(bytes, info.size ?? 0),
  }));

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
