import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateDirectory, writeDurably, ifMissing } from '../shared/files.ts';

/**
 * Which contents the service itself put into a vault, so that a note a person changed there is known
 * from one that is only old. Hashes of paths and of contents, no words. Losing it costs conflict
 * copies, never a note.
 */
export type VaultLedger = {
  /** Whether a file with this content (SHA-256) at this place is one we put there. */
  isOurs(path: string, sha256: string): boolean;
  /** Whether one of ours was ever put at this place. */
  knows(path: string): boolean;
  /** To be called, and awaited, before the file is written. */
  willWrite(path: string, sha256: string): Promise<void>;
  forget(path: string): Promise<void>;
};

/** Contents remembered of a place, and places of a user. The oldest are forgotten. */
const contentsMax = 8;
const placesMax = 30_000;

/** @throws errors of the file system; what cannot be read as a ledger counts as an empty one */
export async function openVaultLedger(
  dataDir: string,
  user: string,
  vault: string,
): Promise<VaultLedger> {
  const folder = join(dataDir, 'vault-copies');
  await privateDirectory(folder);
  const file = join(folder, `${user}.json`);
  const places = await readPlaces(file);
  const keyOf = (path: string): string =>
    createHash('sha256')
      .update(JSON.stringify([vault, path]))
      .digest('base64url');

  return {
    isOurs: (path, sha256) => places.get(keyOf(path))?.includes(sha256) ?? false,
    knows: (path) => places.has(keyOf(path)),
    async forget(path) {
      if (places.delete(keyOf(path))) await save();
    },
    async willWrite(path, sha256) {
      const key = keyOf(path);
      const before = places.get(key) ?? [];
      if (before.at(-1) === sha256) return;
      const contents = [...before.filter((one) => one !== sha256), sha256].slice(-contentsMax);
      places.delete(key);
      places.set(key, contents);
      if (places.size > placesMax) places.delete(places.keys().next().value!);
      await save();
    },
  };

  function save(): Promise<void> {
    return writeDurably(file, JSON.stringify(Object.fromEntries(places)));
  }
}

async function readPlaces(file: string): Promise<Map<string, string[]>> {
  const text = await readFile(file, 'utf8').catch(ifMissing('{}'));
  try {
    const entries = Object.entries<unknown>(JSON.parse(text));
    return new Map(entries.filter((entry): entry is [string, string[]] => Array.isArray(entry[1])));
  } catch {
    return new Map();
  }
}
