import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeDurably } from '../../events/durable-file.ts';

/*
 * A backup is a directory:
 *   backup.json        what is in it; replacing it is the moment from which a new backup counts
 *   log/, log.json     the log, records as they are; those after backup.json's position do not count
 *   erased.jsonl       subjects that were erased: their keys are not in here any more
 *   files-<n>/         keys/, recordings/, spaces/ and the other files, as they were
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
});

/**
 * What the last complete backup in a directory is; undefined when there is none.
 * @throws {Error} when there is one, but of a newer release or not readable
 */
export async function readBackupMarker(directory: string): Promise<BackupMarker | undefined> {
  let text: string;
  try {
    text = await readFile(join(directory, 'backup.json'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return markerSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${join(directory, 'backup.json')} is damaged or of a newer release.`, {
      cause,
    });
  }
}

/** From the moment this returns, the new backup is the one that counts. */
export const writeBackupMarker = (directory: string, marker: BackupMarker): Promise<void> =>
  writeDurably(join(directory, 'backup.json'), `${JSON.stringify(marker)}\n`);
