import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Space } from '../documents/space.ts';

/**
 * The documents of a deleted user, where they were put aside: `<quarantine>/spaces/<id>-<time>`. They
 * are nobody's to read, but what is erased has to go from there too.
 */
export async function retiredSpacesOf(quarantineDir: string, user: string): Promise<Space[]> {
  const folder = join(quarantineDir, 'spaces');
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    },
  );
  const names = entries
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(`${user}-`))
    .map(({ name }) => name);
  if (names.length === 0) return [];
  const root = await realpath(folder);
  return names.map((name) => ({ root: join(root, name), user }));
}
