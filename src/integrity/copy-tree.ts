import { constants } from 'node:fs';
import { copyFile, link, lstat, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing, privateDirectory, syncDirectory, syncFile } from '../shared/files.ts';

/** What a copy took: files that were copied, those the last one already had, and the bytes of all of them. */
export type Copied = { copied: number; linked: number; size: number };

/**
 * Copies a tree of folders and plain files, durably; links and other things are left out. A file that
 * `previous` has with the same length and time of change is linked from there instead: a copy of the
 * copy costs a name. A file of the source is never linked: damage to it must not reach the copy.
 * What vanishes from the source meanwhile was deleted by the service and is left out.
 *
 * @param wanted asked with the path below `from` of each entry
 */
export async function copyTree(
  from: string,
  to: string,
  options: {
    previous?: string | undefined;
    wanted?: (path: string) => boolean | Promise<boolean>;
  } = {},
): Promise<Copied> {
  const { previous, wanted = () => true } = options;
  const done: Copied = { copied: 0, linked: 0, size: 0 };
  await folder('');
  return done;

  async function folder(path: string): Promise<void> {
    await privateDirectory(join(to, path));
    const entries = await readdir(join(from, path), { withFileTypes: true }).catch(
      ifMissing(undefined),
    );
    for (const entry of entries ?? []) {
      const below = join(path, entry.name);
      if (!(await wanted(below))) continue;
      if (entry.isDirectory()) await folder(below);
      else if (entry.isFile()) await file(below);
    }
    await syncDirectory(join(to, path));
  }

  async function file(path: string): Promise<void> {
    const source = await lstat(join(from, path)).catch(ifMissing(undefined));
    if (!source) return;
    const target = join(to, path);
    if (previous !== undefined) {
      const before = await lstat(join(previous, path)).catch(ifMissing(undefined));
      const same =
        before?.isFile() === true &&
        before.size === source.size &&
        Math.abs(before.mtimeMs - source.mtimeMs) < sameTimeMs;
      if (same) {
        await link(join(previous, path), target);
        done.linked += 1;
        done.size += source.size;
        return;
      }
    }
    const copy = copyFile(join(from, path), target, constants.COPYFILE_FICLONE);
    if ((await copy.then(() => true).catch(ifMissing(undefined))) === undefined) return;
    await utimes(target, source.atime, source.mtime);
    await syncFile(target);
    done.copied += 1;
    done.size += source.size;
  }
}

/** Times are set with less precision than they are read. */
const sameTimeMs = 2;
