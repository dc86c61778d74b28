import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type LogDatabase,
  type WriteHook,
  openDatabase,
  reopening,
  reopenUntilUsable,
} from '../../events/log/database.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { EventStoreError } from '../../events/store.ts';
import type { Projection, ProjectionStorage } from '../../projections/runner/projection.ts';
import type { Log } from '../shared/log.ts';
import { levelProjectionStorage, sublevelPrefix } from './level-rows.ts';
import { sealedRows } from './sealed-rows.ts';
import { inTime } from '../shared/abort.ts';

/** Projections' rows, apart from the log: they can be deleted, the log makes them again. */
export type RowsStorage = {
  storage: ProjectionStorage;
  /**
   * Resolves at once unless the disk is full: then when the rows can be written again.
   * @throws {EventStoreError} `DISK_FULL` when they cannot after some seconds
   */
  withRoom(): Promise<void>;
  /** While the disk is full for the rows: so many bytes are free, and what that means. */
  full(): EventStoreError | undefined;
  close(): Promise<void>;
};

/** In a database of this process alone. */
export type LevelRows = RowsStorage & { db: LogDatabase };

/** How long a command waits for room, in milliseconds. */
const roomWaitMs = 3000;

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
}): Promise<LevelRows> {
  const { directory, keys, projections, log } = options;
  const opening = { createIfMissing: true, hook: options.write };
  const db = await openDatabase(directory, opening).catch(async (error: unknown) => {
    if (!(error instanceof EventStoreError) || error.code !== 'DAMAGED') throw error;
    log.warn({ err: error }, 'projection database is damaged; rebuilding it from the event log');
    await rm(directory, { recursive: true, force: true });
    return await openDatabase(directory, opening);
  });
  const closing = new AbortController();
  let recovering: Promise<void> | undefined;
  db.onWriteFailure = (cause) => {
    if (recovering || closing.signal.aborted) return;
    log.warn({ err: cause }, 'writing projection rows failed; reopening the database');
    const report = (_: string, error: unknown): void =>
      log.warn({ err: error }, 'projection database could not be reopened; trying again');
    const sound = (): Promise<void> => Promise.resolve();
    recovering = reopenUntilUsable(db, closing.signal, sound, report).finally(() => {
      recovering = undefined;
    });
  };
  const full = () => (recovering && db.waitsForRoom !== undefined ? reopening(db) : undefined);
  const report = (problem: { subject: string; message: string }): void =>
    log.error(problem, 'projection rows cannot be read');
  return {
    storage: sealedRows(levelProjectionStorage(db), { keys, projections, report }),
    db,
    full,
    async withRoom() {
      if (!recovering || !full()) return;
      await inTime(roomWaitMs, recovering, () => {});
      const error = full();
      if (error) throw error;
    },
    async close() {
      closing.abort();
      await recovering;
      await db.close();
    },
  };
}

/**
 * Removes the rows that the first release keeps in the log's database, unsealed, with the files that held them. It may
 * have run again since the last time, so they are looked for at each start: one seek. When the sealed rows are built; a crash
 * in between begins it again. The log's records stay. The log is closed and opened in it: nothing may be appended meanwhile.
 * @param rows the database of sealed rows, which remembers what was begun
 * @param rewritable whether the log's files may be rewritten; tried again at the next start if not
 * @returns whether there were any
 * @throws {Error} they may not; what the databases throw
 */
export async function removePlainRows(
  log: { db: LogDatabase },
  rows: LogDatabase,
  rewritable: () => Promise<boolean>,
): Promise<boolean> {
  const isThere = (await rows.get(begunKey)) !== undefined || (await hasPlainRows(log.db));
  if (!isThere) return false;
  if (!(await rewritable()))
    throw new Error('The event log has damaged tables, which are not rewritten.');
  // Before the first key goes: afterwards only the files have them.
  await rows.batch([{ type: 'put', key: begunKey, value: '1' }], { sync: true });
  await removeFrom(log.db);
  await rows.batch([{ type: 'del', key: begunKey }], { sync: true });
  return true;
}

const begunKey = `${sublevelPrefix('meta')}plain-rows-begun`;

/** The keys of each kind of plain rows. `"` follows `!`. */
const plainRows = ['projections', 'search'].map((name) => {
  const gte = sublevelPrefix(name);
  return { gte, lt: `${gte.slice(0, -1)}"` };
});

async function hasPlainRows(log: LogDatabase): Promise<boolean> {
  for (const range of plainRows) {
    const found = await log.iterator({ ...range, reverse: false, limit: 1 }).all();
    if (found.length > 0) return true;
  }
  return false;
}

/** Everything from `!projections!` to `!sessions!`: neither end is a key of anything. */
const first = '!projections!';
const last = '!sessions"';

/** What `classic-level` offers beyond what `level` types: rewriting a range without what is gone from it. */
interface Compactable {
  compactRange(start: string, end: string): Promise<void>;
}

async function removeFrom(log: LogDatabase): Promise<void> {
  for (const range of plainRows) await log.clear(range);
  await rewrite(log);
  // Its manifest names the first and last keys of files that are gone, and users' names were in keys.
  await log.reopen();
  // LevelDB's own report says at which keys it merged.
  await rm(join(log.location, 'LOG.old'), { force: true });
}

/**
 * Makes LevelDB drop what was deleted: what is in memory goes to a table, tables are merged down to the
 * last level, and the files before are removed.
 */
async function rewrite(log: LogDatabase): Promise<void> {
  const compact = () => (log as unknown as Compactable).compactRange(first, last);
  // The first time tables are written as they were in memory, with all that was overwritten there,
  // and those of the last level are left alone (LevelDB's DBImpl::CompactRange). A table that spans
  // the range, of two deletions of nothing, makes the second time merge with every one of them.
  await compact();
  await log.batch(
    [
      { type: 'del', key: first },
      { type: 'del', key: last },
    ],
    { sync: false },
  );
  await compact();
}
