import { hash } from 'node:crypto';
import { rename, rmdir, unlink } from 'node:fs/promises';
import { ulid } from 'ulid';
import { StageError, hasCode, type StageFailure } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { ConfinementError, HeldDirectory, confinedSegments } from './confinement.ts';
import { type DocumentName, type PerDocument, documentPaths, documentNames } from './documents.ts';
import { type SharedSpace, deleteFromBucket, writeToBucket, writingOrder } from './bucket-space.ts';
import {
  type FolderSpace,
  type Space,
  entryAt,
  inFolder,
  isInBucket,
  hashAt,
  OversizedDocument,
  readDocument,
  writeNew,
} from './space.ts';
import type { DocumentFiles } from '../../projections/recording/recording.ts';
import { ifMissing } from '../shared/files.ts';

/** What is about to be done to the disk; tests stop the process there. */
type Step = 'make folder' | 'write' | 'sync' | 'rename' | 'sync folder';

/**
 * Writes the three documents so that each is there whole, old or new, whatever happens, and all of
 * them durably when this returns. A file that is neither what we last wrote nor what we would write
 * is a person's and stays. Doing it again, after a crash at any point, leads to the same end.
 * One call a recording at a time; of several processes the one that `shared` allows it.
 *
 * @param known hashes of what we wrote before; null when we never did
 * @returns the documents that a person had changed: theirs is still there
 * @throws {StageError} `disk-full`, `not-writable`, `name-in-use` (a file where a folder has to be,
 *   or the reverse); {ConfinementError}. Nothing visible has changed when the disk was full.
 */
export async function writeDocuments(
  space: Space,
  paths: PerDocument,
  contents: PerDocument,
  known: PerDocument | null,
  before: (step: Step, document?: DocumentName) => void = () => {},
  shared?: SharedSpace,
): Promise<DocumentName[]> {
  if (isInBucket(space)) return await writeToBucket(space, paths, contents, known, shared);
  const files: TargetFile[] = [];
  try {
    await shared?.assertMine();
    for (const document of writingOrder) {
      const bytes = Buffer.from(contents[document]);
      const file = {
        document,
        bytes,
        sha256: hash('sha256', bytes, 'hex'),
        known: known?.[document],
      };
      files.push({ ...file, ...(await openTarget(space, paths[document], before, shared)) });
    }
    // First everything is on the disk under other names: when that is full, nothing has changed.
    const fresh: TargetFile[] = [];
    for (const file of files) {
      await removeTemporaries(file.folder, paths[file.document]);
      if ((await ownership(file)) !== 'ours') continue;
      await writeNew(file.folder, file.temporary, file.bytes, (step) =>
        before(step, file.document),
      );
      fresh.push(file);
    }
    for (const file of fresh) {
      // Asked again: a person may have saved meanwhile. Between this and the rename lie microseconds.
      if ((await ownership(file)) !== 'ours') continue;
      before('rename', file.document);
      await shared?.assertMine();
      await rename(file.folder.at(file.temporary), file.folder.at(file.name));
    }
    return await settle(files, before);
  } catch (error) {
    // What cannot be removed now, the next try removes; the first error counts.
    await Promise.allSettled(files.map(removeTemporary));
    throw asStageError(error);
  } finally {
    await Promise.all(files.map((file) => file.folder.close()));
  }
}

/**
 * Name of the file that becomes the document at `path`, in the same folder. Always the same one, so
 * that writing again takes away what a crash left, and never as long as the document's own name.
 */
export const temporaryName = (path: string): string => `${temporaryPrefix(path)}.tmp`;

const temporaryPrefix = (path: string): string =>
  `.mitschrift-${hash('sha256', path, 'hex').slice(0, 16)}`;

/** Of a process that is one of several: none takes away what another is writing. */
const temporaryNameOfMine = (path: string): string => `${temporaryPrefix(path)}-${ulid()}.tmp`;

/** Whether a file of this name is a document that is being written, or was when a process ended. */
export const isTemporary = (name: string): boolean =>
  /^\.mitschrift-[0-9a-f]{16}(?:-[0-9A-Z]{26})?\.tmp$/u.test(name);

/**
 * Deletes a document, durably, with what a crash may have left of writing it; with an index
 * document the other two and their folder, unless a person keeps more in it. Returns the paths that
 * are gone now; none: there was no such document. The index goes last, so that an interrupted
 * deletion can be asked for again.
 * @throws {ConfinementError}
 */
export async function deleteDocument(space: Space, filename: string): Promise<string[]> {
  const segments = confinedSegments(filename);
  const base = segments.length === 1 ? /^(.+)\.md$/u.exec(filename)?.[1] : undefined;
  if (base === undefined) return deleteFile(space, filename);
  const { transcript, summary, index } = documentPaths(base);
  const deleted = [...(await deleteFile(space, transcript)), ...(await deleteFile(space, summary))];
  if (!isInBucket(space)) await inFolder(space, [base], undefined, removeIfEmpty);
  return [...deleted, ...(await deleteFile(space, index))];
}

type OwnFiles = Pick<DocumentFiles, 'saved' | 'rendered' | 'authored' | 'sent'>;

/** Hashes by which each document is known as one that may be replaced. */
type OwnHashes = PerDocument<ReadonlySet<string>>;

/**
 * What we wrote last and what may have been written since (a process may have died after it), what
 * people sent through us, and the file that a person had seen when they sent another.
 */
export function ownHashes({ saved, rendered, authored, sent }: OwnFiles): OwnHashes {
  const hashes = {
    index: new Set<string>(),
    transcript: new Set<string>(),
    summary: new Set<string>(),
  };
  for (const name of documentNames) {
    if (saved) hashes[name].add(saved.data.sha256[name]);
    for (const fact of rendered) hashes[name].add(fact.data.sha256[name]);
    const edit = authored[name];
    if (edit && edit.version > (saved?.version ?? 0)) hashes[name].add(edit.data.replaces);
    const { markdown } = sent[name]?.content ?? {};
    if (markdown !== undefined) hashes[name].add(hash('sha256', markdown, 'hex'));
  }
  return hashes;
}

/** Of each document the hash of the file that is there if it is ours, else none: to hand to `writeDocuments`. */
export async function presentHashes(
  space: Space,
  paths: PerDocument,
  own: OwnHashes,
): Promise<PerDocument> {
  const present = { index: '', transcript: '', summary: '' };
  for (const name of documentNames) {
    const document = await readUnlessLarge(space, paths[name]);
    if (document && own[name].has(document.sha256)) present[name] = document.sha256;
  }
  return present;
}

/**
 * Documents of a space that a person has changed there, to be moved as they are.
 * @throws {StageError} `not-text`: what is not UTF-8 cannot be moved without a change.
 */
export async function foreignDocuments(
  space: Space,
  paths: PerDocument,
  files: OwnFiles,
): Promise<Partial<PerDocument>> {
  const own = ownHashes(files);
  const foreign: Partial<PerDocument> = {};
  for (const name of documentNames) {
    const document = await readDocument(space, paths[name]);
    if (!document || own[name].has(document.sha256)) continue;
    const text = document.bytes.toString('utf8');
    if (!Buffer.from(text).equals(document.bytes)) {
      throw new StageError(failure('document-not-text', { document: name }), { retriable: true });
    }
    foreign[name] = text;
  }
  return foreign;
}

type TargetFile = {
  document: DocumentName;
  bytes: Buffer;
  /** Of the new content, and of what we wrote before. */
  sha256: string;
  known: string | undefined;
  folder: HeldDirectory;
  name: string;
  temporary: string;
};

/** Makes the renames durable; returns which documents are a person's. */
async function settle(
  files: readonly TargetFile[],
  before: (step: Step, document: DocumentName) => void,
): Promise<DocumentName[]> {
  const kept: DocumentName[] = [];
  for (const file of files) {
    await removeTemporary(file);
    // Also where nothing was written: the process may have died between rename and sync.
    before('sync folder', file.document);
    await file.folder.sync();
    if ((await ownership(file)) === 'foreign') kept.push(file.document);
  }
  return kept;
}

/** The folder of a document, held open and made where it is missing. */
async function openTarget(
  space: FolderSpace,
  path: string,
  before: (step: Step) => void,
  shared: SharedSpace | undefined,
): Promise<Pick<TargetFile, 'folder' | 'name' | 'temporary'>> {
  const segments = confinedSegments(path);
  let folder = await HeldDirectory.open(space.root);
  for (const segment of segments.slice(0, -1)) {
    const above = folder;
    try {
      before('make folder');
      folder = await above.enterOrMake(segment);
    } finally {
      await above.close();
    }
  }
  const temporary = shared ? temporaryNameOfMine(path) : temporaryName(path);
  return { folder, name: segments.at(-1)!, temporary };
}

/** Whose the file is that is there now: ours to replace (or absent), already as it should be, or a person's. */
async function ownership(file: TargetFile): Promise<'ours' | 'done' | 'foreign'> {
  const present = await hashAt(file.folder, file.name);
  if (present === undefined) return 'ours';
  if (present === file.sha256) return 'done';
  return present === file.known ? 'ours' : 'foreign';
}

const removeTemporary = ({ folder, temporary }: TargetFile): Promise<boolean> =>
  unlinked(folder, temporary);

/** The errors a person can do something about, said so; others as they are. */
function asStageError(error: unknown): unknown {
  const failed = (sentence: StageFailure) =>
    new StageError(sentence, { retriable: true, cause: error });
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return failed(failure('documents-no-space'));
  if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return failed(failure('documents-not-writable'));
  if (hasCode(error, 'ENOTDIR', 'EISDIR', 'ENOTEMPTY'))
    return failed(failure('document-name-taken'));
  return error;
}

async function deleteFile(space: Space, path: string): Promise<string[]> {
  const segments = confinedSegments(path);
  if (isInBucket(space)) return (await deleteFromBucket(space, path)) ? [path] : [];
  return inFolder(space, segments, [], async (folder, name) => {
    const entry = await entryAt(folder, name);
    if (entry?.isSymbolicLink()) throw new ConfinementError('link');
    const gone = entry?.isFile() ? await unlinked(folder, name) : false;
    const leftover = await removeTemporaries(folder, path);
    if (gone || leftover) await folder.sync();
    return gone ? [path] : [];
  });
}

/** Whether there was something to unlink. */
const unlinked = (folder: HeldDirectory, name: string): Promise<boolean> =>
  unlink(folder.at(name)).then(() => true, ifMissing(false));

/** What any process left of writing a document; returns whether there was something. */
async function removeTemporaries(folder: HeldDirectory, path: string): Promise<boolean> {
  const prefix = temporaryPrefix(path);
  let found = false;
  for (const { name } of await folder.entries()) {
    if (!name.startsWith(prefix) || !isTemporary(name)) continue;
    found = (await unlinked(folder, name)) || found;
  }
  return found;
}

async function removeIfEmpty(folder: HeldDirectory, name: string): Promise<void> {
  try {
    await rmdir(folder.at(name));
    await folder.sync();
  } catch (error) {
    // Not there; not ours alone; not a folder.
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error;
  }
}

/** Something that large is not ours in any case. */
async function readUnlessLarge(space: Space, path: string) {
  try {
    return await readDocument(space, path);
  } catch (error) {
    if (error instanceof OversizedDocument) return undefined;
    throw error;
  }
}
