import { ulid } from 'ulid';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { hasCode } from '../../shared/errors.ts';
import { ifMissing, privateDirectory, syncDirectory } from '../../shared/files.ts';
import {
  type BlobBody,
  type BlobEntry,
  type BlobHead,
  type Blobs,
  BlobsError,
  type PutCondition,
  away,
  callMs,
  prefixSegments,
  segmentsOf,
  within,
} from './blobs.ts';
import type { Exclusively } from './exclusively.ts';

/** Where a body is written before it has its name: on the same file system. */
const unfinishedFolder = '.unfinished';
/** A small file is overwritten before it is unlinked: a key is then nowhere on most disks. */
const overwrittenMax = 4096;

type Store = { root: string; exclusively: Exclusively };

/**
 * Blobs as files below a directory that all nodes have: directories 0700, files 0600, nothing outside of it. A file
 * appears whole under its name, by link or rename, and is durable with its folder when it is said to be stored.
 * @throws {BlobsError} `BLOBS_AWAY` when it cannot be used
 */
export async function openFileBlobs(directory: string, exclusively: Exclusively): Promise<Blobs> {
  const unfinished = join(directory, unfinishedFolder);
  await naming(directory, async () => {
    await privateDirectory(directory);
    await privateDirectory(unfinished);
  });
  const store: Store = { root: await realpath(directory), exclusively };
  const where = directory;
  const bounded = <T>(work: () => Promise<T>, bytes = 0): Promise<T> =>
    within(callMs(bytes), where, () => naming(where, work));
  return {
    async put(key, body, condition = {}) {
      const segments = segmentsOf(key);
      const bytes = body instanceof Uint8Array ? body.length : (await stat(body.path)).size;
      return await bounded(() => put(store, segments, body, condition), bytes);
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
  const { root, exclusively } = store;
  const path = join(root, ...segments);
  const temporary = join(root, unfinishedFolder, ulid());
  try {
    await writeBody(temporary, body, condition.sha256);
    const folder = await folderFor(root, segments.slice(0, -1));
    if (condition.ifAbsent) {
      if (!(await linked(temporary, path))) return false;
    } else if (condition.ifMatch !== undefined) {
      const isSame = await exclusively(`blob:${segments.join('/')}`, async (lost) => {
        const present = await stat(path).catch(ifMissing(null));
        if (present === null || headOf(present).etag !== condition.ifMatch) return false;
        if (lost.aborted) throw away(root, 'the connection was lost meanwhile');
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
    throw new BlobsError(
      'BLOBS_DIFFER',
      'A file was not what it was said to be; it was not stored.',
    );
}

/** Whether the name was free: it now is the file. */
async function linked(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** The folder of a name, made durably where it is missing. @throws {BlobsError} a link leads out of the store */
async function folderFor(root: string, segments: readonly string[]): Promise<string> {
  let folder = root;
  for (const segment of segments) {
    const above = folder;
    folder = join(above, segment);
    const made = await mkdir(folder, { mode: 0o700 }).then(
      () => true,
      (error: unknown) => {
        if (hasCode(error, 'EEXIST')) return false;
        throw error;
      },
    );
    if (made) await syncDirectory(above);
  }
  await assertBelow(root, folder);
  return folder;
}

async function assertBelow(root: string, folder: string): Promise<void> {
  const real = await realpath(folder);
  if (real === root || real.startsWith(`${root}${sep}`)) return;
  throw new BlobsError('BLOBS_REFUSED', 'A link in the blob store leads out of it.');
}

async function openBlob(store: Store, segments: string[]): Promise<FileHandle | null> {
  const path = join(store.root, ...segments);
  try {
    await assertBelow(store.root, path);
    const file = await open(path, 'r');
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return null;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return absent(store);
    throw error;
  }
}

/** Nothing is there, as long as the store is: of a share that is not mounted nothing would be there either. */
async function absent(store: Store): Promise<null> {
  await stat(join(store.root, unfinishedFolder));
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
    const found = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
      throw error;
    });
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
  await overwrite(store, segments);
  try {
    await unlink(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    await absent(store);
    return;
  }
  await syncDirectory(join(path, '..'));
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

async function overwrite(store: Store, segments: string[]): Promise<void> {
  const present = await openBlob(store, segments);
  if (present === null) return;
  let size: number;
  try {
    ({ size } = await present.stat());
  } finally {
    await present.close();
  }
  if (size > overwrittenMax) return;
  const file = await open(join(store.root, ...segments), 'r+').catch(ifMissing(null));
  if (file === null) return;
  try {
    await file.write(Buffer.alloc(size), 0, size, 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What a share says that is away, said as that; a full disk and the like stay what they are. */
async function naming<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hasCode(error, ...awayCodes)) throw error;
    throw away(where, 'the directory is not there, or does not answer', error);
  }
}

/** ENOENT: nothing that is missing comes through to here but the store itself. */
const awayCodes = ['ENOENT', 'ENOTCONN', 'ESTALE', 'EIO', 'ETIMEDOUT', 'EHOSTDOWN', 'ENXIO'];
