import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfinementError, HeldDirectory, confinedSegments } from './confinement.ts';
import { comparable } from './file-names.ts';
import { hasCode, ifCode } from '../shared/errors.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import {
  type BucketSpace,
  entriesInBucket,
  readFromBucket,
  spaceInBucket,
} from './bucket-space.ts';
import { OversizedDocument, type StoredDocument, documentBytesMax } from './stored-document.ts';
import { ifMissing } from '../shared/files.ts';

export { ConfinementError } from './confinement.ts';
export { spaceInBucket } from './bucket-space.ts';
export { OversizedDocument, documentBytesMax } from './stored-document.ts';

/** Where a user's documents are: a folder, or names in a bucket. */
export type Space = FolderSpace | BucketSpace;

/** The folder `<data>/spaces/<user>/` where a user's documents are. */
export type FolderSpace = {
  /** Absolute, without links. */
  readonly root: string;
  /** The user's id, or `guest`. */
  readonly user: string;
};

/** Whether a space has no folder: none of it can be shown in a program of the desktop. */
export const isInBucket = (space: Space): space is BucketSpace => 'bucket' in space;

/**
 * Opens the spaces of users, where all of them are: in a folder wherever the store has files. What it returns
 * throws {ConfinementError}, as `openSpace`.
 */
export function spacesIn(blobs: Blobs): (user: string) => Promise<Space> {
  const spaces = blobs.pathOf('spaces');
  if (spaces !== null) return (user) => openSpace(dirname(spaces), user);
  return async (user) => {
    assertUser(user);
    return spaceInBucket(blobs, user);
  };
}

/**
 * The space of a user in a folder, made (0700) when there is none yet.
 * @throws {ConfinementError} the user's id is not a plain name, or the folder is a link
 */
export async function openSpace(dataDir: string, user: string): Promise<FolderSpace> {
  assertUser(user);
  const data = await HeldDirectory.open(await realpath(dataDir));
  try {
    const spaces = await data.enterOrMake('spaces');
    try {
      await (await spaces.enterOrMake(user)).close();
    } finally {
      await spaces.close();
    }
  } finally {
    await data.close();
  }
  return { root: join(await realpath(dataDir), 'spaces', user), user };
}

function assertUser(user: string): void {
  if (!/^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$/u.test(user)) throw new ConfinementError('outside');
}

/**
 * The absolute path of something in the space, whether it exists or not, for programs that are
 * handed a path. Reading, writing and deleting go through the functions that hold the folder open.
 * @throws {ConfinementError}
 */
export async function resolveInSpace(space: FolderSpace, filename: string): Promise<string> {
  const segments = confinedSegments(filename);
  await inFolder(space, segments, undefined, async (folder, name) => {
    const entry = await entryAt(folder, name);
    if (entry?.isSymbolicLink()) throw new ConfinementError('link');
  });
  return join(space.root, ...segments);
}

/**
 * A document by its path in the space; undefined when there is none.
 * @throws {ConfinementError}, {OversizedDocument}
 */
export async function readDocument(
  space: Space,
  filename: string,
): Promise<StoredDocument | undefined> {
  const segments = confinedSegments(filename);
  if (isInBucket(space)) return await readFromBucket(space, segments);
  return inFolder(space, segments, undefined, async (folder, name) => {
    const handle = await openFile(folder, name);
    if (handle === undefined) return undefined;
    try {
      const { size, mtime } = await handle.stat();
      if (size > documentBytesMax) throw new OversizedDocument();
      const bytes = await readUpTo(handle, size);
      return { bytes, sha256: hash('sha256', bytes, 'hex'), modifiedAt: mtime };
    } finally {
      await handle.close();
    }
  });
}

/** The base names in use in the space, to ask with any case (see `baseName`). */
export async function listTaken(space: Space): Promise<{ has(base: string): boolean }> {
  const names = await namesInSpace(space);
  const taken = new Set(names.map((name) => comparable(name.replace(/\.md$/iu, ''))));
  return { has: (base) => taken.has(comparable(base)) };
}

/** Names of all files and folders at the top of the space, and of anything else a person has put there. */
export async function namesInSpace(space: Space): Promise<string[]> {
  if (isInBucket(space)) return await entriesInBucket(space);
  const root = await HeldDirectory.open(space.root);
  try {
    return (await root.entries()).map(({ name }) => name);
  } finally {
    await root.close();
  }
}

/**
 * Calls back with the folder that holds the last of `segments`, held open; answers `absent` when a
 * folder on the way does not exist.
 */
export async function inFolder<T, A>(
  space: FolderSpace,
  segments: readonly string[],
  absent: A,
  use: (folder: HeldDirectory, name: string) => Promise<T>,
): Promise<T | A> {
  let folder = await HeldDirectory.open(space.root);
  try {
    for (const segment of segments.slice(0, -1)) {
      const below = await folder.enter(segment).catch(ifCode(undefined, 'ENOENT', 'ENOTDIR'));
      if (below === undefined) return absent;
      await folder.close();
      folder = below;
    }
    return await use(folder, segments.at(-1)!);
  } finally {
    await folder.close();
  }
}

/** What is at a name, links not followed; undefined when there is nothing. */
export const entryAt = (folder: HeldDirectory, name: string) =>
  lstat(folder.at(name)).catch(ifMissing(undefined));

/**
 * Opens an ordinary file for reading; undefined when there is none, or a folder.
 * @throws {ConfinementError} it is a link, or something that is not a file (a pipe, a device)
 */
export async function openFile(
  folder: HeldDirectory,
  name: string,
): Promise<FileHandle | undefined> {
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK opening a pipe would wait for a writer.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    handle = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (hasCode(error, 'ELOOP', 'EMLINK')) {
      throw new ConfinementError('link', { cause: error });
    }
    if (hasCode(error, 'ENXIO')) throw new ConfinementError('not-a-file', { cause: error });
    throw error;
  }
  const opened = await handle.stat();
  if (opened.isFile()) return handle;
  await handle.close();
  if (opened.isDirectory()) return undefined;
  throw new ConfinementError('not-a-file');
}

async function readUpTo(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** SHA-256 of a file in an open folder, in hex; undefined when there is none. @throws {ConfinementError} */
export async function hashAt(folder: HeldDirectory, name: string): Promise<string | undefined> {
  const handle = await openFile(folder, name);
  if (handle === undefined) return undefined;
  try {
    const sha256 = createHash('sha256');
    for await (const chunk of handle.createReadStream({ autoClose: false })) sha256.update(chunk);
    return sha256.digest('hex');
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file that is not there yet into an open folder, and syncs it.
 * @param before called before each step; tests stop the process there
 */
export async function writeNew(
  folder: HeldDirectory,
  name: string,
  bytes: Buffer,
  before: (step: 'write' | 'sync') => void = () => {},
): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = await open(folder.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    before('write');
    await handle.writeFile(bytes);
    before('sync');
    await handle.sync();
  } finally {
    await handle.close();
  }
}
