import { detail } from '../words/details.ts';
import type { Sentence } from '../words/params.ts';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath, rename, rmdir, unlink, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConfinementError, HeldDirectory, confinedSegments } from './confinement.ts';
import { documentPaths } from './documents.ts';
import { nameBytesMax } from './file-names.ts';
import { type Space, entryAt, inFolder, openFile, readDocument } from './space.ts';
import { SaidError, hasCode, ifCode } from '../shared/errors.ts';
import { type Limited, mutex } from '../shared/mutex.ts';
import { temporaryName } from './write.ts';
import { privateDirectory, writeDurably, ifMissing } from '../shared/files.ts';

/** A vault that cannot be used; HTTP answers 503 with the sentence. */
export class NoVault extends SaidError<'NO_VAULT'> {
  override name = 'NoVault';
  constructor(said: Sentence, options?: ErrorOptions) {
    super('NO_VAULT', said, options);
  }
}

/** A document that was changed in the vault: it was kept, ours is beside it. Paths below the vault. */
type Conflict = { path: string; copy: string };

/**
 * The documents to take along: those given, and where only an index is given its transcript and summary
 * too. The index goes last, so that its links lead somewhere.
 * @throws {ConfinementError} a path is none of a space
 */
export function withSiblings(paths: readonly string[]): string[] {
  const all = new Set<string>();
  const last: string[] = [];
  for (const path of paths) {
    const base = confinedSegments(path).length === 1 ? /^(.+)\.md$/u.exec(path)?.[1] : undefined;
    if (base === undefined) {
      all.add(path);
      continue;
    }
    last.push(path);
    const { transcript, summary } = documentPaths(base);
    if (paths.includes(transcript) || paths.includes(summary)) continue;
    all.add(transcript);
    all.add(summary);
  }
  return [...all, ...new Set(last)];
}

/**
 * Copies documents of a space into the vault, under the same paths. A note that a person changed in the
 * vault is never touched; ours is written beside it, once for each content. A crash leaves each note
 * whole, old or new.
 * @param paths of documents that are there
 * @throws {NoVault}, {ConfinementError} a link in the way, errors of the file system
 */
export const copyIntoVault = (
  space: Space,
  vault: string,
  paths: readonly string[],
  dataDir: string,
): Promise<{ copied: string[]; conflicts: Conflict[] }> =>
  oneAtATime(space.user, () => copyAll(space, vault, paths, dataDir));

async function copyAll(
  space: Space,
  vault: string,
  paths: readonly string[],
  dataDir: string,
): Promise<{ copied: string[]; conflicts: Conflict[] }> {
  const root = await vaultRoot(vault);
  const ledger = await openVaultLedger(dataDir, space.user, root);
  const copied: string[] = [];
  const conflicts: Conflict[] = [];
  for (const path of paths) {
    const document = await readDocument(space, path);
    if (!document) continue;
    const copy = await copyOne(root, path, document, ledger).catch(asNoVault);
    copied.push(path);
    if (copy !== path) conflicts.push({ path, copy });
  }
  return { copied, conflicts };
}

/**
 * Removes copies of documents from the vault, with folders that are empty then. Only what is byte for byte
 * as it was put there; what a person changed stays. Twice is once.
 * @param user whose documents they were
 * @param paths of the documents in the user's space
 * @returns paths below the vault of the copies that stay, also when the vault cannot be entered
 */
export const removeFromVault = (
  user: string,
  vault: string,
  paths: readonly string[],
  dataDir: string,
): Promise<string[]> => oneAtATime(user, () => removeAll(user, vault, paths, dataDir));

/** A user's ledger is read, changed and written as a whole: by one at a time. */
function oneAtATime<T>(user: string, work: () => Promise<T>): Promise<T> {
  const alone = ledgers.get(user) ?? mutex();
  ledgers.set(user, alone);
  return alone(work);
}

/** One for each user whose documents were copied; there are few. */
const ledgers = new Map<string, Limited>();

async function removeAll(
  user: string,
  vault: string,
  paths: readonly string[],
  dataDir: string,
): Promise<string[]> {
  const root = await vaultRoot(vault).catch((error: unknown) => {
    if (error instanceof NoVault) return null;
    throw error;
  });
  const ledger = await openVaultLedger(dataDir, user, root ?? vault);
  const left: string[] = [];
  for (const path of paths) {
    if (root === null) {
      if (ledger.knows(path)) left.push(path);
      continue;
    }
    const stays = await inFolder({ root, user }, confinedSegments(path), [], (folder, name) =>
      removeCopies(folder, name, path, ledger),
    ).catch((error: unknown) => {
      // A link in the way, or a vault that may not be written: nothing of it is touched.
      if (!(error instanceof ConfinementError) && !hasCode(error, 'EACCES', 'EPERM', 'EROFS'))
        throw error;
      return ledger.knows(path) ? [path] : [];
    });
    left.push(...stays);
    if (stays.length === 0) await ledger.forget(path);
  }
  const folders = new Set(paths.filter((path) => path.includes('/')).map((path) => dirname(path)));
  if (root !== null)
    for (const folder of folders) await rmdir(join(root, folder)).catch(ignoreKept);
  return left;
}

/** A document's copy at its place and those that were put beside a changed one. Returns the paths that stay. */
async function removeCopies(
  folder: HeldDirectory,
  name: string,
  path: string,
  ledger: VaultLedger,
): Promise<string[]> {
  const left: string[] = [];
  const below = (entry: string): string =>
    [...confinedSegments(path).slice(0, -1), entry].join('/');
  await unlink(folder.at(temporaryName(path))).catch(ifMissing(undefined));
  for (const entry of await folder.entries()) {
    const mark = / \(Mitschrift ([0-9a-f]{8})\)\.md$/u.exec(entry.name)?.[1];
    const beside = mark !== undefined && besideName(name, mark) === entry.name;
    if (entry.name !== name && !beside) continue;
    const sha256 = entry.isFile() ? await hashAt(folder, entry.name) : undefined;
    const ours =
      sha256 !== undefined && (beside ? sha256.startsWith(mark) : ledger.isOurs(path, sha256));
    if (ours) await unlink(folder.at(entry.name));
    else if (beside || ledger.knows(path)) left.push(below(entry.name));
  }
  await folder.sync();
  return left;
}

/** What opens a note in Obsidian (https://help.obsidian.md/uri): vault by its name, file without `.md`. */
export const noteUri = (vault: string, path: string): string =>
  `obsidian://open?vault=${encodeURIComponent(basename(vault))}` +
  `&file=${encodeURIComponent(path.replace(/\.md$/u, ''))}`;

async function vaultRoot(vault: string): Promise<string> {
  try {
    return await realpath(vault);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) throw error;
    throw new NoVault(detail('notes-folder-missing'), { cause: error });
  }
}

/** Where ours is now: at its path, or beside it. */
async function copyOne(
  root: string,
  path: string,
  ours: { bytes: Buffer; sha256: string },
  ledger: VaultLedger,
): Promise<string> {
  const segments = confinedSegments(path);
  let folder = await HeldDirectory.open(root);
  try {
    for (const segment of segments.slice(0, -1)) {
      const below = await folder.enterOrMake(segment);
      await folder.close();
      folder = below;
    }
    const name = segments.at(-1)!;
    const theirs = await hashAt(folder, name);
    if (theirs === ours.sha256) return path;
    if (theirs === undefined || ledger.isOurs(path, theirs)) {
      await ledger.willWrite(path, ours.sha256);
      await put(folder, name, path, ours.bytes);
      return path;
    }
    const beside = besideName(name, ours.sha256);
    const copy = [...segments.slice(0, -1), beside].join('/');
    // One of this content is there already, perhaps changed since: then that is a person's, too.
    if ((await entryAt(folder, beside)) === undefined) {
      await put(folder, beside, copy, ours.bytes);
    }
    return copy;
  } finally {
    await folder.close();
  }
}

/** `Talk.md` → `Talk (Mitschrift 1a2b3c4d).md`, shortened where a name may not be that long. */
function besideName(name: string, sha256: string): string {
  const mark = ` (Mitschrift ${sha256.slice(0, 8)}).md`;
  let stem = name.replace(/\.md$/u, '');
  while (Buffer.byteLength(stem + mark) > nameBytesMax)
    stem = Array.from(stem).slice(0, -1).join('');
  return `${stem.trimEnd()}${mark}`;
}

async function hashAt(folder: HeldDirectory, name: string): Promise<string | undefined> {
  const handle = await openFile(folder, name);
  if (handle === undefined) return undefined;
  try {
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

/** Whole and durable, or not at all. */
async function put(
  folder: HeldDirectory,
  name: string,
  path: string,
  bytes: Buffer,
): Promise<void> {
  const temporary = folder.at(temporaryName(path));
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  await unlink(temporary).catch(ifMissing(undefined));
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await unlink(temporary).catch(ifMissing(undefined));
    throw error;
  } finally {
    await handle.close();
  }
  await rename(temporary, folder.at(name));
  await folder.sync();
}

/** The errors a person can do something about, said so; others as they are. */
function asNoVault(error: unknown): never {
  const failed = (said: Sentence) => new NoVault(said, { cause: error });
  if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) {
    throw failed(detail('notes-folder-not-writable'));
  }
  if (hasCode(error, 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST')) {
    throw failed(detail('notes-folder-occupied'));
  }
  throw error;
}

/** A folder in which a person keeps more, or that is not there. */
const ignoreKept = ifCode(undefined, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR');

/**
 * Which contents the service itself put into a vault, so that a note a person changed there is known
 * from one that is only old. Hashes of paths and of contents, no words. Losing it costs conflict
 * copies, never a note.
 */
type VaultLedger = {
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
async function openVaultLedger(dataDir: string, user: string, vault: string): Promise<VaultLedger> {
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
