import * as z from 'zod';
import { open, readFile, readdir, rm, truncate, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../src/shared/errors.ts';
import {
  ifMissing,
  overwrite,
  privateDirectory,
  syncDirectory,
  writeDurably,
} from '../../src/shared/files.ts';
import { type Erasure, openKeys } from '../key-place.ts';
import { KeyError, type KeyStore } from '../key-store.ts';
import { isName } from '../facts/validation.ts';
import { mutex } from '../../src/shared/mutex.ts';
import { dataFailure } from '../../src/words/data-failures.ts';

/**
 * Keys in files of a directory, `<subject>` each, readable by their owner only. `erased.jsonl` beside them lists
 * the subjects whose keys were destroyed. One process at a time.
 * @param report called for each line of that list that cannot be read; the others count
 */
export async function openFileKeys(
  directory: string,
  report: (error: KeyError) => void = () => {},
): Promise<KeyStore> {
  await privateDirectory(directory);
  await removeUnfinished(directory);
  const erasures = await openErasureList(join(directory, erasuresFile), report);
  const keys = await openKeys({
    ...filesOf(directory),
    async make(subject, key) {
      await writeDurably(join(directory, subject), key);
      return true;
    },
    destroy: (subject) => destroy(directory, subject),
    isListed: async (subject) => erasures.has(subject),
    list: (subject) => erasures.add(subject),
    listed: async () => erasures.list(),
  });
  await keys.finishErasures();
  return keys;
}

/** Keys in a directory, only to be looked at: nothing is made or changed. */
export const filesOf = (directory: string) => ({
  read: (subject: string) => readFile(join(directory, subject)).catch(ifMissing(null)),
  async *names(): AsyncGenerator<string> {
    yield* await readdir(directory).catch(ifMissing([]));
  },
  pathOf: (subject: string) => join(directory, subject),
});

/** A crash while a key was written: nothing was encrypted with it yet. */
async function removeUnfinished(directory: string): Promise<void> {
  for (const file of await readdir(directory)) {
    if (file.endsWith('.tmp')) await rm(join(directory, file));
  }
}

/** Name of the list of erasures beside the keys. */
export const erasuresFile = 'erased.jsonl';

/** The subjects whose keys were destroyed on purpose. Held in memory: about 200 bytes each. */
export type ErasureList = {
  has(subject: string): boolean;
  list(): Erasure[];
  /** Durable when it returns; twice is once. `at`: when it was erased, for an erasure taken over from another list. */
  add(subject: string, at?: string): Promise<void>;
};

/**
 * Opens the list, a file of one JSON object a line. A last line torn by a crash is completed when
 * it names its subject, since that erasure was asked for, and removed when it does not: then
 * nothing had been destroyed.
 * @param report called for each other line that cannot be read and is left as it is; without it that is an error
 * @throws {KeyError} `DAMAGED` for such a line
 */
export async function openErasureList(
  path: string,
  report: (error: KeyError) => void = refuse,
): Promise<ErasureList> {
  const { found, unreadable, torn, bytes } = await readErasures(path);
  for (const line of unreadable)
    report(new KeyError('DAMAGED', dataFailure('erasures-unreadable', { line, path })));
  const erasures = new Map(found.map((erasure) => [erasure.subject, erasure]));
  let end = bytes - Buffer.byteLength(torn);
  /** One line at a time: each begins where the one before ends. */
  const inTurn = mutex();
  const append = (subject: string, at = new Date().toISOString()): Promise<void> =>
    inTurn(async () => {
      if (erasures.has(subject)) return;
      const erasure = { subject, at };
      end = await appendDurably(path, end, `${JSON.stringify(erasure)}\n`);
      erasures.set(subject, erasure);
    });
  if (torn !== '') {
    await truncate(path, end);
    const subject = /^\{"subject":"([A-Za-z0-9_-]+)"/.exec(torn)?.[1];
    if (subject !== undefined) await append(subject);
  }

  return {
    has: (subject) => erasures.has(subject),
    list: () => [...erasures.values()],
    add: append,
  };
}

/** What is in a list of erasures, and which lines cannot be read; changes nothing. `torn`: what stands behind its last line feed. */
export function erasuresIn(text: string): {
  found: Erasure[];
  unreadable: number[];
  torn: string;
  bytes: number;
} {
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  const found: Erasure[] = [];
  const unreadable: number[] = [];
  for (const [index, line] of lines.entries()) {
    const erasure = parseErasure(line);
    if (erasure) found.push(erasure);
    else unreadable.push(index + 1);
  }
  return { found, unreadable, torn, bytes: Buffer.byteLength(text) };
}

/** The same of a file; of none it is empty. */
export const readErasures = async (path: string) =>
  erasuresIn(await readFile(path, 'utf8').catch(ifMissing('')));

function refuse(error: KeyError): never {
  throw error;
}

async function destroy(directory: string, subject: string): Promise<void> {
  const path = join(directory, subject);
  try {
    await overwrite(path);
    await unlink(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  await syncDirectory(directory);
}

/** Appends a line at an offset and returns the next. What a failed attempt left there is cut off. */
async function appendDurably(path: string, offset: number, line: string): Promise<number> {
  const file = await open(path, 'a', 0o600);
  try {
    await file.truncate(offset);
    await file.writeFile(line);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncDirectory(dirname(path));
  return offset + Buffer.byteLength(line);
}

/** A line of the list of erasures; undefined for what cannot be read. */
export function parseErasure(line: string): Erasure | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  const erasure = erasureSchema.safeParse(parsed);
  return erasure.success ? erasure.data : undefined;
}

const erasureSchema = z.object({ subject: z.string().refine(isName), at: z.string() });
