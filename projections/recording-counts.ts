import { startingWith } from './list-page.ts';
import { type RecordingRow, recordingsName } from './recording-row.ts';
import type { ProjectionStorage } from './runner/projection.ts';

/** How many recordings each user has. Reads a key a recording. */
export const recordingsByOwner = (
  storage: ProjectionStorage,
): Promise<ReadonlyMap<string, number>> => countedBy(storage, 'o/');

/** How many recordings there are of each status, of all users. Reads a key a recording. */
export async function recordingsByStatus(
  storage: ProjectionStorage,
): Promise<Record<RecordingRow['status'], number>> {
  const counts = { idle: 0, recording: 0, transcribing: 0, 'awaiting-speakers': 0, error: 0 };
  return { ...counts, ...Object.fromEntries(await countedBy(storage, 's/')) };
}

/** How many entries of a list there are by the part of their keys before time and id. */
async function countedBy(
  storage: ProjectionStorage,
  list: 'o/' | 's/',
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const [key] of storage.range(recordingsName, startingWith(list))) {
    const part = key.split('/').at(-3)!;
    counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  return counts;
}
