import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing, privateDirectory, writeDurably } from '../shared/files.ts';
import { type Limited, mutex } from '../shared/mutex.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';

/** Where is kept what the service knows of its copies. */
export type CopyRecords = { dataDir: string; kept: Kept };

/** A user's ledger is read, changed and written as a whole: by one at a time. */
export function oneAtATime<T>(user: string, work: () => Promise<T>): Promise<T> {
  const alone = ledgers.get(user) ?? mutex();
  ledgers.set(user, alone);
  return alone(work);
}

/** One for each user whose documents were copied; there are few. */
const ledgers = new Map<string, Limited>();

/** A place in a vault, as it is remembered: without a word of its path. */
export const placeOf = (vault: string, path: string): string =>
  createHash('sha256')
    .update(JSON.stringify([vault, path]))
    .digest('base64url');

/** Copies that are to be removed, by `<user>/<place>`, with the vault that they are in as it was set. */
const leaving: KeptKind<string> = {
  name: 'leaving-copies',
  endsAt: () => null,
  volatileMax: null,
  keys: 'plain',
};

/** Places of which copies are still to be removed. What was there is erased: no name of it is known any more. */
export function leavingCopies(kept: Kept) {
  const rows = kept.of(leaving);
  const keysOf = (user: string, places: readonly string[]) =>
    places.map((place) => `${user}/${place}`);
  return {
    async add(user: string, vault: string, paths: readonly string[]): Promise<void> {
      const keys = keysOf(
        user,
        paths.map((path) => placeOf(vault, path)),
      );
      await rows.change(keys, () => ({ keep: keys.map(() => vault), result: undefined }));
    },
    async list(user?: string): Promise<{ user: string; place: string; vault: string }[]> {
      const found = await rows.list(user === undefined ? '' : `${user}/`);
      return found.map(({ key, value: vault }) => {
        const at = key.indexOf('/');
        return { user: key.slice(0, at), place: key.slice(at + 1), vault };
      });
    },
    async forget(user: string, places: readonly string[]): Promise<void> {
      if (places.length > 0) await rows.delete(keysOf(user, places));
    },
  };
}

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
  const keyOf = (path: string): string => placeOf(vault, path);

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
      for (const oldest of places.keys()) {
        if (places.size <= placesMax) break;
        places.delete(oldest);
      }
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
