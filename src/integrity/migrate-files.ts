import { createWriteStream } from 'node:fs';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ulid } from 'ulid';
import { type DataFolder, derivedFileNames } from '../shared/data-directory.ts';
import { hashFile, ifMissing, moveDurably, privateDirectory, syncFile } from '../shared/files.ts';
import { inOrder } from '../shared/mutex.ts';
import { type Blobs, segmentsOf } from '../storage/blobs/blobs.ts';
import { hashBlob } from './kept-files.ts';
import { migratingFolder } from './not-in-backups.ts';

/** Files under names with slashes, as a data directory, a shared directory and a bucket have them alike. */
export interface MigratedFiles {
  /** All names below a folder. */
  list(folder: string): AsyncIterable<string>;
  /** SHA-256 of what is there; null: nothing is. */
  hash(name: string): Promise<string | null>;
  /** Copies a file of this machine there, durably. @throws {Error} when what arrives is not what was sent */
  put(name: string, from: string, sha256: string): Promise<void>;
  /** Works with the file on this machine's disk. */
  withPath<T>(name: string, work: (path: string) => Promise<T>): Promise<T>;
  remove(name: string): Promise<void>;
  /** Removes what an interrupted copy left. */
  tidy(): Promise<void>;
  /** Whether a file of that name can be there at all. */
  takes(name: string): boolean;
}

/** Folders that hold what facts name, and what was put aside. */
const folders = ['keys', 'recordings', 'spaces', 'quarantine'] as const;
/** `left`: they have no place there, and stay where they are. */
export type FilesMigrated = { copied: number; present: number; left: number };

/**
 * Copies every file from one place to the other that is not there yet, by its hash: again as often as need be.
 * The source is only read. What is derived from audio is left out: it is made again.
 */
export async function migrateFiles(
  from: MigratedFiles,
  to: MigratedFiles,
  say: (text: string) => void,
): Promise<FilesMigrated> {
  await inOrder([from.tidy, to.tidy]);
  try {
    return await copyMissing(from, to, say);
  } finally {
    await inOrder([from.tidy, to.tidy]);
  }
}

async function copyMissing(
  from: MigratedFiles,
  to: MigratedFiles,
  say: (text: string) => void,
): Promise<FilesMigrated> {
  const all = { copied: 0, present: 0, left: 0 };
  for (const folder of folders) {
    const before = { ...all };
    for await (const name of from.list(folder)) {
      if (isDerived(name)) continue;
      if (!to.takes(name)) {
        all.left += 1;
        continue;
      }
      const isCopied = await from.withPath(name, (path) => migrateFile(name, path, to));
      all[isCopied ? 'copied' : 'present'] += 1;
      if (all.copied % sayEvery === sayEvery - 1) say(`${folder}: ${all.copied} files copied`);
    }
    const [copied, present] = [all.copied - before.copied, all.present - before.present];
    const left = all.left - before.left;
    say(
      `${folder}: ${copied} files copied, ${present} already there` +
        (left > 0 ? `, ${left} not copied because a bucket can’t store them` : ''),
    );
  }
  return all;
}

/** Files between two lines of progress. */
const sayEvery = 1000;

async function migrateFile(name: string, path: string, to: MigratedFiles): Promise<boolean> {
  const hashed = await hashFile(path);
  if (hashed === undefined) throw new Error(`${name} disappeared while it was copied.`);
  if ((await to.hash(name)) === hashed.sha256) return false;
  await to.put(name, path, hashed.sha256);
  return true;
}

const derived: ReadonlySet<string> = new Set(derivedFileNames);
const isDerived = (name: string): boolean =>
  name.startsWith('recordings/') && derived.has(name.slice(name.lastIndexOf('/') + 1));

/** The files of a data directory, or of a directory that nodes share. */
export function filesOfFolder(data: Pick<DataFolder, 'shared'>): MigratedFiles {
  const pathOf = (name: string) => join(data.shared, name);
  const hash = async (name: string) => (await hashFile(pathOf(name)))?.sha256 ?? null;
  return {
    list: (folder) => filesBelow(data.shared, folder),
    hash,
    withPath: (name, work) => work(pathOf(name)),
    async put(name, from, sha256) {
      await privateDirectory(dirname(pathOf(name)));
      await privateDirectory(join(data.shared, migratingFolder));
      const temporary = join(data.shared, migratingFolder, ulid());
      await copyFile(from, temporary);
      if ((await hashFile(temporary))?.sha256 !== sha256) throw changed(name);
      await syncFile(temporary);
      await moveDurably(temporary, pathOf(name));
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    async tidy() {
      await rm(join(data.shared, migratingFolder), { recursive: true, force: true });
      // As 888c70e left them when it was killed, beside the files themselves.
      for (const folder of folders)
        for await (const name of filesBelow(data.shared, folder, isLeftByCopy))
          await rm(pathOf(name), { force: true });
    },
    takes: () => true,
  };
}

/** The files in a bucket. @param scratch folder of this machine for what is read */
export function filesOfBlobs(blobs: Blobs, scratch: string): MigratedFiles {
  return {
    async *list(folder) {
      for await (const { key } of blobs.list(`${folder}/`)) yield key;
    },
    hash: async (name) => (await hashBlob(blobs, name))?.sha256 ?? null,
    async put(name, from, sha256) {
      await blobs.put(name, { path: from }, { sha256 });
    },
    async withPath(name, work) {
      const found = await blobs.get(name);
      if (found === null) throw new Error(`${name} disappeared while it was copied.`);
      await privateDirectory(join(scratch, migratingFolder));
      const path = join(scratch, migratingFolder, ulid());
      try {
        await pipeline(found.body, createWriteStream(path, { mode: 0o600 }));
        return await work(path);
      } finally {
        await rm(path, { force: true });
      }
    },
    remove: (name) => blobs.delete(name),
    tidy: () => rm(join(scratch, migratingFolder), { recursive: true, force: true }),
    // Nothing looks after a quarantine there; hidden files are people's, and of no user of the service.
    takes: (name) => !name.startsWith('quarantine/') && isKey(name),
  };
}

function isKey(name: string): boolean {
  try {
    segmentsOf(name);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

const changed = (name: string) =>
  new Error(`${name} changed while it was copied. Stop Mitschrift first.`);

const isLeftByCopy = (name: string): boolean => name.startsWith('.migrating-');

/** Regular files alone: no link leads out. What an interrupted copy left is none of them. */
async function* filesBelow(
  root: string,
  folder: string,
  wanted = (name: string) => !isLeftByCopy(name),
): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(ifMissing(null));
  for (const entry of entries ?? []) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, name, wanted);
    else if (entry.isFile() && wanted(entry.name)) yield name;
  }
}
