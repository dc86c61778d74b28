import { reserveFile } from '../storage/disk.ts';
import { buildingFolders, diskOwnFolder } from './new-directory.ts';
import { openMarkFile, openingMarkFile } from './open-mark.ts';
import { scrubStateFile } from './scrub.ts';

/** What the last backup was: where, when, how much. */
export const lastBackupFile = 'last-backup.json';

/** Rows beside the log, among the files of a backup. */
export const keptDataFile = 'kept.jsonl';

/** Where files lie while `migrate` copies them, until they are whole. */
export const migratingFolder = '.migrating';

/**
 * Entries of a data directory that no backup or salvage copies. Everything else is copied, also what
 * later releases add, and resumable uploads that are not complete: each of their chunks was acknowledged.
 * The log is copied by its records, the list of erasures by its lines.
 */
export const notInBackups: ReadonlySet<string> = new Set([
  'log',
  'log.json',
  'log.new',
  'log.importing',
  'log.importing.new',
  'log.importing.json',
  keptDataFile,
  // Made again from the log.
  'rows',
  'rows.new',
  // Installed again, or downloaded.
  'models',
  // Not acknowledged.
  'uploads',
  // Of a copy that was interrupted.
  migratingFolder,
  // Of a restore or repair that was interrupted.
  ...buildingFolders,
  // Of the running process.
  'control.sock',
  'trigger.sock',
  'setup-code',
  openMarkFile,
  openingMarkFile,
  reserveFile,
  scrubStateFile,
  lastBackupFile,
  // Of a disk whose root the data directory is.
  diskOwnFolder,
]);
