import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../shared/files.ts';
import { type Limited, mutex } from '../shared/mutex.ts';
import type { Kept, KeptKind, KeptRows } from '../storage/kept.ts';

/** Where the service keeps what it knows of its copies. */
export type CopyRecords = { dataDir: string; kept: Kept };

/** What is there is looked at, and then replaced: by one at a time. */
export function oneAtATime<T>(user: string, work: () => Promise<T>): Promise<T> {
  const alone = ledgers.get(user) ?? mutex();
  ledgers.set(user, alone);
  return alone(work);
}

/** One for each user whose documents were copied; there are few. */
const ledgers = new Map<string, Limited>();

/** A place in a vault, as it is remembered: without a word of its path. */
export const hashedPlace = (vault: string, path: string): string =>
  createHash('sha256')
    .update(JSON.stringify([vault, path]))
    .digest('base64url');

/** Copies that are to be removed, by `<user>/<place>`, with the vault that they are in as it was set. */
export const leavingRows: KeptKind<string> = {
  name: 'leaving-copies',
  keys: 'plain',
};

/** Places of which copies are still to be removed. What was there is erased: no name of it is known any more. */
export function leavingCopies(kept: Kept) {
  const rows = kept.of(leavingRows);
  const keysOf = (user: string, places: readonly string[]) =>
    places.map((place) => `${user}/${place}`);
  return {
    async add(user: string, vault: string, paths: readonly string[]): Promise<void> {
      if (paths.length === 0) return;
      const keys = keysOf(
        user,
        paths.map((path) => hashedPlace(vault, path)),
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
  /** Whether one beside this place is. */
  isOursBeside(path: string, sha256: string): boolean;
  /** Whether one of ours was ever put at this place. */
  wasAt(path: string): boolean;
  /** Whether one of ours was ever put at this place, or beside what is there. */
  knows(path: string): boolean;
  /** Contents by path, in one write. To be called, and awaited, before the files are written. */
  remember(contents: ReadonlyMap<string, string>): Promise<void>;
  forget(path: string): Promise<void>;
};

/** Contents remembered of a place. The oldest are forgotten. */
const contentsMax = 8;

/** How a content is remembered that was put beside what is at a place. */
export const besideMark = (sha256: string): string => `beside:${sha256}`;

/** Contents that were put at a place, the newest last, by `<user>/<place>`. */
export const copyRows: KeptKind<string[]> = {
  name: 'vault-copies',
  keys: 'plain',
};

/**
 * @param vault as it was set
 * @param paths that it is asked for
 * @param root where the vault is: earlier releases remembered that
 */
export async function openVaultLedger(
  { dataDir, kept }: CopyRecords,
  user: string,
  vault: string,
  paths: readonly string[],
  root = vault,
): Promise<VaultLedger> {
  const rows = kept.of(copyRows);
  await takeOverFile(join(dataDir, 'vault-copies', `${user}.json`), user, rows);
  const keyOf = (path: string, folder = vault): string => `${user}/${hashedPlace(folder, path)}`;
  const keysOf = (path: string): string[] => [...new Set([keyOf(path), keyOf(path, root)])];
  const asked = paths.flatMap((path) => keysOf(path).map((key) => ({ path, key })));
  const places = new Map<string, string[]>();
  const keys = asked.map(({ key }) => key);
  const found = await rows.change(keys, (values) => ({ result: values }));
  for (const [n, { path }] of asked.entries()) {
    const contents = found[n];
    if (contents) places.set(path, [...contents, ...(places.get(path) ?? [])]);
  }
  /** The newest of its kind. */
  const last = (path: string, one: string) =>
    places.get(path)?.findLast((each) => isBeside(each) === isBeside(one));
  return {
    isOurs: (path, sha256) => places.get(path)?.includes(sha256) ?? false,
    isOursBeside: (path, sha256) => places.get(path)?.some(isOf(sha256)) ?? false,
    wasAt: (path) => places.get(path)?.some((one) => !isBeside(one)) ?? false,
    knows: (path) => places.has(path),
    async forget(path) {
      if (places.delete(path)) await rows.delete(keysOf(path));
    },
    async remember(contents) {
      const fresh = [...contents].filter(([path, one]) => last(path, one) !== one);
      if (fresh.length === 0) return;
      for (const [path, sha256] of fresh) {
        const others = (places.get(path) ?? []).filter((one) => one !== sha256);
        // Each kind by itself: what was put beside must not let it be forgotten that one was at the place.
        const all = [...others, sha256];
        const kinds = [all.filter((one) => !isBeside(one)), all.filter(isBeside)];
        places.set(
          path,
          kinds.flatMap((kind) => kind.slice(-contentsMax)),
        );
      }
      const changed = fresh.map(([path]) => path);
      await rows.change(
        changed.map((path) => keyOf(path)),
        () => ({ keep: changed.map((path) => places.get(path)), result: undefined }),
      );
    },
  };
}

const isBeside = (one: string): boolean => one.startsWith(besideMark(''));
const isOf = (sha256: string) => (one: string) => one === sha256 || one === besideMark(sha256);

/** Places of a ledger file that are taken over at once. */
const takenOver = 500;

/** In earlier releases a user's ledger was one file. What cannot be read as one counts as empty. */
async function takeOverFile(file: string, user: string, rows: KeptRows<string[]>): Promise<void> {
  const text = await readFile(file, 'utf8').catch(ifMissing(undefined));
  if (text === undefined) return;
  const places = placesIn(text);
  for (let first = 0; first < places.length; first += takenOver) {
    const some = places.slice(first, first + takenOver);
    await rows.change(
      some.map(([place]) => `${user}/${place}`),
      (values) => ({
        keep: some.map(([, contents], n) => values[n] ?? contents),
        result: undefined,
      }),
    );
  }
  await rm(file, { force: true });
}

function placesIn(text: string): [string, string[]][] {
  try {
    const entries = Object.entries<unknown>(JSON.parse(text));
    return entries.filter((entry): entry is [string, string[]] => Array.isArray(entry[1]));
  } catch {
    return [];
  }
}
