import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import type { Blobs } from './blobs/blobs.ts';
import { type CountedBytes, countBytes } from './disk.ts';
import { type UnfinishedUploads, uploadOwner } from './uploads/unfinished-uploads.ts';

/** What `limits.spaces_gb` and `limits.user_gb` count. */
export const spaceMeasures = (place: CountedPlace, storage: ProjectionStorage) => ({
  measure: (signal: AbortSignal) => measureTaken(place, signal),
  measureByUser: (signal: AbortSignal) =>
    measureByUser(place, async (id) => (await recordingById(storage, id))?.owner, signal),
});

type CountedPlace = {
  /** Folders, or the bucket of all nodes. */
  files: Pick<DataFolder, 'spaces' | 'recordings'> | Blobs;
  unfinished: Pick<UnfinishedUploads, 'underWay'>;
};

const isBucket = (files: CountedPlace['files']): files is Blobs => 'list' in files;

/**
 * What `limits.spaces_gb` limits, as it is on the disk: everybody's documents, the recordings, and
 * resumable uploads at the length they were announced with. Uploads that are being received in one go
 * are not in: nothing of them was acknowledged.
 */
export async function measureTaken(
  { files, unfinished }: CountedPlace,
  signal?: AbortSignal,
): Promise<CountedBytes> {
  const announced = sum((await announcedUploads(unfinished)).map(({ bytes }) => bytes));
  if (isBucket(files)) {
    const [spaces, recordings] = [
      await bytesBelow(files, 'spaces/', signal),
      await bytesBelow(files, 'recordings/', signal),
    ];
    return { bytes: announced + sum([...spaces.values(), ...recordings.values()]), unread: 0 };
  }
  const spaces = await countBytes(files.spaces, signal);
  const recordings = await countBytes(files.recordings, signal);
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
  { files, unfinished }: CountedPlace,
  ownerOf: (recordingId: string) => Promise<string | undefined>,
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const byUser = new Map<string, number>();
  const add = (user: string, bytes: number) => byUser.set(user, (byUser.get(user) ?? 0) + bytes);
  const [spaces, recordings] = isBucket(files)
    ? [await bytesBelow(files, 'spaces/', signal), await bytesBelow(files, 'recordings/', signal)]
    : [await bytesInFolders(files.spaces, signal), await bytesInFolders(files.recordings, signal)];
  for (const [user, bytes] of spaces) add(user, bytes);
  for (const [recordingId, bytes] of recordings) {
    const owner = await ownerOf(recordingId);
    if (owner !== undefined) add(owner, bytes);
  }
  for (const { owner, bytes } of await announcedUploads(unfinished)) add(owner, bytes);
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

function gone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
