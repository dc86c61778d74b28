import type { Kind } from '../events/facts/recording.ts';
import { wordlessName } from '../events/key-store.ts';
import { timeKey } from './list-page.ts';
import type { Rows } from './projection.ts';
import type { TranscriptHead } from './transcript-head.ts';

/** A recording with documents, as `GET /transcripts` lists it. */
export type LibraryItem = {
  recording_id: string;
  /** Path of the index document, relative to the user's space. */
  filename: string;
  title: string | null;
  summary: string | null;
  kind: Kind;
  language: string | null;
  created_at: string;
  duration: number | null;
  /** Names, or labels of those without; each once. */
  speakers: string[];
  documents: { index: string; transcript: string; summary: string };
};

/** Brings the library up to the documents there are. It changes with them only, and with names. */
export function relist(rows: Rows, before: TranscriptHead, after: TranscriptHead): void {
  const moved = before.owner !== after.owner || before.kind !== after.kind;
  const other = before.documents !== after.documents || moved;
  if (!other && before.passes.shown === after.passes.shown) return;
  if (before.documents !== null && other) {
    for (const path of Object.values(before.documents)) rows.delete(fileKey(before.owner, path));
    for (const key of listsOf(before)) rows.delete(key);
  }
  if (after.documents === null) return;
  const lists = listsOf(after);
  for (const path of Object.values(after.documents)) {
    rows.set(fileKey(after.owner, path), after.recording_id);
  }
  const item = libraryItem(after, after.documents);
  for (const key of lists) rows.set(key, item);
}

/** What the keys of a user's library begin with: of all its items, or of one kind. */
export const libraryList = (owner: string, kind: Kind | 'all' = 'all'): string =>
  `l/${owner}/${kind}/`;

/** Key that tells whose a document is. The same name may be written with composed or with decomposed accents. */
export const fileKey = (owner: string, filename: string): string =>
  `f/${owner}/${wordlessName(filename.normalize('NFC'))}`;

const listsOf = ({ owner, kind, created_at, recording_id }: TranscriptHead): string[] =>
  [libraryList(owner), libraryList(owner, kind)].map(
    (list) => `${list}${timeKey(created_at, recording_id)}`,
  );

function libraryItem(head: TranscriptHead, documents: LibraryItem['documents']): LibraryItem {
  const { title, abstract, language, speakers } = head.passes.shown;
  return {
    recording_id: head.recording_id,
    filename: documents.index,
    title,
    summary: abstract,
    kind: head.kind,
    language,
    created_at: head.created_at,
    duration: head.duration,
    speakers: [...new Set(speakers.map(({ name, label }) => name ?? label))],
    documents,
  };
}
