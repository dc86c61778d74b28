import { detail } from '../words/details.ts';
import type { Sentence } from '../words/params.ts';
import { opendir, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConfinementError, HeldDirectory, confinedSegments } from './confinement.ts';
import { documentPaths } from './documents.ts';
import { nameBytesMax } from './file-names.ts';
import { type Space, entryAt, hashAt, inFolder, readDocument, writeNew } from './space.ts';
import { SaidError, hasCode, ifCode, syscallOf } from '../shared/errors.ts';
import { realPathInTime } from '../shared/folder-fault.ts';
import {
  type CopyRecords,
  type VaultLedger,
  besideMark,
  leavingCopies,
  oneAtATime,
  openVaultLedger,
  hashedPlace,
} from './vault-ledger.ts';
import { isAnothers, lastInode, rememberFolder, rememberInode } from './vault-folders.ts';
import type { StoredDocument } from './stored-document.ts';
import { temporaryName } from './write.ts';
import { ifMissing } from '../shared/files.ts';

/** A vault that cannot be used; HTTP answers 503 with the sentence. */
export class NoVault extends SaidError<'NO_VAULT'> {
  override name = 'NoVault';
  constructor(said: Sentence, options?: ErrorOptions) {
    super('NO_VAULT', said, options);
  }
}

/** Whether what went wrong is a note's own, so that the others have a place. */
export const isOfNote = (error: unknown): boolean =>
  (error instanceof NoVault && error.said.code !== 'notes-folder-empty') ||
  error instanceof ConfinementError;

/** Whether a vault is the place of a disk that is not there: what is put into it is not seen when that is. */
export async function isUnmounted(
  user: string,
  vault: string,
  { kept }: Pick<CopyRecords, 'kept'>,
): Promise<boolean> {
  const last = await lastInode(kept, user, vault);
  return last !== undefined && last !== (await inodeOf(vault)) && (await isEmpty(vault));
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
  records: CopyRecords,
): Promise<CopiedInto> => oneAtATime(space.user, () => copyAll(space, vault, paths, records));

/** `isOther`: the folder is not the one of last time, and has nothing of what was copied until then. */
type CopiedInto = { copied: string[]; conflicts: Conflict[]; isOther: boolean };

async function copyAll(
  space: Space,
  vault: string,
  paths: readonly string[],
  records: CopyRecords,
): Promise<CopiedInto> {
  const root = await vaultRoot(vault);
  const inode = await inodeOf(root);
  const isOther = ((await lastInode(records.kept, space.user, vault)) ?? inode) !== inode;
  if (await isUnmounted(space.user, vault, records))
    throw new NoVault(detail('notes-folder-empty'));
  // What was another note's goes first: it would be taken for this one's later.
  const { away, fault } = await removeLeaving(space.user, vault, paths, records);
  if (away.length > 0) asNoVault(fault);
  const ledger = await openVaultLedger(records, space.user, vault, paths, root);
  const documents = new Map<string, StoredDocument>();
  const ours = new Map<string, string>();
  for (const path of paths) {
    const document = await readDocument(space, path);
    if (!document) continue;
    documents.set(path, document);
    const at = { root, user: space.user };
    const theirs = await inFolder(at, confinedSegments(path), undefined, hashAt);
    // Also what is there already: it is taken for ours later, whatever was forgotten.
    if (theirs === undefined || theirs === document.sha256 || ledger.isOurs(path, theirs))
      ours.set(path, document.sha256);
  }
  await rememberFolder(records.kept, space.user, vault);
  // Of another one who fills it lets go of the last: until then each copy says so.
  if (!isOther) await rememberInode(records.kept, space.user, vault, inode);
  await ledger.remember(ours);
  const copied: string[] = [];
  const conflicts: Conflict[] = [];
  for (const [path, document] of documents) {
    const copy = await copyOne(root, path, document, ledger).catch(asNoVault);
    copied.push(path);
    if (copy !== path) conflicts.push({ path, copy });
  }
  return { copied, conflicts, isOther };
}

/** What became of copies that were to be removed; paths below the vault. */
export type Removed = {
  /** A person changed them: they stay. */
  left: string[];
  /** They could not be reached. */
  away: string[];
  /** Why not, as the system says it of the first. */
  fault?: unknown;
};

/**
 * Removes copies of documents from the vault, with folders that are empty then. Only what is byte for byte
 * as it was put there; what a person changed stays. Twice is once.
 * @param user whose documents they were
 * @param paths of the documents in the user's space
 */
export const removeFromVault = (
  user: string,
  vault: string,
  paths: readonly string[],
  records: CopyRecords,
): Promise<Removed> => oneAtATime(user, () => removeAll(user, vault, paths, records));

/**
 * Removes copies that are noted as leaving; where they could not be reached, they stay noted.
 * @param paths of documents; undefined: those of which a name lies in the vault
 */
export const removeLeavingFrom = (
  user: string,
  vault: string,
  records: CopyRecords,
  paths?: readonly string[],
): Promise<Removed> =>
  oneAtATime(user, () =>
    paths ? removeLeaving(user, vault, paths, records) : removeFound(user, vault, records),
  );

/** By the names in the vault: those of what was erased are not known any more. @throws {NoVault} */
async function removeFound(user: string, vault: string, records: CopyRecords): Promise<Removed> {
  const root = await vaultRoot(vault);
  const noted = await leavingIn(user, vault, records);
  const names = await readdir(root);
  if (names.length === 0) return { left: [], away: [] };
  // Some systems take names apart.
  const bases = new Set(names.map((name) => name.normalize().replace(ofIndex, '')));
  const paths = [...bases].flatMap((base) => Object.values(documentPaths(base)));
  const removed = await removeLeaving(user, vault, paths, records);
  // Of the others nothing is there.
  for (const path of removed.away) noted.delete(hashedPlace(vault, path));
  await leavingCopies(records.kept).forget(user, [...noted]);
  return removed;
}

/** What follows the base in the name of an index, or of one that was put beside a changed one. */
const ofIndex = /(?: \(Mitschrift [0-9a-f]{8}\))?\.md$/u;

async function removeLeaving(
  user: string,
  vault: string,
  paths: readonly string[],
  records: CopyRecords,
): Promise<Removed> {
  const noted = await leavingIn(user, vault, records);
  const leaving = paths.filter((path) => noted.has(hashedPlace(vault, path)));
  if (leaving.length === 0) return { left: [], away: [] };
  const removed = await removeAll(user, vault, leaving, records);
  const gone = leaving.filter((path) => !removed.away.includes(path));
  const places = gone.map((path) => hashedPlace(vault, path));
  await leavingCopies(records.kept).forget(user, places);
  return removed;
}

async function leavingIn(user: string, vault: string, { kept }: CopyRecords): Promise<Set<string>> {
  const noted = await leavingCopies(kept).list(user);
  return new Set(noted.filter((one) => one.vault === vault).map(({ place }) => place));
}

async function removeAll(
  user: string,
  vault: string,
  paths: readonly string[],
  records: CopyRecords,
): Promise<Removed> {
  const removed: Removed = { left: [], away: [] };
  const root = await vaultRoot(vault).catch((error: unknown) => {
    if (!(error instanceof NoVault)) throw error;
    removed.fault = error.cause;
    return null;
  });
  if (root === null) return { ...removed, away: [...paths] };
  const ledger = await openVaultLedger(records, user, vault, paths, root);
  // Ours were there: the place of a disk that is not.
  if (paths.some(ledger.knows) && (await isEmpty(root))) return { ...removed, away: [...paths] };
  for (const path of paths) {
    try {
      const stays = await inFolder({ root, user }, confinedSegments(path), [], (folder, name) =>
        removeCopies(folder, name, path, ledger, (sha256) =>
          isAnothers(records, user, { vault, root, path }, sha256),
        ),
      );
      removed.left.push(...stays);
      if (stays.length === 0) await ledger.forget(path);
    } catch (error) {
      // A link in the way: nothing of it is touched.
      if (error instanceof ConfinementError)
        removed.left.push(...(ledger.knows(path) ? [path] : []));
      else if (syscallOf(error) === undefined) throw error;
      else {
        removed.away.push(path);
        removed.fault ??= error;
      }
    }
  }
  const folders = new Set(paths.filter((path) => path.includes('/')).map((path) => dirname(path)));
  for (const folder of folders) await rmdir(join(root, folder)).catch(ignoreKept);
  return removed;
}

/** A document's copy at its place and those that were put beside a changed one. Returns the paths that stay. */
async function removeCopies(
  folder: HeldDirectory,
  name: string,
  path: string,
  ledger: VaultLedger,
  isOfAnother: (sha256: string) => Promise<boolean>,
): Promise<string[]> {
  const left: string[] = [];
  const below = (entry: string): string =>
    [...confinedSegments(path).slice(0, -1), entry].join('/');
  await unlink(folder.at(temporaryName(path))).catch(ifMissing(undefined));
  for (const entry of await folder.entries()) {
    // Some systems take names apart.
    const found = entry.name.normalize();
    const mark = / \(Mitschrift ([0-9a-f]{8})\)\.md$/u.exec(found)?.[1];
    const beside = mark !== undefined && besideName(name, mark).normalize() === found;
    if (found !== name.normalize() && !beside) continue;
    const sha256 = entry.isFile() ? await hashAt(folder, entry.name) : undefined;
    const isOurs = beside ? ledger.isOursBeside : ledger.isOurs;
    if (sha256 !== undefined && isOurs(path, sha256)) await unlink(folder.at(entry.name));
    // In a folder of several users the name may be one of another's, too.
    else if (sha256 !== undefined && (await isOfAnother(sha256))) continue;
    // Earlier releases did not remember what they put beside.
    else if (beside && sha256?.startsWith(mark)) await unlink(folder.at(entry.name));
    else if (beside || ledger.wasAt(path)) left.push(below(entry.name));
  }
  await folder.sync();
  return left;
}

/** What opens a note in Obsidian (https://help.obsidian.md/uri): vault by its name, file without `.md`. */
export const noteUri = (vault: string, path: string): string =>
  `obsidian://open?vault=${encodeURIComponent(basename(vault))}` +
  `&file=${encodeURIComponent(path.replace(/\.md$/u, ''))}`;

async function isEmpty(folder: string): Promise<boolean> {
  for await (const _ of await opendir(folder)) return false;
  return true;
}

/** Another one when a disk is mounted there, or not any more. */
const inodeOf = async (folder: string): Promise<string> =>
  String((await stat(folder, { bigint: true })).ino);

/** @throws {NoVault} it is not there, or does not answer */
async function vaultRoot(vault: string): Promise<string> {
  try {
    return await realPathInTime(vault);
  } catch (error) {
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
      await ledger.remember(new Map([[path, ours.sha256]]));
      const isPut = await put(folder, name, path, ours.bytes, theirs);
      return isPut ? path : await copyOne(root, path, ours, ledger);
    }
    const beside = besideName(name, ours.sha256);
    const copy = [...segments.slice(0, -1), beside].join('/');
    await ledger.remember(new Map([[path, besideMark(ours.sha256)]]));
    // One of this content is there already, perhaps changed since: then that is a person's, too.
    if ((await entryAt(folder, beside)) === undefined) {
      await put(folder, beside, copy, ours.bytes, undefined);
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

/**
 * Whole and durable, or not at all.
 * @param seen SHA-256 of what is there to be replaced
 * @returns false: a person saved something else there meanwhile. Between that look and the rename lie microseconds.
 */
async function put(
  folder: HeldDirectory,
  name: string,
  path: string,
  bytes: Buffer,
  seen: string | undefined,
): Promise<boolean> {
  const temporary = temporaryName(path);
  const remove = () => unlink(folder.at(temporary)).catch(ifMissing(undefined));
  await remove();
  try {
    await writeNew(folder, temporary, bytes);
    const isSame = (await hashAt(folder, name)) === seen;
    if (isSame) await rename(folder.at(temporary), folder.at(name));
    else await remove();
    await folder.sync();
    return isSame;
  } catch (error) {
    await remove();
    throw error;
  }
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
