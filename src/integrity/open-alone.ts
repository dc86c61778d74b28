import { openFileKeys } from '../../events/file-keys.ts';
import type { KeyStore } from '../../events/keys.ts';
import { openLog, type Log as EventLog } from '../../events/level-log.ts';
import { markerPath } from '../../events/marker.ts';
import type { DataFolder } from '../host.ts';
import { exists } from './exists.ts';
import { assertTablesReadable } from './tables/check-tables.ts';

/**
 * Works on a data directory's log without a service, and closes it.
 * @throws {EventStoreError} `LOCKED` when a service has it, `DAMAGED` when it cannot be opened at all, or
 *   the database would end the process over it;
 *   {Error} when there is no log: looking for one must not make one.
 */
export async function withLogAlone<T>(
  data: Pick<DataFolder, 'root' | 'log' | 'keys'>,
  work: (opened: { store: EventLog; keys: KeyStore }) => Promise<T>,
): Promise<T> {
  if (!(await exists(markerPath(data.log))) && !(await exists(data.log))) {
    throw new Error(`There is no log in ${data.root}.`);
  }
  await assertTablesReadable(data.log);
  const keys = await openFileKeys(data.keys);
  const store = await openLog({ directory: data.log, keys });
  try {
    return await work({ store, keys });
  } finally {
    await store.close();
  }
}
