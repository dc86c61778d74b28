import { ulid } from 'ulid';
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { soleOwnership } from '../../../events/ownership.ts';
import { hasCode, ifCode } from '../../shared/errors.ts';
import {
  ifMissing,
  moveDurably,
  overwrite,
  privateDirectory,
  syncDirectory,
} from '../../shared/files.ts';
import { check } from '../../words/checks.ts';
import { dataFailure } from '../../words/data-failures.ts';
import { type CountedBytes, countBytes } from '../disk.ts';
import {
  type BlobBody,
  type BlobEntry,
  type BlobHead,
  type Blobs,
  BlobsError,
  type PutCondition,
  away,
  callMs,
  folderSegments,
  prefixSegments,
  segmentsOf,
  within,
  type Exclusively,
  exclusivelyBy,
} from './blobs.ts';

/** Where a body is written before it has its name: on the same file system. */
const unfinishedFolder = '.unfinished';
/** A small file is overwritten before it is unlinked: a key is then nowhere on most disks. */
const overwrittenMax = 4096;

type Store = {
  root: string;
  exclusively: Exclusively;
  /** Whether it may be away. */
  isShare: boolean;
};

/**
 * Blobs as files below a directory that all nodes have: directories 0700, files 0600, nothing outside of it. A file
 * appears whole under its name, by link or rename, and is durable with its folder when it is said to be stored.
 * @throws {BlobsError} `BLOBS_AWAY` when it cannot be used
 */
export async function openFileBlobs(directory: string, exclusively: Exclusively): Promise<Blobs> {
  await naming(directory, async () => {
    await privateDirectory(directory);
    await privateDirectory(join(directory, unfinishedFolder));
  });
  return fileBlobs(directory, { root: await realpath(directory), exclusively, isShare: true });
}

/** The same in the data directory of a process that is alone, or in a copy of one. Nothing is made until something is put. */
export const blobsOfOneProcess = (directory: string): Blobs =>
  fileBlobs(directory, {
    root: resolve(directory),
    exclusively: exclusivelyBy(soleOwnership()),
    isShare: false,
  });

function fileBlobs(where: string, store: Store): Blobs {
  const bounded = async <T>(work: () => Promise<T>, bytes = 0): Promise<T> =>
    store.isShare ? await within(callMs(bytes), where, () => naming(where, work)) : await work();
  return {
    async put(key, body, condition = {}) {
      const segments = segmentsOf(key);
      const bytes = body instanceof Uint8Array ? body.length : (await stat(body.path)).size;
      return await bounded(() => put(store, segments, body, condition), bytes);
    },
    async move(key, { path }) {
      const segments = segmentsOf(key);
      await bounded(() => move(store, segments, path), (await stat(path)).size);
    },
    async get(key, { range } = {}) {
      const file = await bounded(() => openBlob(store, segmentsOf(key)));
      if (file === null) return null;
      const head = headOf(await file.stat());
      const { start, end } = range ?? { start: 0, end: head.bytes - 1 };
      if (end < start) {
        await file.close();
        return { ...head, body: Readable.from([]) };
      }
      return { ...head, body: file.createReadStream({ start, end }) };
    },
    async head(key) {
      const file = await bounded(() => openBlob(store, segmentsOf(key)));
      if (file === null) return null;
      try {
        return headOf(await file.stat());
      } finally {
        await file.close();
      }
    },
    list: (prefix) => listFiles(store, prefixSegments(prefix), bounded),
    delete: (key) => bounded(() => remove(store, segmentsOf(key))),
    deleteAll: (prefix) => bounded(() => removeFolder(store, folderSegments(prefix))),
    async measure(prefix, signal) {
      const folder = join(store.root, ...prefixSegments(prefix));
      const measured = new Map<string, CountedBytes>();
      for (const name of await readdir(folder).catch(ifMissing([])))
        measured.set(name, await countBytes(join(folder, name), signal));
      return measured;
    },
    pathOf: (key) => join(store.root, ...segmentsOf(key)),
    removeUnfinished: (before) => bounded(() => removeUnfinished(store, before)),
    async close() {},
  };
}

async function put(
  store: Store,
  segments: string[],
  body: BlobBody,
  condition: PutCondition,
): Promise<boolean> {
  const { root, exclusively, isShare } = store;
  const path = join(root, ...segments);
  const temporary = join(root, unfinishedFolder, ulid());
  if (!isShare) await privateDirectory(dirname(temporary));
  try {
    await writeBody(temporary, body, condition.sha256);
    const folder = await folderFor(root, segments.slice(0, -1));
    if (condition.ifAbsent) {
      if (!(await linked(temporary, path))) return false;
    } else if (condition.ifMatch !== undefined) {
      const isSame = await exclusively(`blob:${segments.join('/')}`, async (lost) => {
        const present = await stat(path).catch(ifMissing(null));
        if (present === null || headOf(present).etag !== condition.ifMatch) return false;
        if (lost.aborted) throw away(root, 'claim-lost');
        await rename(temporary, path);
        return true;
      });
      if (!isSame) return false;
    } else await rename(temporary, path);
    await syncDirectory(folder);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** To another file system it is copied. */
async function move({ root }: Store, segments: string[], from: string): Promise<void> {
  await folderFor(root, segments.slice(0, -1));
  await moveDurably(from, join(root, ...segments));
}

/** The whole body, synced. @throws {BlobsError} `BLOBS_DIFFER` */
async function writeBody(path: string, body: BlobBody, sha256?: string): Promise<void> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    const chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array> =
      body instanceof Uint8Array ? [body] : createReadStream(body.path, { highWaterMark: 2 ** 20 });
    for await (const chunk of chunks) {
      if (sha256 !== undefined) hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  if (sha256 !== undefined && hash.digest('hex') !== sha256)
    throw new BlobsError('BLOBS_DIFFER', dataFailure('file-differs'));
}

/** Whether the name was free: it now is the file. */
const linked = (temporary: string, path: string): Promise<boolean> =>
  link(temporary, path).then(() => true, ifCode(false, 'EEXIST'));

/** The folder of a name, made durably where it is missing. @throws {BlobsError} a link leads out of the store */
async function folderFor(root: string, segments: readonly string[]): Promise<string> {
  let folder = root;
  for (const segment of segments) {
    const above = folder;
    folder = join(above, segment);
    const made = await mkdir(folder, { mode: 0o700 }).then(() => true, ifCode(false, 'EEXIST'));
    if (made) await syncDirectory(above);
  }
  await assertBelow(root, folder);
  return folder;
}

/** A folder at the top may be a link of the operator's, to a larger disk; below it none leads out. */
async function assertBelow(root: string, folder: string): Promise<void> {
  const top = join(root, relative(root, folder).split(sep, 1).join(''));
  const [real, within] = [await realpath(folder), await realpath(top)];
  if (real !== within && !real.startsWith(within + sep)) throw leadsOut(root);
}

const leadsOut = (place: string): BlobsError =>
  new BlobsError('BLOBS_REFUSED', check('files-link', { place }));

async function openBlob(store: Store, segments: string[]): Promise<FileHandle | null> {
  const path = join(store.root, ...segments);
  try {
    await assertBelow(store.root, dirname(path));
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return null;
  } catch (error) {
    if (hasCode(error, 'ELOOP')) throw leadsOut(store.root);
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return absent(store);
    throw error;
  }
}

/** Nothing is there, as long as the store is: of a share that is not mounted nothing would be there either. */
async function absent({ root, isShare }: Store): Promise<null> {
  if (isShare) await stat(join(root, unfinishedFolder));
  return null;
}

const headOf = (found: Awaited<ReturnType<typeof stat>>): BlobHead => ({
  bytes: Number(found.size),
  etag: `${found.ino}-${found.size}-${found.mtimeMs}-${found.ctimeMs}`,
  modifiedAt: found.mtime,
});

async function* listFiles(
  store: Store,
  segments: readonly string[],
  bounded: <T>(work: () => Promise<T>) => Promise<T>,
): AsyncGenerator<BlobEntry, void, void> {
  const folder = join(store.root, ...segments);
  const entries = await bounded(async () => {
    const found = await readdir(folder, { withFileTypes: true }).catch(
      ifCode(null, 'ENOENT', 'ENOTDIR'),
    );
    if (found === null) await absent(store);
    return found ?? [];
  });
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue;
    const below = [...segments, entry.name];
    if (entry.isDirectory()) yield* listFiles(store, below, bounded);
    if (!entry.isFile()) continue;
    const found = await bounded(() => stat(join(folder, entry.name)).catch(ifMissing(null)));
    if (found) yield { key: below.join('/'), bytes: found.size, modifiedAt: found.mtime };
  }
}

async function remove(store: Store, segments: string[]): Promise<void> {
  const path = join(store.root, ...segments);
  try {
    await assertBelow(store.root, dirname(path));
    const there = await lstat(path);
    if (there.isFile() && there.size <= overwrittenMax) await overwrite(path);
    await unlink(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    await absent(store);
    return;
  }
  await syncDirectory(dirname(path));
}

/** A link in the place of the folder goes, and nothing of what it leads to. */
async function removeFolder(store: Store, segments: string[]): Promise<void> {
  await absent(store);
  const path = join(store.root, ...segments);
  try {
    await assertBelow(store.root, dirname(path));
    await rm(path, { recursive: true, force: true });
    await syncDirectory(dirname(path));
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
}

async function removeUnfinished({ root }: Store, before: Date): Promise<number> {
  const folder = join(root, unfinishedFolder);
  let removed = 0;
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name)).catch(ifMissing(null));
    if (found === null || found.mtime >= before) continue;
    await rm(join(folder, name), { force: true });
    removed += 1;
  }
  return removed;
}

/** What a share says that is away, said as that; a full disk and the like stay what they are. */
async function naming<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hasCode(error, ...awayCodes)) throw error;
    throw away(where, 'directory', { cause: error });
  }
}

/** ENOENT: nothing that is missing comes through to here but the store itself. */
const awayCodes = [
  'ENOENT',
  'ENOTCONN',
  'ESTALE',
  'EIO',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'ENXIO',
] as const;
