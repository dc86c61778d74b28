import { execFile } from 'node:child_process';
import {
  link,
  lstat,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  truncate,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Random } from '../support/seeded.ts';

/** A directory whose power can be cut: `root` is what a process works on, watched by `power.c`. */
export type Powered = {
  /** Holds `root` as `data`, and what the harness needs. */
  folder: string;
  root: string;
  /** Environment of the process; it is killed before its n-th operation, or never when 0. */
  env(dieAt: number): Promise<Record<string, string>>;
  /**
   * Does to the files of the dead process what a power cut may have done; returns what was taken back.
   * Without `random` as much as possible is lost.
   *
   * The file system that is simulated: contents are safe up to the size at their last sync, behind
   * that there may be some, zeros, or nothing. Names made, moved or removed in a directory become
   * durable in order (ext4, XFS, btrfs), with the directory's sync; a new file's name also with its own.
   */
  cut(random?: Random): Promise<{ names: number; bytes: number }>;
};

/** Compiles one of the C sources beside this file to a library for LD_PRELOAD; returns its path. */
export async function preloadable(source: string, folder: string): Promise<string> {
  const library = join(folder, `${source}.so`);
  const path = join(import.meta.dirname, source);
  await promisify(execFile)('gcc', ['-shared', '-fPIC', '-O1', '-o', library, path, '-ldl']);
  return library;
}

export async function powered(folder: string): Promise<Powered> {
  const root = join(folder, 'data');
  const trash = join(folder, 'trash');
  const journal = join(folder, 'journal');
  const library = await preloadable('power.c', folder);
  let sizesBefore = new Map<number, number>();
  await mkdir(root);
  return {
    folder,
    root,
    async env(dieAt) {
      sizesBefore = new Map((await filesBelow(root)).map(({ inode, size }) => [inode, size]));
      await rm(trash, { recursive: true, force: true });
      await rm(journal, { force: true });
      await mkdir(trash);
      return {
        LD_PRELOAD: library,
        POWER_ROOT: root,
        POWER_TRASH: trash,
        POWER_JOURNAL: journal,
        POWER_DIE_AT: String(dieAt),
      };
    },
    async cut(random) {
      const operations = (await readFile(journal, 'utf8')).split('\n').slice(0, -1).map(parse);
      const lost = notDurable(operations, random);
      for (const operation of lost.toReversed()) await undo(operation, trash);
      const synced = new Map(sizesBefore);
      for (const { kind, inode, size } of operations) if (kind === 'S') synced.set(inode, size);
      let bytes = 0;
      for (const file of await filesBelow(root)) {
        bytes += await forget(file, synced.get(file.inode) ?? 0, random);
      }
      return { names: lost.length, bytes };
    },
  };
}

/** S: file synced, D: directory synced, C: file made, M: directory made, R: renamed, U: unlinked. */
type Operation = {
  kind: 'S' | 'D' | 'C' | 'M' | 'R' | 'U';
  path: string;
  /** R: the old name. */
  from: string;
  /** S and C. */
  inode: number;
  /** S: the size that was synced. */
  size: number;
  /** R and U: under which number what was there is kept; 0: nothing was. */
  kept: number;
};

function parse(line: string): Operation {
  const [kind, first = '', second = '', third = ''] = line.split('\t');
  const none = { path: first, from: '', inode: 0, size: 0, kept: 0 };
  switch (kind) {
    case 'S':
      return { ...none, kind, inode: Number(second), size: Number(third) };
    case 'C':
      return { ...none, kind, inode: Number(second) };
    case 'D':
    case 'M':
      return { ...none, kind };
    case 'R':
      return { ...none, kind, path: second, from: first, kept: Number(third) };
    case 'U':
      return { ...none, kind, kept: Number(second) };
    default:
      throw new Error(`not an operation: ${line}`);
  }
}

/** The changes of names that the cut takes back: of each directory the last ones. */
function notDurable(operations: Operation[], random: Random | undefined): Operation[] {
  /** Up to which operation each directory's names are durable. */
  const safe = new Map<string, number>();
  const made = new Map<string, number>();
  const secure = (directory: string, index: number) =>
    safe.set(directory, Math.max(safe.get(directory) ?? -1, index));
  for (const [index, { kind, path }] of operations.entries()) {
    if (kind === 'C' || kind === 'M') made.set(path, index);
    if (kind === 'D') secure(path, index);
    if (kind !== 'D' && kind !== 'S') continue;
    // With what is synced, the way there is: its own name and the directories above it, when new.
    for (let at = path; at !== dirname(at); at = dirname(at)) {
      const index = made.get(at);
      if (index !== undefined) secure(dirname(at), index);
    }
  }
  const endangered = new Map<string, number[]>();
  for (const [index, { kind, path }] of operations.entries()) {
    if (kind === 'S' || kind === 'D' || index <= (safe.get(dirname(path)) ?? -1)) continue;
    endangered.set(dirname(path), [...(endangered.get(dirname(path)) ?? []), index]);
  }
  const lost = [...endangered.values()].flatMap((of) =>
    of.slice(random ? random.below(of.length + 1) : 0),
  );
  return lost.toSorted((a, b) => a - b).map((index) => operations[index]!);
}

async function undo({ kind, path, from, inode, kept }: Operation, trash: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (kind === 'C' && found?.ino === inode) await rm(path);
  if (kind === 'M') await rm(path, { recursive: true, force: true });
  if (kind === 'R' && found) await rename(path, from);
  if ((kind === 'R' || (kind === 'U' && !found)) && kept > 0) {
    // A directory that was removed when it was empty is there as long as that name is.
    await mkdir(dirname(path), { recursive: true });
    await link(join(trash, String(kept)), path);
  }
}

type File = { path: string; inode: number; size: number };

async function filesBelow(root: string): Promise<File[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const { ino, size } = await stat(path);
        return { path, inode: ino, size };
      }),
  );
}

/** Takes away what was not synced of a file, all or some of it; returns how many bytes that were. */
async function forget({ path, size }: File, synced: number, random?: Random): Promise<number> {
  if (size <= synced) return 0;
  const left = synced + (random ? random.below(size - synced + 1) : 0);
  await truncate(path, left);
  if (left > synced && random?.chance(0.4)) {
    // The size had reached the disk, the contents had not.
    const file = await open(path, 'r+');
    try {
      await file.write(Buffer.alloc(left - synced), 0, left - synced, synced);
    } finally {
      await file.close();
    }
  }
  return size - left;
}
