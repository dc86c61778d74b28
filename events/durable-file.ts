import { chmod, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

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

/** Makes what was written to a file durable, whoever wrote it. */
export async function syncFile(path: string): Promise<void> {
  // Read only: a copy of a file that nobody may write is synced as well.
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

/** A directory that only its owner can enter, made durably when it is not there. */
export async function privateDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  if (first !== undefined) await syncDirectory(dirname(first));
}
