import { rmdir, unlink } from 'node:fs/promises';
import { ConfinementError, confinedSegments } from './confinement.ts';
import { documentPaths } from './documents.ts';
import type { HeldDirectory } from './held-directory.ts';
import { entryAt, inFolder, type Space } from './space.ts';
import { hasCode } from './system-error.ts';
import { temporaryName } from './temporary-files.ts';

/**
 * Deletes a document, durably, with what a crash may have left of writing it; with an index
 * document the other two and their folder, unless a person keeps more in it. Returns the paths that
 * are gone now; none: there was no such document. The index goes last, so that an interrupted
 * deletion can be asked for again.
 * @throws {ConfinementError}
 */
export async function deleteDocument(space: Space, filename: string): Promise<string[]> {
  const segments = confinedSegments(filename);
  const base = segments.length === 1 ? /^(.+)\.md$/u.exec(filename)?.[1] : undefined;
  if (base === undefined) return deleteFile(space, filename);
  const { transcript, summary, index } = documentPaths(base);
  const deleted = [...(await deleteFile(space, transcript)), ...(await deleteFile(space, summary))];
  await inFolder(space, [base], undefined, removeIfEmpty);
  return [...deleted, ...(await deleteFile(space, index))];
}

async function deleteFile(space: Space, path: string): Promise<string[]> {
  return inFolder(space, confinedSegments(path), [], async (folder, name) => {
    const entry = await entryAt(folder, name);
    if (entry?.isSymbolicLink()) throw new ConfinementError('a symbolic link');
    const gone = entry?.isFile() ? await unlinked(folder, name) : false;
    const leftover = await unlinked(folder, temporaryName(path));
    if (gone || leftover) await folder.sync();
    return gone ? [path] : [];
  });
}

/** Whether there was something to unlink. */
async function unlinked(folder: HeldDirectory, name: string): Promise<boolean> {
  try {
    await unlink(folder.at(name));
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

async function removeIfEmpty(folder: HeldDirectory, name: string): Promise<void> {
  try {
    await rmdir(folder.at(name));
    await folder.sync();
  } catch (error) {
    // Not there; not ours alone; not a folder.
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error;
  }
}
