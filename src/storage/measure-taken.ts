import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import type { Blobs } from './blobs/blobs.ts';
import { uploadsUnderWay } from './blobs/unfinished-uploads.ts';
import { type CountedBytes, countBytes } from './disk.ts';

/** What `limits.spaces_gb` and `limits.user_gb` count. */
export const spaceMeasures = (place: CountedPlace, storage: ProjectionStorage) => ({
  measure: (signal: AbortSignal) => measureTaken(place, signal),
  measureByUser: (signal: AbortSignal) =>
    measureByUser(place, async (id) => (await recordingById(storage, id))?.owner, signal),
});

type CountedFolders = Pick<DataFolder, 'spaces' | 'recordings' | 'resumable'>;
/** Folders, or the bucket of all nodes. */
type CountedPlace = CountedFolders | Blobs;

const isBucket = (place: CountedPlace): place is Blobs => 'list' in place;

/**
 * What `limits.spaces_gb` limits, as it is on the disk: everybody's documents, the recordings, and
 * resumable uploads at the length they were announced with. Uploads that are being received in one go
 * are not in: nothing of them was acknowledged.
 */
export async function measureTaken(
  place: CountedPlace,
  signal?: AbortSignal,
): Promise<CountedBytes> {
  const announced = sum((await announcedUploads(place)).map(({ bytes }) => bytes));
  if (isBucket(place)) {
    const [spaces, recordings] = [
      await bytesBelow(place, 'spaces/', signal),
      await bytesBelow(place, 'recordings/', signal),
    ];
    return { bytes: announced + sum([...spaces.values(), ...recordings.values()]), unread: 0 };
  }
  const spaces = await countBytes(place.spaces, signal);
  const recordings = await countBytes(place.recordings, signal);
  return {
    bytes: spaces.bytes + recordings.bytes + announced,
    unread: spaces.unread + recordings.unread,
  };
}

/**
 * The same for each user (`limits.user_gb`): documents in their space, recordings and uploads they own.
 * @param ownerOf a recording's owner; undefined for a folder that no recording has: it counts for none
 */
async function measureByUser(
  place: CountedPlace,
  ownerOf: (recordingId: string) => Promise<string | undefined>,
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const byUser = new Map<string, number>();
  const add = (user: string, bytes: number) => byUser.set(user, (byUser.get(user) ?? 0) + bytes);
  const [spaces, recordings] = isBucket(place)
    ? [await bytesBelow(place, 'spaces/', signal), await bytesBelow(place, 'recordings/', signal)]
    : [await bytesInFolders(place.spaces, signal), await bytesInFolders(place.recordings, signal)];
  for (const [user, bytes] of spaces) add(user, bytes);
  for (const [recordingId, bytes] of recordings) {
    const owner = await ownerOf(recordingId);
    if (owner !== undefined) add(owner, bytes);
  }
  for (const { owner, bytes } of await announcedUploads(place)) add(owner, bytes);
  return byUser;
}

/** Of each folder of a folder. */
async function bytesInFolders(folder: string, signal?: AbortSignal): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const name of (await readdir(folder).catch(gone)) ?? [])
    found.set(name, (await countBytes(join(folder, name), signal)).bytes);
  return found;
}

/** Of each name behind a prefix of a bucket. */
async function bytesBelow(
  bucket: Blobs,
  prefix: string,
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { key, bytes } of bucket.list(prefix)) {
    signal?.throwIfAborted();
    const name = key.slice(prefix.length).split('/')[0]!;
    found.set(name, (found.get(name) ?? 0) + bytes);
  }
  return found;
}

/**
 * Bytes that each resumable upload under way will have when it is complete; of those whose length was
 * not announced yet, the bytes that are there. None without the folder.
 * In the folder `resumable` `<id>` holds the bytes, `<id>.json` the announced length as `size`.
 */
async function announcedUploads(place: CountedPlace): Promise<{ owner: string; bytes: number }[]> {
  if (isBucket(place))
    return (await uploadsUnderWay(place)).map(({ info, bytes }) => ({
      owner: info.metadata['owner'] ?? '',
      bytes: Math.max(bytes, info.size ?? 0),
    }));
  const folder = place.resumable;
  const uploads: { owner: string; bytes: number }[] = [];
  for (const name of (await readdir(folder).catch(gone)) ?? []) {
    if (name.endsWith('.json')) continue;
    const there = await lstat(join(folder, name)).catch(gone);
    if (!there?.isFile()) continue;
    const info = await readFile(join(folder, `${name}.json`), 'utf8').catch(gone);
    const { owner, size } = announcedIn(info ?? '');
    uploads.push({ owner, bytes: Math.max(there.size, size) });
  }
  return uploads;
}

/** A file that says nothing of use is another's concern: the bytes that are there count. */
function announcedIn(text: string): { owner: string; size: number } {
  try {
    const { size, metadata }: { size?: unknown; metadata?: { owner?: unknown } } = JSON.parse(text);
    const owner = typeof metadata?.owner === 'string' ? metadata.owner : '';
    return { owner, size: typeof size === 'number' && size > 0 ? size : 0 };
  } catch {
    return { owner: '', size: 0 };
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

function gone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
