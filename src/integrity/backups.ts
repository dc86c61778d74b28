import * as z from 'zod';
import { BackupFault } from './backup-fault.ts';
import { detail } from '../words/details.ts';
import type { Sentence } from '../words/params.ts';
import { problemOf } from '../words/problems.ts';
import { join } from 'node:path';
import type { KeyStore } from '../../events/key-store.ts';
import type { EventLog } from '../../events/event-log.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import { onAbort, untilAborted } from '../shared/abort.ts';
import { SaidError, messageOf } from '../shared/errors.ts';
import { readJsonFile } from '../shared/json.ts';
import type { Log } from '../shared/log.ts';
import { loadOnce } from '../shared/package.ts';
import type { BackupReport } from './backup.ts';
import type { Kept } from '../storage/kept.ts';
import type { CountedType, DailyCounts } from '../storage/daily-counts.ts';
import { lastBackupFile } from './not-in-backups.ts';
import { openListeners } from '../shared/listeners.ts';

/** A backup that was begun. Snake case: it is what HTTP answers. */
export type BackupNow = {
  path: string;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  /** RFC 3339 UTC. */
  started_at: string;
  ended_at: string | null;
  /** Files looked at so far; once it is complete, the files in it. */
  files: number;
  /** Of all files in it; null until it is complete, and of one that an earlier release made. */
  bytes: number | null;
  /** Facts in it; null until it is complete. */
  facts: number | null;
  /** What went wrong. */
  error: Sentence | null;
};

/** Why none is begun. */
export class BackupRefused extends SaidError<'BACKUP_RUNNING' | 'BACKUP_PLACE'> {
  override name = 'BackupRefused';
}

/** Backups of a service that runs: one at a time. */
export interface Backups {
  /** Makes one for a command of the host. @throws {BackupRefused}; as `backup` */
  make(path: string): Promise<BackupReport>;
  /** Begins one in the background for a user. @throws {BackupRefused} also for a folder that is none for a backup */
  begin(path: string, by: string): Promise<BackupNow>;
  /** Ends the one under way at its next file, or leaves it alone when that hangs; what was backed up before stays. Resolves then. */
  cancel(): Promise<void>;
  /** The one under way, or the last, also of an earlier process; null: there was none. */
  now(): Promise<BackupNow | null>;
  /** Called when one begins and ends, and now and then between. @returns how to stop */
  onChange(listener: () => void): () => void;
  /** Waits for one under way, which ends by its signal. */
  close(): Promise<void>;
}

export function openBackups(deps: BackupsDeps): Backups {
  const { data } = deps;
  let last: BackupNow | null = null;
  let underWay: Promise<unknown> = Promise.resolve();
  let cancelling = new AbortController();
  const earlier = loadOnce(() => readLastBackup(data.root));
  const { tell, add: onChange } = openListeners();

  const assertNone = (): void => {
    if (last?.state !== 'running') return;
    throw new BackupRefused('BACKUP_RUNNING', problemOf('backup-running'));
  };
  const start = (path: string, by: string): { begun: BackupNow; report: Promise<BackupReport> } => {
    assertNone();
    const begun: BackupNow = { ...noBackup, path, started_at: new Date().toISOString() };
    last = begun;
    tell();
    cancelling = new AbortController();
    const report = makeOne(deps, begun, { by, cancelled: cancelling.signal, tell });
    underWay = report.catch(() => undefined);
    return { begun, report };
  };
  return {
    make: async (path) => await start(path, 'system').report,
    async begin(path, by) {
      assertNone();
      const { prepareTarget } = await import('./backup.ts');
      const late = AbortSignal.timeout(deps.times.endMs);
      await untilAborted(prepareTarget(path, data), late).catch((error: unknown) => {
        const cause = late.aborted ? noAnswer(path) : error;
        throw new BackupRefused('BACKUP_PLACE', faultOf(cause), { cause });
      });
      const { begun, report } = start(path, by);
      // Kept in its state, and logged.
      report.catch(() => undefined);
      return { ...begun };
    },
    async cancel() {
      cancelling.abort();
      await underWay;
    },
    now: async () => (last ? { ...last } : await earlier()),
    onChange,
    async close() {
      await underWay;
    },
  };
}

type BackupsDeps = {
  store: EventLog;
  keys: KeyStore;
  kept: Kept;
  data: DataFolder;
  /** Ends what is under way. */
  stopping: AbortSignal;
  /** Runs what copies files while none is replaced: those of the facts copied before must be there. */
  whileFilesStay<T>(work: () => Promise<T>): Promise<T>;
  log: Pick<Log, 'info' | 'warn'>;
  /** Counts backups for administrators. */
  counted: Pick<DailyCounts, 'note'>;
  times: BackupTimes;
};

/** In milliseconds. */
type BackupTimes = typeof backupTimes;
export const backupTimes = {
  /** A backup of which no file and no part of the log is copied for so long waits for a folder that does not answer. */
  stallMs: 30 * 60_000,
  /** So long a file that is being copied is waited for when a backup is to end; what a folder does not answer to cannot be ended. */
  endMs: 10_000,
};

/** Makes one, and keeps what becomes of it. @throws as `backup`; that it was cancelled */
async function makeOne(
  deps: BackupsDeps,
  one: BackupNow,
  { by, cancelled, tell }: { by: string; cancelled: AbortSignal; tell: () => void },
): Promise<BackupReport> {
  const {
    log,
    times: { stallMs, endMs },
  } = deps;
  const stalling = new AbortController();
  const stalled = setTimeout(() => stalling.abort(noAnswer(one.path)), stallMs);
  const onRecords = (): void => void stalled.refresh();
  const countFile = counting(one, tell);
  const onFile = (): void => {
    onRecords();
    countFile();
  };
  const count = (type: CountedType): Promise<void> =>
    deps.counted.note(type, by).catch((err: unknown) => {
      log.warn({ err }, 'a backup could not be counted');
    });
  try {
    const { backup } = await import('./backup.ts');
    const ending = AbortSignal.any([deps.stopping, cancelled, stalling.signal]);
    const making = () => backup({ ...deps, onFile, onRecords }, one.path, ending);
    const report = await deps.whileFilesStay(() => orLeft(making(), ending, endMs));
    const { facts, files } = report;
    // Before it is said to be done: who sees that may look for it in what happened.
    await count('backup.completed');
    Object.assign(one, {
      state: 'done',
      facts,
      files: files.copied + files.linked,
      bytes: files.size,
    });
    log.info({ path: one.path, facts }, 'backup completed');
    return report;
  } catch (error) {
    if (cancelled.aborted) {
      Object.assign(one, { state: 'cancelled' });
      log.info({ path: one.path }, 'backup cancelled');
      throw new Error(wasCancelled, { cause: error });
    }
    await count('backup.failed');
    Object.assign(one, { state: 'failed', error: saidOf(error) });
    log.warn({ err: error, path: one.path }, 'backup failed');
    throw error;
  } finally {
    clearTimeout(stalled);
    one.ended_at = new Date().toISOString();
    tell();
  }
}

/** Settles as the work does. If the work has not ended in time after the signal, throws the signal's reason and abandons it. */
async function orLeft<T>(work: Promise<T>, ending: AbortSignal, endMs: number): Promise<T> {
  const left = new AbortController();
  const forget = onAbort(ending, (reason) => {
    const late = setTimeout(() => left.abort(reason), endMs);
    void work.catch(() => {}).finally(() => clearTimeout(late));
  });
  return await untilAborted(work, left.signal).finally(forget);
}

const noAnswer = (path: string) => new BackupFault(path, detail('backup-folder-silent'));

/** What is wrong with a folder, as the end of a sentence that begins with it. */
const faultOf = (error: unknown): Sentence =>
  error instanceof BackupFault ? error.fault : saidOf(error);

/** Why a backup could not be made. */
const saidOf = (error: unknown): Sentence =>
  error instanceof BackupFault ? error.said : detail('backup-failed', { cause: messageOf(error) });

/** Counts the files of a backup, and tells it now and then. */
function counting(one: BackupNow, tell: () => void): () => void {
  let told = performance.now();
  return () => {
    one.files += 1;
    if (performance.now() - told < tellMs) return;
    told = performance.now();
    tell();
  };
}

const wasCancelled = 'The backup was cancelled. What was backed up before is as it was.';

/** Milliseconds between two words about how many files there are. */
const tellMs = 1000;

const noBackup = {
  state: 'running',
  ended_at: null,
  files: 0,
  bytes: null,
  facts: null,
  error: null,
} as const;

/** The last that was completed, by whatever process; none where that cannot be read: nothing depends on it. */
async function readLastBackup(root: string): Promise<BackupNow | null> {
  const last = await readJsonFile(join(root, lastBackupFile), lastSchema);
  if (!last) return null;
  const { directory: path, facts, files, at } = last;
  const times = { started_at: at, ended_at: at };
  return {
    path,
    state: 'done',
    ...times,
    files: files.count,
    bytes: files.size,
    facts,
    error: null,
  };
}

const lastSchema = z.object({
  directory: z.string(),
  facts: z.number(),
  files: z
    .object({ copied: z.number(), linked: z.number(), size: z.number().nullable().default(null) })
    .transform(({ copied, linked, size }) => ({ count: copied + linked, size })),
  at: z.string(),
});
