import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** A file or folder. */
export type Entry = {
  /** From the folder that was looked through. */
  name: string;
  path: string;
  /** What a file holds; of a folder nothing. */
  bytes: Buffer;
};

const looksMax = 20;

/**
 * All below a folder that a running service may write to. A file that is renamed or removed between listing and
 * reading may stand under its new name: then all is looked at again.
 * @throws {Error} ENOENT, when that happens each of 20 times.
 */
export async function filesBelow(root: string): Promise<Entry[]> {
  for (let look = 1; ; look += 1) {
    try {
      return await readAll(root);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || look === looksMax) throw error;
    }
  }
}

async function readAll(root: string): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const bytes = entry.isFile() ? await readFile(path) : Buffer.alloc(0);
    found.push({ name: relative(root, path), path, bytes });
  }
  return found;
}
