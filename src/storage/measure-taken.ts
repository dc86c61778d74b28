import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import { type CountedBytes, countBytes } from './disk.ts';

/** What `limits.spaces_gb` and `limits.user_gb` count. */
export const spaceMeasures = (data: CountedFolders, storage: ProjectionStorage) => ({
  measure: (signal: AbortSignal) => measureTaken(data, signal),
  measureByUser: (signal: AbortSignal) =>
    measureByUser(data, async (id) => (await recordingById(storage, id))?.owner, signal),
});

type CountedFolders = Pick<DataFolder, 'spaces' | 'recordings' | 'resumable'>;

/**
 * What `limits.spaces_gb` limits, as it is on the disk: everybody's documents, the recordings, and
 * resumable uploads at the length they were announced with. Uploads that are being received in one go
 * are not in: nothing of them was acknowledged.
 */
export async function measureTaken(
  data: CountedFolders,
  signal?: AbortSignal,
): Promise<CountedBytes> {
  const spaces = await countBytes(data.spaces, signal);
  const recordings = await countBytes(data.recordings, signal);
  return {
    bytes:
      spaces.bytes +
      recordings.bytes +
      sum((await announcedUploads(data.resumable)).map(({ bytes }) => bytes)),
    unread: spaces.unread + recordings.unread,
  };
}

/**
 * The same for each user (`limits.user_gb`): documents in their space, recordings and uploads they own.
 * @param ownerOf a recording's owner; undefined for a folder that no recording has: it counts for none
 */
async function measureByUser(
  data: CountedFolders,
  ownerOf: (recordingId: string) => Promise<string | undefined>,
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const byUser = new Map<string, number>();
  const add = (user: string, bytes: number) => byUser.set(user, (byUser.get(user) ?? 0) + bytes);
  for (const user of (await readdir(data.spaces).catch(gone)) ?? []) {
    add(user, (await countBytes(join(data.spaces, user), signal)).bytes);
  }
  for (const recordingId of (await readdir(data.recordings).catch(gone)) ?? []) {
    const owner = await ownerOf(recordingId);
    if (owner === undefined) continue;
    add(owner, (await countBytes(join(data.recordings, recordingId), signal)).bytes);
  }
  for (const { owner, bytes } of await announcedUploads(data.resumable)) add(owner, bytes);
  return byUser;
}

/**
 * Bytes that each resumable upload under way will have when it is complete; of those whose length was
 * not announced yet, the bytes that are there. None without the folder.
 * @param folder `<data>/resumable`: `<id>` holds the bytes, `<id>.json` the announced length as `size`
 */
async function announcedUploads(folder: string): Promise<{ owner: string; bytes: number }[]> {
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
