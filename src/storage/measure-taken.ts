import type { DataFolder } from '../host.ts';
import { announcedBytes } from './announced-bytes.ts';
import { countBytes, type CountedBytes } from './count-bytes.ts';

/**
 * What `limits.spaces_gb` limits, as it is on the disk: everybody's documents, the recordings, and
 * resumable uploads at the length they were announced with. Uploads that are being received in one go
 * are not in: nothing of them was acknowledged.
 */
export async function measureTaken(
  data: Pick<DataFolder, 'spaces' | 'recordings' | 'resumable'>,
  signal?: AbortSignal,
): Promise<CountedBytes> {
  const spaces = await countBytes(data.spaces, signal);
  const recordings = await countBytes(data.recordings, signal);
  return {
    bytes: spaces.bytes + recordings.bytes + (await announcedBytes(data.resumable)),
    unread: spaces.unread + recordings.unread,
  };
}
