import { ulid } from 'ulid';
import type { LogDatabase } from './database.ts';
import { idKey } from './layout.ts';
import { logFormat, writeMarker } from './marker.ts';
import { EventStoreError } from './store.ts';

/**
 * Compares the database's id with the marker's, and writes what is missing of a new log's.
 * @throws {EventStoreError} `DAMAGED` when the two do not belong together
 */
export async function identify(
  directory: string,
  db: LogDatabase,
  marked: string | undefined,
): Promise<string> {
  const found = await db.get<string, string | undefined>(idKey, {});
  if (marked === undefined) {
    const id = found ?? ulid();
    if (found === undefined) await db.put(idKey, id, { sync: true });
    await writeMarker(directory, { format: logFormat, log: id });
    return id;
  }
  if (found === marked) return found;
  throw new EventStoreError(
    'DAMAGED',
    `${directory}.json belongs to log ${marked}, but the database beside it ${
      found === undefined ? 'is another or has lost its beginning' : `is log ${found}`
    }. Nothing was changed. Put both back from the same backup.`,
  );
}
