import { codeOf, messageOf } from '../shared/errors.ts';
import { BackupFault } from './backup-fault.ts';
import { detail } from '../words/details.ts';
import * as z from 'zod';
import { readFile, readdir, rm } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { exists, ifMissing, overwrite, privateDirectory, writeDurably } from '../shared/files.ts';
import { openErasureList } from '../../events/log/file-keys.ts';
import type { EventLog } from '../../events/event-log.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { type LogCopy, openLogCopy } from '../../events/log/salvage.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { EventStoreError } from '../../events/store.ts';
import type { Kept } from '../storage/kept.ts';
import { type DataFolder, derivedFileNames } from '../shared/data-directory.ts';
import { type Copied, copyTree } from './copy-tree.ts';
import { isTemporary } from '../documents/write.ts';
import { erasedFiles, removeEmptied, subjectOf } from './erased-files.ts';
import { diskOwnFolder } from './new-directory.ts';
import { type KeptRow, keptData, recordingOfRow, writeKeptData } from './kept-data.ts';
import { keptDataFile, lastBackupFile, notInBackups } from './not-in-backups.ts';
import { assertTablesReadable } from './tables/tables.ts';

/** What `mitschrift backup` answers. `facts`: how many the log in it has, and how many of them are new. */
export type BackupReport = {
  directory: string;
  facts: number;
  newFacts: number;
  files: Copied;
  at: string;
};

/**
 * Backs up a data directory, also while the service works. Every fact up to one position is in it and
 * all keys, audio and documents these facts speak of. Run again, only what is new is copied; keys of
 * what was erased since are removed. Until it is complete, the last one in the directory counts.
 *
 * @throws {EventStoreError} `DAMAGED`: of a damaged log no backup is made; {Error} when the directory
 *   is not a backup of this log, or lies in the data directory
 */
export async function backup(
  deps: {
    store: EventLog;
    keys: KeyStore;
    kept: Kept;
    data: DataFolder;
    onFile?: () => void;
    /** Called with each part of the log. */
    onRecords?: () => void;
  },
  directory: string,
  signal?: AbortSignal,
): Promise<BackupReport> {
  const { store, keys, kept, data } = deps;
  await prepareTarget(directory, data);
  const layout = backupLayout(directory);
  const last = await readBackupMarker(directory);
  if (last && last.log !== store.id) {
    throw new BackupFault(directory, detail('backup-of-other-data', { log: last.log }));
  }
  const position = await store.head();
  // Before the files: of what is done by then nothing is copied.
  const rows = await keptData(kept);
  // What has rotted on the other disk must not end the service.
  await assertTablesReadable(layout.log);
  // Also keeps out a second backup into the same directory: a database has one process.
  const copy = await openLogCopy(layout.log, store.id);
  try {
    const before = copy.head().position;
    if (before > position || (await store.checksum(before)) !== copy.head().crc) {
      throw new BackupFault(directory, detail('backup-ahead'));
    }
    await copyRecords(deps, copy, position, signal);
    const isKnown = async (recordingId: string) =>
      (await copy.version(recordingStream(recordingId))) > 0;
    // What an interrupted run copied already counts from now on, and it is as much of the same log.
    const marker: BackupMarker = {
      mitschrift_backup: 1,
      log: store.id,
      position,
      files: await nextFiles(directory, last),
      at: new Date().toISOString(),
    };
    const files = await copyFiles(deps, layout.filesOf(marker), {
      signal,
      previous: last && layout.filesOf(last),
      isKnown,
    });
    await writeKeptData(layout.keptOf(marker), await ofKnown(rows, isKnown));
    const copied = { log: copy, files: layout.filesOf(marker), since: marker.at };
    await carryErasures(keys, layout.erasures, copied);
    await writeBackupMarker(directory, marker);
    await removeOthers(directory, marker);
    const facts = { facts: position, newFacts: position - before };
    const report: BackupReport = { directory, ...facts, files, at: marker.at };
    await writeDurably(join(data.root, lastBackupFile), `${JSON.stringify(report)}\n`);
    return report;
  } finally {
    await copy.close();
  }
}

/** Made again from the audio whenever it is missing. */
const derived = new Set<string>([...derivedFileNames, 'peaks']);

/*
 * A backup is a directory:
 *   backup.json        what is in it; replacing it is the moment from which a new backup counts
 *   log/, log.json     the log, records as they are; those after backup.json's position do not count
 *   erased.jsonl       subjects that were erased: their keys are not in here any more
 *   files-<n>/         keys/, recordings/, spaces/ and the other files, as they were; kept.jsonl: rows beside the log
 */

const markerSchema = z.object({
  mitschrift_backup: z.literal(1),
  log: z.string().min(1),
  /** Records up to here belong to it. */
  position: z.number().int().nonnegative(),
  /** Its directory of files. */
  files: z.string().regex(/^files-\d+$/),
  /** When, RFC 3339 UTC. */
  at: z.string(),
});
export type BackupMarker = z.infer<typeof markerSchema>;

/** Where things are in a backup. */
export const backupLayout = (directory: string) => ({
  log: join(directory, 'log'),
  erasures: join(directory, 'erased.jsonl'),
  filesOf: (marker: Pick<BackupMarker, 'files'>) => join(directory, marker.files),
  keptOf: (marker: Pick<BackupMarker, 'files'>) => join(directory, marker.files, keptDataFile),
});

/**
 * What the last complete backup in a directory is; undefined when there is none.
 * @throws {BackupFault} when there is one, but of a newer release or not readable
 */
export async function readBackupMarker(directory: string): Promise<BackupMarker | undefined> {
  const text = await readFile(join(directory, 'backup.json'), 'utf8').catch(ifMissing(undefined));
  if (text === undefined) return undefined;
  try {
    return markerSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new BackupFault(join(directory, 'backup.json'), detail('backup-marker-unreadable'), {
      cause,
    });
  }
}

/** From the moment this returns, the new backup is the one that counts. */
const writeBackupMarker = (directory: string, marker: BackupMarker): Promise<void> =>
  writeDurably(join(directory, 'backup.json'), `${JSON.stringify(marker)}\n`);

async function copyRecords(
  { store, onRecords }: { store: EventLog; onRecords?: () => void },
  copy: LogCopy,
  position: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const before = copy.head().position;
  try {
    for await (const page of store.records({ afterPosition: before, upToPosition: position })) {
      signal?.throwIfAborted();
      onRecords?.();
      await copy.append(page.map(({ json }) => json));
    }
  } catch (error) {
    // Looked at in the log's own way, so that its health knows of it too.
    if (error instanceof EventStoreError && error.code === 'DAMAGED') {
      await store.verify({ afterPosition: before, upToPosition: position });
    }
    throw error;
  }
}

/** What is promised of a recording of which no fact up to the position speaks is for the next backup, too. */
async function ofKnown(
  rows: readonly KeptRow[],
  isKnown: (recordingId: string) => Promise<boolean>,
): Promise<KeptRow[]> {
  const known: KeptRow[] = [];
  for (const row of rows) {
    const recordingId = recordingOfRow(row);
    if (recordingId === undefined || (await isKnown(recordingId))) known.push(row);
  }
  return known;
}

/** Keys, audio and documents after the log: whatever a fact in it speaks of was on the disk before. */
async function copyFiles(
  { data, onFile }: { data: DataFolder; onFile?: () => void },
  to: string,
  how: {
    signal: AbortSignal | undefined;
    previous: string | undefined;
    isKnown(recordingId: string): Promise<boolean>;
  },
): Promise<Copied> {
  const models = new Set(data.models.map((folder) => relative(data.root, folder)));
  return await copyTree(data.root, to, {
    previous: how.previous,
    async wanted(path) {
      how.signal?.throwIfAborted();
      onFile?.();
      const [top, second, third] = path.split('/');
      if (notInBackups.has(top ?? '') || models.has(path)) return false;
      // In spaces people keep files of their own.
      if (top === 'spaces' ? isTemporary(basename(path)) : path.endsWith('.tmp')) return false;
      if (top === 'keys') return second !== 'erased.jsonl';
      if (top !== 'recordings' || second === undefined) return true;
      if (third !== undefined) return !derived.has(third);
      // A recording of which no fact up to the position speaks is for the next backup.
      return await how.isKnown(second);
    },
  });
}

/**
 * After the files: of what was erased while they were copied, some are in the copy. Its documents are found with its key, which
 * `copyTree` took before them, by its name; so they go first. Also what is on the list already: a run that was interrupted put
 * it there, maybe before the key was destroyed.
 */
async function carryErasures(
  keys: KeyStore,
  path: string,
  copied: { log: LogCopy; files: string; since: string },
): Promise<void> {
  const list = await openErasureList(path);
  const erasures = await keys.erasures();
  const keyOf = (subject: string) => join(copied.files, 'keys', subject);
  const meanwhile = new Set<string>();
  // The key of what began meanwhile is not in the copy, its documents may be.
  for (const { subject, at } of erasures)
    if (at >= copied.since || (await exists(keyOf(subject)))) meanwhile.add(subject);
  if (meanwhile.size > 0) {
    const isErased = (subject: string) => meanwhile.has(subject);
    const erased = await erasedFiles(copied.log, copied.files, isErased);
    for (const document of erased.documents)
      await rm(join(copied.files, document), { force: true });
    await removeEmptied(copied.files, erased.folders);
  }
  for (const { subject, at } of erasures) {
    await rm(join(copied.files, 'recordings', subject), { recursive: true, force: true });
    // Not overwritten: the last backup may share the file, and counts until this one does.
    await rm(keyOf(subject), { force: true });
    if (!list.has(subject)) await list.add(subject, at);
  }
  for (const name of await readdir(join(copied.files, 'quarantine')).catch(ifMissing<string[]>([])))
    if (list.has(subjectOf(`quarantine/${name}`) ?? ''))
      await rm(join(copied.files, 'quarantine', name), { recursive: true, force: true });
}

/** Of earlier and unfinished backups; keys that are nowhere else are overwritten first. */
async function removeOthers(directory: string, marker: BackupMarker): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!/^files-\d+$/.test(name) || name === marker.files) continue;
    const old = join(directory, name, 'keys');
    for (const key of (await exists(old)) ? await readdir(old) : []) {
      if (!(await exists(join(directory, marker.files, 'keys', key))))
        await destroyKey(join(old, key));
    }
    await rm(join(directory, name), { recursive: true });
  }
}

async function destroyKey(path: string): Promise<void> {
  if (!(await exists(path))) return;
  await overwrite(path);
  await rm(path);
}

async function nextFiles(directory: string, last: BackupMarker | undefined): Promise<string> {
  const number = Number(last?.files.slice('files-'.length) ?? 0) + 1;
  const files = `files-${number}`;
  // Of a run that was interrupted: some of it may be half copied, so nothing of it is used.
  await rm(join(directory, files), { recursive: true, force: true });
  return files;
}

/** Makes the directory if need be. @throws {BackupFault} where no backup can be made into a directory */
export async function prepareTarget(directory: string, data: DataFolder): Promise<void> {
  await assertUsable(directory, data);
  await privateDirectory(directory).catch((cause: unknown) => {
    const fault = detail('backup-folder-not-writable', {
      cause: codeOf(cause) ?? messageOf(cause),
    });
    throw new BackupFault(directory, fault, { cause });
  });
}

async function assertUsable(directory: string, data: DataFolder): Promise<void> {
  const way = relative(data.root, resolve(directory));
  if (way === '' || !way.startsWith('..')) {
    throw new BackupFault(directory, detail('backup-in-data-directory'));
  }
  if (!(await exists(directory)) || (await readdir(directory)).length === 0) return;
  // Also the rest of a first backup that was interrupted before it counted.
  const ours = /^(backup\.json|log|log\.new|log\.json|erased\.jsonl|files-\d+|.*\.tmp)$/;
  const foreign = (await readdir(directory)).find(
    (name) => !ours.test(name) && name !== diskOwnFolder,
  );
  if (foreign === undefined) return;
  throw new BackupFault(directory, detail('backup-folder-in-use', { file: foreign }));
}
