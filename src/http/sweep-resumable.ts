import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from './if-missing.ts';
import { limits } from './limits.ts';

/**
 * Removes what is older than an upload may get: unfinished ones, and what reminded of finished ones.
 * @param now milliseconds since 1970
 * @returns how many files are gone
 */
export async function sweepResumable(directory: string, now: number): Promise<number> {
  const names = await readdir(directory).catch(ifMissing([]));
  let removed = 0;
  for (const name of names) {
    const path = join(directory, name);
    // The info is written once, when the upload begins; bytes without it are left of a removal.
    const begun = await stat(join(directory, `${name.slice(0, 32)}.json`))
      .catch(() => stat(path))
      .catch(ifMissing(undefined));
    if (!begun || now - begun.mtimeMs <= limits.resumableMs) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
