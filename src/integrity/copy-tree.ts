import { type Dirent, constants } from 'node:fs';
import { copyFile, link, lstat, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ifCode } from '../shared/errors.ts';
import { ifMissing, privateDirectory, syncDirectory, syncFile } from '../shared/files.ts';

/** What a copy took: files that were copied, those the last one already had, and the bytes of all of them. */
export type Copied = { copied: number; linked: number; size: number };

/**
 * Copies a tree of folders and plain files, durably, in the order of their names. A folder at the top may be a link,
 * to a larger disk; other links, and other things, are left out. A file that `previous` has with the same length and
 * time of change is linked from there instead, where the disk has such links: a copy of the copy costs a name. A file
 * of the source is never linked: damage to it must not reach the copy. What vanishes from the source meanwhile was
 * deleted by the service and is left out.
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
      ifMissing<Dirent[]>([]),
    );
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = join(path, entry.name);
      if (!(await wanted(below))) continue;
      const isElsewhere = path === '' && entry.isSymbolicLink();
      if (entry.isDirectory() || (isElsewhere && (await leadsToFolder(join(from, below))))) {
        await folder(below);
      } else if (entry.isFile()) await file(below);
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
      if (same && (await isLinked(join(previous, path), target))) {
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

/** @throws {Error} `ENOENT` when the link leads nowhere: what is behind it must not be left out unsaid */
const leadsToFolder = async (path: string): Promise<boolean> => (await stat(path)).isDirectory();

/** False on a disk that has no such links, as memory sticks, or at the end of how many it allows. */
const isLinked = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    ifCode(false, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV'),
  );
