import { ifCode } from '../shared/errors.ts';
import * as z from 'zod';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from '../shared/data-directory.ts';
import { assertTablesReadable, harmedTables, unreadableTables } from './tables/tables.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import type { KeyStore } from '../../events/key-store.ts';
import type { EventLog } from '../../events/event-log.ts';
import { openLog } from '../../events/log/level-log.ts';
import { markerPath } from '../../events/log/marker.ts';
import { EventStoreError } from '../../events/store.ts';
import type { Kept } from '../storage/kept.ts';
import { levelKept } from '../storage/level-rows.ts';
import { type PendingJobs, pendingJobs } from '../storage/pending-jobs.ts';
import { type DailyCounts, openDailyCounts } from '../storage/daily-counts.ts';
import { exists, ifMissing } from '../shared/files.ts';
import { isRunning } from '../shared/machine.ts';

/** In the data directory while a process has the log open; not part of a backup. */
export const openMarkFile = 'log.open';

const markSchema = z.object({
  pid: z.number().int().positive(),
  /** The log was opened although tables of it are not as they were written. */
  harmed: z.boolean(),
});

/** The same until LevelDB has given the log to this process: a mark of another process is not ours to touch. */
export const openingMarkFile = 'log.opening';

/** What a process does about its mark while it opens a log. */
export type OpenMark = {
  /** Whether the last process closed the log. */
  cleanEnd: boolean;
  /** The log is open, in this process alone. */
  opened(): Promise<void>;
  /** The log could not be opened. */
  failed(error: unknown): Promise<void>;
  /** The log was closed. */
  closed(): Promise<void>;
};

/**
 * Notes that the log is about to be opened. LevelDB ends the process when it compacts certain damaged
 * tables; the service would be started, and ended, for ever. So when the last process did not close the
 * log, its tables are looked at before LevelDB opens them, and not after every clean end, since all of
 * them are read. Whether another process has the log LevelDB alone knows: until it says, nothing else in the data
 * directory is written.
 *
 * @throws {EventStoreError} `DAMAGED` when LevelDB would end the process, or when tables are damaged and
 *   the last process, which had been warned, ended all the same
 */
export async function markOpen(data: Pick<DataFolder, 'root' | 'log'>): Promise<OpenMark> {
  const path = join(data.root, openMarkFile);
  const opening = join(data.root, openingMarkFile);
  const last = await lastMark(data);
  // LevelDB says whether another process has it open: the log is locked then.
  const unclean = last !== undefined && (last.pid === process.pid || !isRunning(last.pid));
  const harmed = unclean ? await harmedTables(data.log) : [];
  const fatal = harmed.filter(({ endsProcess }) => endsProcess);
  if (fatal.length > 0 || (last?.harmed === true && harmed.length > 0)) {
    throw unreadableTables(data.log, fatal.length > 0 ? fatal : harmed);
  }
  // Not synced: it is to survive the process, and after a power cut a look too few does no harm.
  const mark = { pid: process.pid, harmed: unclean ? harmed.length > 0 : last?.harmed === true };
  const write = (to: string) =>
    // On a full disk the mark is missing after a crash: a look too few.
    writeFile(to, JSON.stringify(mark), { mode: 0o600 }).catch(ifCode(undefined, 'ENOSPC'));
  await write(opening);
  const opened = async () => {
    await write(path);
    await rm(opening, { force: true });
  };
  return {
    cleanEnd: last === undefined,
    opened,
    failed: (error) =>
      error instanceof EventStoreError && error.code === 'LOCKED'
        ? rm(opening, { force: true })
        : opened(),
    closed: () => rm(path, { force: true }),
  };
}

/** Whether another process that still runs has said it has the log open: only opening it shows for sure. */
export async function isHeldByAnother(data: Pick<DataFolder, 'root'>): Promise<boolean> {
  const mark = await lastMark(data);
  return mark !== undefined && mark.pid !== process.pid && isRunning(mark.pid);
}

/**
 * Before a command opens a log without a service.
 * @throws {Error} it is another user's: files that this one made in it, as root, that user's service could not open
 */
export async function assertOwnLog({ root, log }: Pick<DataFolder, 'root' | 'log'>): Promise<void> {
  const folder = await stat(log).catch(ifMissing(null));
  if (folder === null || folder.uid === process.getuid?.()) return;
  throw new Error(
    `${log} belongs to another user, so this command doesn’t use it. ` +
      `Run it as the user that runs Mitschrift: sudo -u '#${folder.uid}' MITSCHRIFT_DATA=${root} npx mitschrift …`,
  );
}

/**
 * Works on a data directory's log without a service, and closes it.
 * @throws {EventStoreError} `LOCKED` when a service has it, `DAMAGED` when it cannot be opened at all, or
 *   the database would end the process over it;
 *   {Error} when there is no log: looking for one must not make one; as `assertOwnLog`
 */
export async function withLogAlone<T>(
  data: Pick<DataFolder, 'root' | 'log' | 'keys'>,
  work: (opened: {
    store: EventLog;
    keys: KeyStore;
    kept: Kept;
    jobs: PendingJobs;
    counted: DailyCounts;
  }) => Promise<T>,
): Promise<T> {
  if (!(await exists(markerPath(data.log))) && !(await exists(data.log))) {
    throw new Error(`There is no log in ${data.root}.`);
  }
  await assertOwnLog(data);
  await assertTablesReadable(data.log);
  const store = await openLog({ directory: data.log, keys: () => openFileKeys(data.keys) });
  try {
    const kept = levelKept(store.db, () => new Date());
    const beside = { kept, jobs: pendingJobs(kept), counted: openDailyCounts(kept) };
    return await work({ store, keys: store.keys, ...beside });
  } finally {
    await store.close();
  }
}

const lastMark = async ({ root }: Pick<DataFolder, 'root'>) =>
  (await readMark(join(root, openMarkFile))) ?? (await readMark(join(root, openingMarkFile)));

/** Undefined when the log was closed. A mark that was cut short still says that it was not. */
async function readMark(path: string): Promise<z.infer<typeof markSchema> | undefined> {
  const text = await readFile(path, 'utf8').catch(ifMissing(undefined));
  if (text === undefined) return undefined;
  try {
    return markSchema.parse(JSON.parse(text));
  } catch {
    return { pid: process.pid, harmed: false };
  }
}
