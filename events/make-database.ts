import { Level } from 'level';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { privateDirectory, syncDirectory } from './durable-file.ts';

/**
 * Makes an empty database where there is none. LevelDB does not sync the first
 * manifest: a power cut in the first moments would leave a database that cannot be opened. So it is
 * made beside its place, synced, and renamed: after a cut it is there whole, or not at all.
 */
export async function makeDatabase(directory: string): Promise<void> {
  const found = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  // Something is there that nobody made this way: LevelDB is to look at it.
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
