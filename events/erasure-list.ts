import { open, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from './durable-file.ts';
import { KeyError } from './keys.ts';
import { isName } from './validation.ts';

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
 * it names its subject, since somebody asked for that erasure, and removed when it does not: then
 * nothing had been destroyed.
 * @throws {KeyError} `DAMAGED` for another line that cannot be read
 */
export async function openErasureList(path: string): Promise<ErasureList> {
  const erasures = new Map<string, Erasure>();
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  for (const [index, line] of lines.entries()) {
    const erasure = parseErasure(line);
    if (!erasure) {
      const message = `Line ${index + 1} of the list of erasures cannot be read (${path}). Put the file back from a backup.`;
      throw new KeyError('DAMAGED', message);
    }
    erasures.set(erasure.subject, erasure);
  }
  let end = Buffer.byteLength(text) - Buffer.byteLength(torn);
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

function parseErasure(line: string): Erasure | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { subject, at } = (parsed ?? {}) as Partial<Erasure>;
  if (typeof subject !== 'string' || !isName(subject) || typeof at !== 'string') return undefined;
  return { subject, at };
}
