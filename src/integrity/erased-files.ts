import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openContent } from '../../events/content-cipher.ts';
import type { ErasureList } from '../../events/erasure-list.ts';
import { readKeyFile } from '../../events/file-keys.ts';
import { KeyError } from '../../events/keys.ts';
import type { LogCopy } from '../../events/log-copy.ts';
import { rawRecords } from '../../events/raw-records.ts';

/** Documents of what was erased, by their paths below the data directory, and the folders they were in. */
export type ErasedFiles = { documents: ReadonlySet<string>; folders: ReadonlySet<string> };

/**
 * Finds the documents of erased recordings in a log, with the keys that a backup still has of them:
 * their names are content. Where the key is gone, so are the documents, since both go together.
 */
export async function erasedFiles(
  log: LogCopy,
  keysDirectory: string,
  list: ErasureList,
): Promise<ErasedFiles> {
  const owners = new Map<string, Set<string>>();
  const documents = new Set<string>();
  const folders = new Set<string>();
  for await (const page of rawRecords(log.db, 0, log.head().position)) {
    for (const { fact } of page) {
      const { subject, content, stream, type } = fact;
      const { owner } = fact.data as { owner?: unknown };
      if (subject === undefined && typeof owner !== 'string') continue;
      const recordingId = stream.replace(/^recording-/, '');
      if (!list.has(recordingId)) continue;
      const known = owners.get(recordingId) ?? new Set<string>();
      owners.set(recordingId, known);
      if (typeof owner === 'string') known.add(owner);
      if (type !== 'documents.saved' || content === undefined) continue;
      const key = await readKeyFile(keysDirectory, recordingId).catch(unusable);
      if (!key) continue;
      const opened = (await openContent(key, fact, content)) as { paths: Record<string, string> };
      for (const space of known) {
        for (const path of Object.values(opened.paths)) {
          documents.add(join('spaces', space, path));
          if (path.includes('/')) folders.add(join('spaces', space, dirname(path)));
        }
      }
    }
  }
  return { documents, folders };
}

/** Removes folders of erased documents, whose names are titles, unless a person keeps files there. */
export async function removeEmptied(root: string, folders: Iterable<string>): Promise<void> {
  for (const folder of folders) {
    await rmdir(join(root, folder)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTEMPTY') throw error;
    });
  }
}

function unusable(error: unknown): undefined {
  if (error instanceof KeyError) return undefined;
  throw error;
}
