import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Bytes that resumable uploads under way will have when they are complete; of those whose length was
 * not told yet, the bytes that are there. 0 without the folder.
 * @param folder `<data>/resumable`: `<id>` holds the bytes, `<id>.json` the announced length as `size`
 */
export async function announcedBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of (await readdir(folder).catch(gone)) ?? []) {
    if (name.endsWith('.json')) continue;
    const there = await lstat(join(folder, name)).catch(gone);
    if (!there?.isFile()) continue;
    const info = await readFile(join(folder, `${name}.json`), 'utf8').catch(gone);
    bytes += Math.max(there.size, info === undefined ? 0 : sizeIn(info));
  }
  return bytes;
}

/** A file that says nothing of use is another's concern: the bytes that are there count. */
function sizeIn(text: string): number {
  try {
    const { size } = JSON.parse(text) as { size?: unknown };
    return typeof size === 'number' && size > 0 ? size : 0;
  } catch {
    return 0;
  }
}

function gone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
