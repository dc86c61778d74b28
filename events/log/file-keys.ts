import * as z from 'zod';
import { LRUCache } from 'lru-cache';
import { createHash, randomBytes } from 'node:crypto';
import { open, readFile, readdir, rm, truncate, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../src/shared/errors.ts';
import {
  ifMissing,
  privateDirectory,
  syncDirectory,
  writeDurably,
} from '../../src/shared/files.ts';
import { KeyError, type KeyStore } from '../key-store.ts';
import { isName } from '../facts/validation.ts';
import { mutex } from '../../src/shared/mutex.ts';
import { dataFailure } from '../../src/words/data-failures.ts';

/** Keys kept in memory; each takes about 200 bytes. */
const keysKept = 10_000;

/**
 * Keys in files of a directory, `<subject>` each, readable by their owner only: 4 bytes `MKEY`, one
 * byte of format (1), 32 bytes of key, and the SHA-256 of all that. `erased.jsonl` beside them lists
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
  // A crash between listing and destroying; the list came first, so it decides.
  const finishErasures = async (): Promise<void> => {
    for (const file of await readdir(directory))
      if (erasures.has(file)) await destroy(directory, file);
  };
  await finishErasures();

  const kept = new LRUCache<string, Buffer>({ max: keysKept });
  /** One change at a time: a key must not be made while it is being destroyed. */
  const inTurn = mutex();

  const find = async (subject: string): Promise<Buffer | 'erased'> => {
    assertSubject(subject);
    if (erasures.has(subject)) return 'erased';
    const known = kept.get(subject);
    if (known) return known;
    const key = await readKeyFile(directory, subject).catch((error: unknown) => {
      if (erasures.has(subject)) return 'erased' as const;
      throw error;
    });
    // It may have been destroyed while it was read.
    if (key === 'erased' || erasures.has(subject)) return 'erased';
    kept.set(subject, key);
    return key;
  };

  return {
    find,
    async obtain(subject, isNew) {
      assertSubject(subject);
      const known = kept.get(subject);
      if (known) return known;
      return inTurn(async () => {
        const found = await find(subject).catch(async (error: unknown) => {
          const missing = error instanceof KeyError && error.code === 'MISSING';
          if (!missing || (isNew !== undefined && !(await isNew()))) throw error;
          return undefined;
        });
        if (found === 'erased') {
          throw new KeyError('ERASED', dataFailure('key-destroyed', { subject }));
        }
        if (found) return found;
        const key = newKey();
        await writeDurably(join(directory, subject), encodeKey(key));
        kept.set(subject, key);
        return key;
      });
    },
    async forget(subject) {
      assertSubject(subject);
      await inTurn(async () => {
        if (!erasures.has(subject)) await erasures.add(subject);
        kept.delete(subject);
        // Also where it was listed before: what failed then is done now.
        await destroy(directory, subject);
      });
    },
    finishErasures: () => inTurn(finishErasures),
    isErased: (subject) => erasures.has(subject),
    erasures: async () => erasures.list(),
  };
}

/** A crash while a key was written: nothing was encrypted with it yet. */
async function removeUnfinished(directory: string): Promise<void> {
  for (const file of await readdir(directory)) {
    if (file.endsWith('.tmp')) await rm(join(directory, file));
  }
}

/** Name of the list of erasures beside the keys. */
export const erasuresFile = 'erased.jsonl';

/** A key as its file has it. */
export function encodeKey(key: Buffer): Buffer {
  const head = Buffer.concat([magic, key]);
  return Buffer.concat([head, createHash('sha256').update(head).digest()]);
}

/** The key that a file has; null: the file is not as it was written. */
export function decodeKey(file: Buffer): Buffer | null {
  const key = Buffer.from(file.subarray(magic.length, magic.length + keyLength));
  return encodeKey(key).equals(file) ? key : null;
}

/** A new key. */
export const newKey = (): Buffer => randomBytes(keyLength);

const magic = Buffer.from('MKEY\u0001', 'latin1');
const keyLength = 32;

/**
 * The key in a subject's file, whatever is kept in memory or listed as erased.
 * @throws {KeyError} `MISSING`, `DAMAGED`
 */
export async function readKeyFile(directory: string, subject: string): Promise<Buffer> {
  const path = join(directory, subject);
  const bytes = await readFile(path).catch((cause: unknown) => {
    if (!hasCode(cause, 'ENOENT')) throw cause;
    throw new KeyError('MISSING', dataFailure('key-lost', { subject, path }), { cause });
  });
  const key = decodeKey(bytes);
  if (key) return key;
  throw new KeyError('DAMAGED', dataFailure('key-damaged', { subject, path }));
}

export type Erasure = { subject: string; at: string };

/** The subjects whose keys were destroyed on purpose. Held in memory: about 200 bytes each. */
export type ErasureList = {
  has(subject: string): boolean;
  list(): Erasure[];
  /** Durable when it returns. `at`: when it was erased, for an erasure taken over from another list. */
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
  const append = async (subject: string, at = new Date().toISOString()): Promise<void> => {
    const erasure = { subject, at };
    end = await appendDurably(path, end, `${JSON.stringify(erasure)}\n`);
    erasures.set(subject, erasure);
  };
  if (torn !== '') {
    await truncate(path, end);
    const subject = /^\{"subject":"([A-Za-z0-9_-]+)"/.exec(torn)?.[1];
    if (subject !== undefined && !erasures.has(subject)) await append(subject);
  }

  return {
    has: (subject) => erasures.has(subject),
    list: () => [...erasures.values()],
    add: append,
  };
}

/** What is in a list of erasures, and which lines cannot be read; changes nothing. `torn`: what stands behind its last line feed. */
export async function readErasures(
  path: string,
): Promise<{ found: Erasure[]; unreadable: number[]; torn: string; bytes: number }> {
  const text = await readFile(path, 'utf8').catch(ifMissing(''));
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

function refuse(error: KeyError): never {
  throw error;
}

/** Overwrites before unlinking: on most disks that leaves the key nowhere, on others it does no harm. */
async function destroy(directory: string, subject: string): Promise<void> {
  const path = join(directory, subject);
  try {
    const file = await open(path, 'r+');
    try {
      await file.write(randomBytes((await file.stat()).size), 0, undefined, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await unlink(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  await syncDirectory(directory);
}

/** @throws {TypeError} */
export function assertSubject(subject: string): void {
  if (!isName(subject)) throw new TypeError(`"${subject}" cannot name a subject`);
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
