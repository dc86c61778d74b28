import type { Kind } from '../events/facts/recording.ts';
import { libraryPage } from './library.ts';
import {
  type PageRequest,
  cursorAt,
  pageRowsDefault,
  pageRowsMax,
  startingWith,
  timeKey,
} from './list-page.ts';
import type { ProjectionStorage } from './runner/projection.ts';
import { type KeptRecording, recordingRow } from './recording-fold.ts';
import {
  type RecordingRow,
  type TranscriptRow,
  recordingKey,
  recordingsName,
  textKeysOf,
} from './recording-row.ts';
import { recordingsListed } from './recordings.ts';
import { readTexts, textsShown } from './texts.ts';

/** A recording with documents, as `GET /transcripts` lists it. */
export type LibraryItem = {
  recording_id: string;
  /** Path of the index document, relative to the user's space. */
  filename: string;
  title: string | null;
  /** Name of the file it was imported from; null for a captured one. */
  source: string | null;
  summary: string | null;
  kind: Kind;
  language: string | null;
  created_at: string;
  duration: number | null;
  speakers: RecordingRow['speakers'];
  documents: { index: string; transcript: string; summary: string };
};

/** The words of a recording; undefined when there is none, or it was erased. */
export async function transcriptOf(
  storage: ProjectionStorage,
  recordingId: string,
): Promise<TranscriptRow | undefined> {
  // Texts may go between two reads: then the recording names others, and they are read instead.
  for (let tries = 0; tries < 3; tries += 1) {
    const kept = await keptIn(storage, recordingId);
    if (!kept) return undefined;
    const row = await readTexts(storage, kept);
    const now = await keptIn(storage, recordingId);
    if (now && textsShown(now) === textsShown(kept)) return row;
  }
  throw new TranscriptMoving(recordingId);
}

/** Removes the rows of a recording's texts, whatever the projection has come to. */
export async function removeTexts(storage: ProjectionStorage, recordingId: string): Promise<void> {
  await storage.remove(recordingsName, startingWith(textKeysOf(recordingId)));
}

type LibraryRequest = PageRequest & { kind?: Kind | undefined; speaker?: string | undefined };
type LibraryPage = { rows: LibraryItem[]; next_cursor: string | null };

/** Recordings with documents, newest first. @throws {InvalidCursor}, {RangeError} see `newestFirst`. */
export async function libraryOf(
  storage: ProjectionStorage,
  owner: string,
  { kind, speaker, ...page }: LibraryRequest = {},
): Promise<LibraryPage> {
  if (speaker !== undefined) return spokenBy(storage, owner, { kind, speaker, ...page });
  const { entries, next_cursor } = await libraryPage(storage, owner, kind, page);
  const kept = await recordingsListed(storage, entries);
  const rows = kept.map(recordingRow).map(libraryItem);
  return { rows: rows.filter((item) => item !== undefined), next_cursor };
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
      const place = timeKey(row.created_at, row.recording_id);
      return { rows, next_cursor: row === page.rows.at(-1) ? page.next_cursor : cursorAt(place) };
    }
    if (page.next_cursor === null) return { rows, next_cursor: null };
    cursor = page.next_cursor;
  }
  return { rows, next_cursor: cursor ?? null };
}

/** The form in which names of speakers are compared. */
export const foldName = (name: string): string => name.normalize('NFC').toLowerCase();

/** A transcript kept changing while it was read. Asking again helps. */
export class TranscriptMoving extends Error {
  override name = 'TranscriptMoving';
  readonly code = 'TRANSCRIPT_MOVING';
  readonly retriable = true;
  constructor(recordingId: string) {
    super(`The transcript of ${recordingId} was replaced while it was read`);
  }
}

async function keptIn(storage: ProjectionStorage, recordingId: string) {
  const kept = await storage.get<KeptRecording>(recordingsName, recordingKey(recordingId));
  return kept && kept.core.state !== 'idle.erased' ? kept : undefined;
}

/** Undefined for a recording whose documents went since the list was read, or whose key did. */
function libraryItem(row: RecordingRow): LibraryItem | undefined {
  const { documents, speakers } = row;
  if (documents === null) return undefined;
  return {
    recording_id: row.recording_id,
    filename: documents.index,
    title: row.title,
    source: row.source,
    summary: row.abstract,
    kind: row.kind,
    language: row.language,
    created_at: row.started_at,
    duration: row.duration,
    speakers,
    documents,
  };
}
