/* oxlint-disable no-underscore-dangle -- the library's hooks for implementations are named so */
import { codeOf, messageOf } from '../../src/shared/errors.ts';
import { Level } from 'level';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { diskAt, privateDirectory, syncDirectory, ifMissing } from '../../src/shared/files.ts';
import { retry } from '../../src/shared/retry.ts';
import { EventStoreError, type EventStoreErrorCode } from '../store.ts';
import { dataFailure } from '../../src/words/data-failures.ts';
import type { Sentence } from '../../src/words/params.ts';

/** Stands between the database and the disk in tests: counts writes, delays them, lets them fail. */
export type WriteHook = (write: () => Promise<void>) => Promise<void>;

/**
 * The LevelDB that holds the log and the other data beside it.
 *
 * LevelDB 1.20 goes on after a failed write as if nothing had happened, and what it writes behind
 * the torn record is lost at the next start. So writes go one after another, all of them,
 * and after a failure none is let through until the database was closed and opened again. Where the disk
 * has no room for that it stays open to be read.
 * What it is asked while it is closed fails with `LEVEL_DATABASE_NOT_OPEN`. Sublevels would not be opened again with it.
 */
export class LogDatabase extends Level {
  /** Called once for each failure that stops writing. */
  onWriteFailure: (error: unknown) => void = () => {};
  readonly #hook: WriteHook;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** What stopped writing; undefined: writes are let through. */
  failure: unknown;
  /** Bytes that are free while it waits, open, for room to be opened again; else undefined. */
  waitsForRoom: number | undefined;

  constructor(directory: string, hook: WriteHook = (write) => write()) {
    super(directory);
    this.#hook = hook;
  }

  /** Closes and opens the database. Writes are let through again. */
  async reopen(): Promise<void> {
    this.waitsForRoom = undefined;
    // Writes that were under way end before the files are closed.
    await this.#last;
    await this.close();
    await this.open({ createIfMissing: false });
    await syncDirectory(this.location);
    this.failure = undefined;
  }

  /* The library's own hooks for those who implement a database; all ways to write end in them. */

  protected _put(...args: unknown[]): Promise<void> {
    return this.#write(() => library._put.apply(this, args));
  }

  protected _del(...args: unknown[]): Promise<void> {
    return this.#write(() => library._del.apply(this, args));
  }

  protected _batch(...args: unknown[]): Promise<void> {
    return this.#write(() => library._batch.apply(this, args));
  }

  protected _clear(...args: unknown[]): Promise<void> {
    return this.#write(() => library._clear.apply(this, args));
  }

  protected _chainedBatch(): unknown {
    const batch = library._chainedBatch.call(this);
    const write = batch._write.bind(batch);
    batch._write = (options) => this.#write(() => write(options));
    return batch;
  }

  async #write(write: () => Promise<void>): Promise<void> {
    if (this.#waiting >= waitingMax) {
      throw new EventStoreError('BUSY', `${waitingMax} writes are waiting for the disk.`);
    }
    this.#waiting += 1;
    const alone = this.#waiting === 1;
    const turn = alone ? this.#attempt(write) : this.#last.then(() => this.#attempt(write));
    this.#last = turn.catch(() => {});
    try {
      await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #attempt(write: () => Promise<void>): Promise<void> {
    if (this.failure !== undefined) throw reopening(this);
    try {
      await this.#hook(write);
    } catch (error) {
      this.failure = error;
      this.onWriteFailure(error);
      throw error;
    }
  }
}

/**
 * Opens the database. Its directory can be entered by the owner only; LevelDB makes its files, at any
 * time, with the process's umask, which is `main`'s to set to 077.
 * @throws {EventStoreError} `LOCKED`, `DAMAGED`, `BUSY` (cannot be opened now: permissions, space)
 */
export async function openDatabase(
  directory: string,
  options: { createIfMissing: boolean; hook: WriteHook | undefined },
): Promise<LogDatabase> {
  let db: LogDatabase | undefined;
  try {
    if (options.createIfMissing) await makeDatabase(directory);
    await privateDirectory(directory);
    // Only now: the library opens by itself what was constructed a tick of the event loop ago.
    db = new LogDatabase(directory, options.hook);
    await db.open({ createIfMissing: options.createIfMissing });
    // LevelDB does not: a power cut could bring back the CURRENT of before.
    await syncDirectory(directory);
    return db;
  } catch (error) {
    await db?.close();
    throw openFailure(directory, error);
  }
}

/** Why nothing can be written until the database was opened again. */
export const reopening = (db: LogDatabase): EventStoreError =>
  db.waitsForRoom === undefined
    ? new EventStoreError('BUSY', whyReopening(db))
    : new EventStoreError('DISK_FULL', whyReopening(db), { freeBytes: db.waitsForRoom });

export const whyReopening = ({ waitsForRoom }: LogDatabase): Sentence =>
  waitsForRoom === undefined
    ? dataFailure('log-reopening')
    : dataFailure('log-disk-full', { free: waitsForRoom });

/** The code of a LevelDB error, which may be wrapped in the library's. */
export function levelCode(error: unknown): string | undefined {
  const code = codeOf(error);
  const isWrapped = code === 'LEVEL_DATABASE_NOT_OPEN' && error instanceof Error;
  return isWrapped && error.cause !== undefined ? levelCode(error.cause) : code;
}

/** Writes that may wait for the disk at once. Each writer waits for its write, so there are few. */
const waitingMax = 10_000;
const library = Level.prototype as unknown as Writes;

/** What LevelDB's refusal to open, or to give the first answers, means. */
export function openFailure(folder: string, error: unknown): EventStoreError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const reason = messageOf(cause);
  const code = levelCode(error);
  const failed = (as: EventStoreErrorCode, said: Sentence): EventStoreError =>
    new EventStoreError(as, said, { cause });
  if (code === 'LEVEL_LOCKED') return failed('LOCKED', dataFailure('data-in-use', { folder }));
  return code === 'LEVEL_CORRUPTION' || /No such file|does not exist|Invalid argument/.test(reason)
    ? failed('DAMAGED', dataFailure('log-unopenable', { folder, cause: reason }))
    : failed('BUSY', dataFailure('log-unopenable-now', { folder, cause: reason }));
}

/** Between two attempts to open it again, in milliseconds. */
const reopenPauses = { first: 20, max: 5_000 };
/** Between two looks whether there is room. */
const roomPauseMs = 250;
/** Besides what LevelDB writes again of the files it has, when it is opened. */
const roomToSpare = 1024 * 1024;

/**
 * Closes and opens the database until that and `check` succeed, or `signal` aborts. A full disk may
 * stay full for hours: giving up would need a restart by hand, a pause of seconds costs nothing. As long as
 * there is no room for LevelDB to open it again, it is not closed.
 */
export async function reopenUntilUsable(
  db: LogDatabase,
  signal: AbortSignal,
  check: () => Promise<void>,
  report: (message: string, error?: unknown) => void,
): Promise<void> {
  const reopen = async (): Promise<void> => {
    await roomToOpen(db, signal, report);
    await db.reopen();
    await check();
  };
  await retry(reopen, {
    pauses: reopenPauses,
    signal,
    isTransient: () => true,
    onRetry: (error) => report('event log could not be reopened; trying again', error),
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

async function roomToOpen(
  db: LogDatabase,
  signal: AbortSignal,
  report: (message: string, error?: unknown) => void,
): Promise<void> {
  for (let isReported = false; !signal.aborted && db.status === 'open'; isReported = true) {
    const { free } = await diskAt(db.location);
    if (free >= (await bytesToOpen(db.location))) return;
    db.waitsForRoom = free;
    if (!isReported) report('disk is full; event log is read-only until there is space');
    await delay(roomPauseMs, undefined, { signal }).catch(() => {});
  }
}

/** LevelDB makes a table of what is in its logs, and a new manifest. */
async function bytesToOpen(directory: string): Promise<number> {
  let bytes = roomToSpare;
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.log') && !name.startsWith('MANIFEST-')) continue;
    bytes += await stat(join(directory, name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}

type RawBatch = { _write(options: unknown): Promise<void> };
type Writes = Record<
  '_put' | '_del' | '_batch' | '_clear',
  (...args: unknown[]) => Promise<void>
> & {
  _chainedBatch(): RawBatch;
};

/**
 * Makes an empty database where there is none. LevelDB does not sync the first
 * manifest: a power cut in the first moments would leave a database that cannot be opened. So it is
 * made beside its place, synced, and renamed: after a cut it is there whole, or not at all.
 */
async function makeDatabase(directory: string): Promise<void> {
  const found = await readdir(directory).catch(ifMissing([]));
  // Something is there that was not made this way: LevelDB is to look at it.
  if (found.length > 0) return;
  const beside = `${directory}.new`;
  await rm(beside, { recursive: true, force: true });
  await privateDirectory(beside);
  const db = new Level(beside);
  await db.open();
  await db.close();
  await syncDirectory(beside);
  await rename(beside, directory);
  await syncDirectory(dirname(directory));
}

/** LevelDB's error as ours: what was asked while it was opened again can be asked once more. */
export function unreadableNow(cause: unknown): unknown {
  if (cause instanceof EventStoreError || levelCode(cause) === undefined) return cause;
  return new EventStoreError('BUSY', 'The log cannot be read now.', { cause });
}
