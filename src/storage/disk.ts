import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** What a walk found. `unread`: files and folders that it could not look at, whose bytes are not in. */
export type CountedBytes = { bytes: number; unread: number };

/** Folders are looked into so deep; ours are three deep. */
const depthMax = 64;

/**
 * Bytes of all plain files below a folder, by their lengths; 0 when it is not there. Links are neither
 * followed nor counted. Reads one entry after the other and holds none of them, so a large tree takes
 * long but nothing else; what changes meanwhile is counted or not.
 * @throws the signal's reason when aborted
 */
export async function countBytes(folder: string, signal?: AbortSignal): Promise<CountedBytes> {
  const counted: CountedBytes = { bytes: 0, unread: 0 };
  await walk(folder, 0);
  return counted;

  async function walk(path: string, depth: number): Promise<void> {
    if (depth > depthMax) {
      counted.unread += 1;
      return;
    }
    try {
      for await (const entry of await opendir(path)) {
        signal?.throwIfAborted();
        const below = join(path, entry.name);
        if (entry.isDirectory()) await walk(below, depth + 1);
        else if (entry.isFile()) counted.bytes += (await lstat(below).catch(missed))?.size ?? 0;
      }
    } catch (error) {
      signal?.throwIfAborted();
      missed(error);
    }
  }

  /** What has gone meanwhile takes no space; what may not be read is said, and the rest counted. */
  function missed(error: unknown): undefined {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return;
    if (code === undefined) throw error;
    counted.unread += 1;
  }
}
