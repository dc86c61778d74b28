import { ulid } from 'ulid';
import { hasCode, ifCode } from './errors.ts';
import { constants, createReadStream } from 'node:fs';
import {
  type FileHandle,
  chmod,
  copyFile,
  cp,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createHash, randomBytes } from 'node:crypto';

/**
 * Writes a file so that after a crash there is the old one, or the whole new one: a temporary file
 * beside it, synced, renamed, and the directory synced. Readable by its owner only.
 */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/**
 * Puts a copy of a file, synced, in the place of what is there: under a name of its own until it is whole. In the
 * place of itself it is another file for all that open it from then on; who has the old one open writes to that.
 */
export async function copyDurably(path: string, to: string): Promise<void> {
  const copy = join(dirname(to), `.${ulid()}.part`);
  try {
    await copyFile(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await syncFile(copy);
    await rename(copy, to);
  } finally {
    await rm(copy, { force: true });
  }
  await syncDirectory(dirname(to));
}

/** Moves a file that is synced into the place of what is there; to another file system by a copy. */
export async function moveDurably(path: string, to: string): Promise<void> {
  await rename(path, to).catch(async (error: unknown) => {
    if (!hasCode(error, 'EXDEV')) throw error;
    await copyDurably(path, to);
    await rm(path, { force: true });
  });
  await syncDirectory(dirname(to));
}

/**
 * Moves a folder, durably, to where nothing is; to another file system by a copy. Of a copy that a crash interrupts a part
 * stays there: the original goes last.
 * @throws the system's errors
 */
export async function moveFolder(path: string, to: string): Promise<void> {
  await rename(path, to).catch(async (error: unknown) => {
    if (!hasCode(error, 'EXDEV')) throw error;
    try {
      await cp(path, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      await syncAllBelow(to);
    } catch (reason) {
      await rm(to, { recursive: true, force: true });
      throw reason;
    }
    await rm(path, { recursive: true, force: true });
  });
  await syncDirectory(dirname(to));
  await syncDirectory(dirname(path));
}

/** Makes a folder durable with all that is in it, and its name. */
async function syncAllBelow(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) await syncFile(join(entry.parentPath, entry.name));
  await syncDirectory(folder);
  await syncDirectory(dirname(folder));
}

/** Writes all of it: one write may be cut short, by a full disk for one, and the next is refused with the reason. */
export async function writeAt(
  file: FileHandle,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Writes other bytes over a file: what was there is then nowhere on most disks; on others that does no harm. */
export async function overwrite(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    await writeAt(file, randomBytes((await file.stat()).size), 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes what was written to a file durable, by any process. */
export async function syncFile(path: string): Promise<void> {
  // Read only: a copy of a read-only file is synced as well.
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes names created in, or removed from, a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** A directory that only its owner can enter, made durably when it is not there. @throws the system's errors */
export async function privateDirectory(path: string): Promise<void> {
  const first = await makeDirectories(path);
  await chmod(path, 0o700);
  if (first !== undefined) await syncDirectory(dirname(first));
}

/**
 * Makes a directory and those above it, one level after the other. Node's own `recursive` never ends where the parent
 * answers ENOENT to a new name, as /proc does (Node 20 to 24).
 * @returns the first that was made; undefined: all were there
 */
async function makeDirectories(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  const isThere = (at: string) => stat(at).then(() => true, ifMissing(false));
  // Ends at the root, which is there.
  for (let at = resolve(path); !(await isThere(at)); at = dirname(at)) missing.push(at);
  for (const directory of missing.toReversed()) {
    // Another may have made it meanwhile.
    await mkdir(directory, { mode: 0o700 }).catch(ifCode(undefined, 'EEXIST'));
  }
  if (!(await stat(path)).isDirectory()) throw new NotADirectory(path);
  return missing.at(-1);
}

/** As the system says it. */
class NotADirectory extends Error {
  override name = 'NotADirectory';
  readonly code = 'ENOTDIR';
  constructor(path: string) {
    super(`ENOTDIR: not a directory, ${path}`);
  }
}

/** Whether anything is at a path. What cannot be looked at is an error, not an absence. */
export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(() => true, ifMissing(false));

/** Bytes read at once. */
const chunkBytes = 1024 * 1024;

/** Takes in a file from its first byte on. */
export type FileHash = {
  update(chunk: Buffer): void;
  /** @param first the first bytes as they are now, where they changed after they were taken in */
  digest(first?: Buffer): string;
};

/**
 * A SHA-256 as facts write it: in hex, of all bytes in their order; or behind `first-44-last:`, where the first 44 bytes
 * are hashed after all others. A captured file is hashed while it grows, and its header is known last.
 * @param like a hash of that form, or the form alone
 */
export function fileHash(like = ''): FileHash {
  const [form = '', count = '0'] = /^first-(\d+)-last:/.exec(like) ?? [];
  const hash = createHash('sha256');
  let kept = Buffer.alloc(0);
  return {
    update(chunk) {
      const missing = Math.min(Number(count) - kept.length, chunk.length);
      if (missing > 0) kept = Buffer.concat([kept, chunk.subarray(0, missing)]);
      hash.update(chunk.subarray(missing));
    },
    digest: (first = kept) => form + hash.update(first).digest('hex'),
  };
}

/**
 * A file's SHA-256 and length; undefined when there is none.
 * @param options.like a hash that it is compared with: it is made in the same form
 * @param options.pause waited for after each chunk of 1 MiB, for work in the background.
 */
export async function hashFile(
  path: string,
  { like, pause = async () => {} }: { like?: string; pause?: () => Promise<void> } = {},
): Promise<{ sha256: string; bytes: number } | undefined> {
  const hash = fileHash(like);
  let bytes = 0;
  try {
    const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: chunkBytes });
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      await pause();
    }
  } catch (error) {
    return ifMissing(undefined)(error);
  }
  return { sha256: hash.digest(), bytes };
}

/** For `catch`: a default for a file or folder that is not there; any other error is thrown on. */
export const ifMissing = <T>(fallback: T) => ifCode(fallback, 'ENOENT');

/** Bytes that this process may still write to the disk of a folder, and of all of it. @throws the system's errors */
export async function diskAt(folder: string): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}
