import type { Kind } from '../events/facts/recording.ts';
import {
  type PageRequest,
  type ReadEntries,
  boundsOf,
  entriesInAny,
  entriesOf,
  newestFirst,
  startingWith,
  timeKey,
} from './list-page.ts';
import type { ProjectionStorage, Row } from './runner/projection.ts';
import { minuteIn } from './recording-fold.ts';
import {
  type KeptDigest,
  type KeptLine,
  type ListedRecording,
  digestKey,
  recordingKey,
  recordingsListed,
  recordingsName,
} from './recording-row.ts';

/** A recording with documents, as `GET /transcripts` lists it. */
export type LibraryItem = ListedRecording & {
  documents: NonNullable<ListedRecording['documents']>;
};

/**
 * Lists of what has documents: `l/<owner>/<all|solo|meeting>/<started at>/<id>`, by folder (`none`: in none) and tag
 * `i/<owner>/<folder>/…`, `g/<owner>/<tag>/…` (without documents: `x/<owner>/<folder, none or tag>/…`), and whose a document may be:
 * `f/<owner>/<minute in the file name>/<id>`; `b/<former owner>/…` while it still lies in the folder of that one.
 */
export function libraryLists(kept: KeptLine): [key: string, row: Row][] {
  const { owner, kind, recordingId, startedAt, files, filesOwner, folder, tags } = kept.core;
  const place = timeKey(startedAt, recordingId);
  if (files.length === 0) {
    const lists = [folder, ...tags];
    return lists.map((one) => [`${unsavedList(owner, one)}${place}`, 1]);
  }
  return [
    [`${libraryList(owner, 'all')}${place}`, 1],
    [`${libraryList(owner, kind)}${place}`, 1],
    [`${folderList(owner, folder)}${place}`, 1],
    ...tags.map((tag): [string, Row] => [`${tagList(owner, tag)}${place}`, 1]),
    ...files.map((minute): [string, Row] => [`${filesOfMinute(owner, minute)}${recordingId}`, 1]),
    ...(filesOwner === null || filesOwner === owner
      ? []
      : files.map((minute): [string, Row] => [
          `${leftOfMinute(filesOwner, minute)}${recordingId}`,
          1,
        ])),
  ];
}

/** The entries of the library, by key. */
export const libraryEntries = (
  storage: ProjectionStorage,
  owner: string,
  kind?: Kind,
): ReadEntries => entriesOf(storage, recordingsName, libraryList(owner, kind ?? 'all'));

/** The entries of what is in any of these folders; null: in none. */
export const entriesInFolders = (
  storage: ProjectionStorage,
  owner: string,
  folders: readonly (string | null)[],
): ReadEntries =>
  entriesInAny(
    folders.map((folder) => entriesOf(storage, recordingsName, folderList(owner, folder))),
  );

/** The entries of what has a tag. */
export const entriesTagged = (
  storage: ProjectionStorage,
  owner: string,
  tag: string,
): ReadEntries => entriesOf(storage, recordingsName, tagList(owner, tag));

/** All that is in a folder (null: in none), or has a tag: what has documents, then what has none. */
export const entriesOfOrder = (
  storage: ProjectionStorage,
  owner: string,
  { id, kind }: { id: string; kind: 'tag' } | { id: string | null; kind: 'folder' },
): ReadEntries[] => [
  kind === 'tag' ? entriesTagged(storage, owner, id) : entriesInFolders(storage, owner, [id]),
  entriesOf(storage, recordingsName, unsavedList(owner, id)),
];

/** How many recordings with documents a list has, at most `limit`. */
export const countedEntries = async (read: ReadEntries, limit: number): Promise<number> =>
  (await read({ gte: '', lt: '~', reverse: true, limit })).length;

/** What the facts say of each recording of an owner that has no documents: no words. Reads each of their rows. */
export async function* unsavedOf(
  storage: ProjectionStorage,
  owner: string,
): AsyncGenerator<KeptDigest['counted']> {
  // One with tags is listed once for each.
  const ids = new Set<string>();
  for await (const [key] of storage.range(recordingsName, startingWith(`x/${owner}/`)))
    ids.add(idIn(key));
  for (const id of ids) {
    const kept = await storage.get<KeptDigest>(recordingsName, digestKey(id));
    if (kept) yield kept.counted;
  }
}

type LibraryRequest = Omit<PageRequest, 'around'> & {
  kind?: Kind | undefined;
  /** Id of a recording to have in the middle; the first page where it is not known. */
  around?: string | undefined;
};
type LibraryPage = {
  rows: LibraryItem[];
  nextCursor: string | null;
  previousCursor: string | null;
};

/**
 * Recordings with documents, newest first.
 * @param read where they are read: all of a kind, unless given
 * @throws {InvalidCursor}, {RangeError} see `newestFirst`
 */
export async function libraryOf(
  storage: ProjectionStorage,
  owner: string,
  { kind, around, ...page }: LibraryRequest = {},
  read: ReadEntries = libraryEntries(storage, owner, kind),
): Promise<LibraryPage> {
  const place = around === undefined ? undefined : await placeOf(storage, owner, around);
  const { entries, ...cursors } = await newestFirst(read, { ...page, around: place });
  const rows = (await recordingsListed(storage, entries)).filter(hasDocuments);
  return { rows: rows.filter((item) => item !== undefined), ...cursors };
}

/** Ids of recordings with documents, newest first, at most `limit`: keys are enough. */
export async function libraryIds(
  read: ReadEntries,
  { limit, from, to }: { limit: number; from?: string | undefined; to?: string | undefined },
): Promise<string[]> {
  const entries = await read({ ...boundsOf({ from, to }), reverse: true, limit });
  return entries.map(idIn);
}

/** Of a place (`timeKey`). */
export const idIn = (entry: string): string => entry.slice(entry.lastIndexOf('/') + 1);

/** Where a recording stands in its owner's lists, also when it has been erased since. */
async function placeOf(
  storage: ProjectionStorage,
  owner: string,
  recordingId: string,
): Promise<string | undefined> {
  const kept = await storage.get<KeptLine>(recordingsName, recordingKey(recordingId));
  return kept?.core.owner === owner ? timeKey(kept.core.startedAt, recordingId) : undefined;
}

/** The form in which names of speakers, folders and tags are compared. */
export const foldName = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * The recording that one of a user's documents belongs to, by the document's path in the user's space. Of those of the
 * same minute whose key is away no paths can be read: the only one of these is taken for it, where no other is.
 */
export const recordingByFilename = async (
  storage: ProjectionStorage,
  owner: string,
  filename: string,
): Promise<string | undefined> =>
  await recordingWithFile(storage, filesOfMinute(owner, minuteIn(filename)), filename);

/** Whether a document in a user's space is of a recording that was handed over, and has not moved yet. */
export const isHandedOver = async (
  storage: ProjectionStorage,
  owner: string,
  filename: string,
): Promise<boolean> =>
  (await recordingWithFile(storage, leftOfMinute(owner, minuteIn(filename)), filename)) !==
  undefined;

/** @param prefix of the list of those that begin in the minute that the path names */
async function recordingWithFile(
  storage: ProjectionStorage,
  prefix: string,
  filename: string,
): Promise<string | undefined> {
  const wanted = filename.normalize('NFC');
  const unreadable: string[] = [];
  for await (const [key] of storage.range(recordingsName, startingWith(prefix))) {
    const id = key.slice(prefix.length);
    const kept = await storage.get<KeptLine>(recordingsName, recordingKey(id));
    const paths = Object.values(kept?.texts?.documents ?? {});
    // The same name may be written with composed or decomposed accents.
    if (paths.some((path) => path.normalize('NFC') === wanted)) return id;
    if (kept?.unreadable) unreadable.push(id);
  }
  return unreadable.length === 1 ? unreadable[0] : undefined;
}

/** A user's recordings by the file each was imported from: `a/<owner>/<SHA-256>/<id>`. */
export function audioLists(kept: KeptLine): [key: string, row: Row][] {
  const { importedSha256: sha256, owner, recordingId } = kept.core;
  return sha256 === null ? [] : [[`${audioList(owner, sha256)}${recordingId}`, 1]];
}

/** The oldest recording of the same user that the same file was imported as before; null: there is none. */
export async function sameAudioAs(
  storage: ProjectionStorage,
  recordingId: string,
): Promise<string | null> {
  const kept = await storage.get<KeptLine>(recordingsName, recordingKey(recordingId));
  if (!kept || kept.core.importedSha256 === null) return null;
  const prefix = audioList(kept.core.owner, kept.core.importedSha256);
  // Ids sort by when they were made.
  for await (const [key] of storage.range(recordingsName, { ...startingWith(prefix), limit: 1 })) {
    const oldest = key.slice(prefix.length);
    return oldest === recordingId ? null : oldest;
  }
  return null;
}

/** Not of a recording whose documents went since the list was read, or whose key did. */
const hasDocuments = (row: ListedRecording): row is LibraryItem => row.documents !== null;

const audioList = (owner: string, sha256: string): string => `a/${owner}/${sha256}/`;
const filesOfMinute = (owner: string, minute: string): string => `f/${owner}/${minute}/`;
const leftOfMinute = (owner: string, minute: string): string => `b/${owner}/${minute}/`;
const folderList = (owner: string, folder: string | null): string =>
  `i/${owner}/${folder ?? 'none'}/`;
const unsavedList = (owner: string, id: string | null): string => `x/${owner}/${id ?? 'none'}/`;
const tagList = (owner: string, tag: string): string => `g/${owner}/${tag}/`;
const libraryList = (owner: string, kind: Kind | 'all'): string => `l/${owner}/${kind}/`;
