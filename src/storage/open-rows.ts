import { rm } from 'node:fs/promises';
import { openDatabase, type LogDatabase, type WriteHook } from '../../events/log/database.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { reopenUntilUsable } from '../../events/log/database.ts';
import { EventStoreError } from '../../events/store.ts';
import type { Projection, ProjectionStorage } from '../../projections/projection.ts';
import type { Log } from '../shared/log.ts';
import { levelProjectionStorage } from './level-projections.ts';
import { sealedRows } from './sealed-rows.ts';

/** The database of projections' rows, apart from the log's: it can be deleted, the log makes it again. */
export type RowsStorage = {
  storage: ProjectionStorage;
  db: LogDatabase;
  close(): Promise<void>;
};

/**
 * Opens the database of rows, or makes it. One that cannot be opened because it is damaged is deleted
 * and begun again. After a failed write it is closed and opened until it can be written; who reads waits a little.
 * @throws {EventStoreError} `LOCKED`, `BUSY`
 */
export async function openRows(options: {
  directory: string;
  keys: Pick<KeyStore, 'find'>;
  projections: readonly Projection[];
  log: Pick<Log, 'warn' | 'error'>;
  /** For tests. */
  write?: WriteHook;
}): Promise<RowsStorage> {
  const { directory, keys, projections, log } = options;
  const opening = { createIfMissing: true, hook: options.write };
  const db = await openDatabase(directory, opening).catch(async (error: unknown) => {
    if (!(error instanceof EventStoreError) || error.code !== 'DAMAGED') throw error;
    log.warn({ err: error }, 'the database of rows is damaged: it is made again from the log');
    await rm(directory, { recursive: true, force: true });
    return await openDatabase(directory, opening);
  });
  const closing = new AbortController();
  let recovering: Promise<void> | undefined;
  db.onWriteFailure = (cause) => {
    if (recovering || closing.signal.aborted) return;
    log.warn({ err: cause }, 'a write of rows failed; their database is opened again');
    const report = (_: string, error: unknown): void =>
      log.warn({ err: error }, 'the database of rows could not be opened again yet');
    const sound = (): Promise<void> => Promise.resolve();
    recovering = reopenUntilUsable(db, closing.signal, sound, report).finally(() => {
      recovering = undefined;
    });
  };
  const report = (problem: { subject: string; message: string }): void =>
    log.error(problem, 'rows cannot be read');
  return {
    storage: sealedRows(levelProjectionStorage(db), { keys, projections, report }),
    db,
    async close() {
      closing.abort();
      await recovering;
      await db.close();
    },
  };
}
