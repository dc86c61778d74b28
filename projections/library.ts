import type { Kind } from '../events/facts/recording.ts';
import {
  type PageRequest,
  cursorAt,
  newestFirst,
  pageRowsDefault,
  pageRowsMax,
  startingWith,
  timeKey,
} from './list-page.ts';
import type { ProjectionStorage, Row } from './runner/projection.ts';
import { minuteIn } from './recording-fold.ts';
import {
  type KeptLine,
  type ListedRecording,
  recordingKey,
  recordingsListed,
  recordingsName,
} from './recording-row.ts';

/** A recording with documents, as `GET /transcripts` lists it. */
export type LibraryItem = {
  recordingId: string;
  /** Path of the index document, relative to the user's space. */
  filename: string;
  title: string | null;
  /** Name of the file it was imported from; null for a captured one. */
  source: string | null;
  summary: string | null;
  kind: Kind;
  language: string | null;
  createdAt: string;
  duration: number | null;
  speakers: ListedRecording['speakers'];
  documents: { index: string; transcript: string; summary: string };
};

/**
 * Lists of what has documents: `l/<owner>/<all|solo|meeting>/<started at>/<id>`, and whose a document may be:
 * `f/<owner>/<minute in the file name>/<id>`.
 */
export function libraryLists(kept: KeptLine): [key: string, row: Row][] {
  const { owner, kind, recordingId, startedAt, files } = kept.core;
  if (files.length === 0) return [];
  const place = timeKey(startedAt, recordingId);
  return [
    [`${libraryList(owner, 'all')}${place}`, 1],
    [`${libraryList(owner, kind)}${place}`, 1],
    ...files.map((minute): [string, Row] => [`${filesOfMinute(owner, minute)}${recordingId}`, 1]),
  ];
}

/** A page of the library: the ids of recordings with documents, newest first. @throws as `newestFirst` */
export async function libraryPage(
  storage: ProjectionStorage,
  owner: string,
  kind: Kind | undefined,
  page: PageRequest,
): Promise<{ entries: string[]; nextCursor: string | null }> {
  const prefix = libraryList(owner, kind ?? 'all');
  const { entries, nextCursor } = await newestFirst(storage, recordingsName, prefix, page);
  return { entries: entries.map(({ key }) => key), nextCursor };
}

type LibraryRequest = PageRequest & { kind?: Kind | undefined; speaker?: string | undefined };
type LibraryPage = { rows: LibraryItem[]; nextCursor: string | null };

/** Recordings with documents, newest first. @throws {InvalidCursor}, {RangeError} see `newestFirst`. */
export async function libraryOf(
  storage: ProjectionStorage,
  owner: string,
  { kind, speaker, ...page }: LibraryRequest = {},
): Promise<LibraryPage> {
  if (speaker !== undefined) return spokenBy(storage, owner, { kind, speaker, ...page });
  const { entries, nextCursor } = await libraryPage(storage, owner, kind, page);
  const rows = (await recordingsListed(storage, entries)).map(libraryItem);
  return { rows: rows.filter((item) => item !== undefined), nextCursor };
}

/** Recordings looked through for one page of a speaker's; a page may then hold fewer rows, or none. */
const lookedThroughMax = 2000;

/** Who speaks is sealed, and in no key: rows are read and passed over. */
async function spokenBy(
  storage: ProjectionStorage,
  owner: string,
  { speaker, limit = pageRowsDefault, ...request }: LibraryRequest & { speaker: string },
): Promise<LibraryPage> {
  const wanted = foldName(speaker);
  const rows: LibraryItem[] = [];
  let { cursor } = request;
  for (let looked = 0; looked < lookedThroughMax; looked += pageRowsMax) {
    const page = await libraryOf(storage, owner, { ...request, cursor, limit: pageRowsMax });
    for (const row of page.rows) {
      if (!row.speakers.some(({ name, label }) => foldName(name ?? label) === wanted)) continue;
      rows.push(row);
      if (rows.length < limit) continue;
      const place = timeKey(row.createdAt, row.recordingId);
      return { rows, nextCursor: row === page.rows.at(-1) ? page.nextCursor : cursorAt(place) };
    }
    if (page.nextCursor === null) return { rows, nextCursor: null };
    cursor = page.nextCursor;
  }
  return { rows, nextCursor: cursor ?? null };
}

/** The form in which names of speakers are compared. */
export const foldName = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * The recording that one of a user's documents belongs to, by the document's path in the user's space. Of those of the
 * same minute whose key is away no paths can be read: the only one of these is taken for it, where no other is.
 */
export async function recordingByFilename(
  storage: ProjectionStorage,
  owner: string,
  filename: string,
): Promise<string | undefined> {
  const wanted = filename.normalize('NFC');
  const prefix = filesOfMinute(owner, minuteIn(filename));
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

/** Undefined for a recording whose documents went since the list was read, or whose key did. */
function libraryItem(row: ListedRecording): LibraryItem | undefined {
  const { documents, speakers } = row;
  if (documents === null) return undefined;
  return {
    recordingId: row.recordingId,
    filename: documents.index,
    title: row.title,
    source: row.source,
    summary: row.abstract,
    kind: row.kind,
    language: row.language,
    createdAt: row.startedAt,
    duration: row.duration,
    speakers,
    documents,
  };
}

const audioList = (owner: string, sha256: string): string => `a/${owner}/${sha256}/`;
const filesOfMinute = (owner: string, minute: string): string => `f/${owner}/${minute}/`;
const libraryList = (owner: string, kind: Kind | 'all'): string => `l/${owner}/${kind}/`;
