import type { Kind } from '../events/facts/recording.ts';
import { type PageRequest, newestFirst, startingWith, timeKey } from './list-page.ts';
import type { ProjectionStorage, Row } from './runner/projection.ts';
import { type KeptRecording, keptOwner, keptStart, minuteIn } from './recording-fold.ts';
import { recordingKey, recordingsName } from './recording-row.ts';

/**
 * Lists of what has documents: `l/<owner>/<all|solo|meeting>/<started at>/<id>`, and whose a document may be:
 * `f/<owner>/<minute in the file name>/<id>`.
 */
export function libraryLists(kept: KeptRecording): [key: string, row: Row][] {
  const { kind, recording_id, files } = kept.core;
  if (files.length === 0) return [];
  const owner = keptOwner(kept);
  const place = timeKey(keptStart(kept), recording_id);
  return [
    [`${libraryList(owner, 'all')}${place}`, 1],
    [`${libraryList(owner, kind)}${place}`, 1],
    ...files.map((minute): [string, Row] => [`${filesOfMinute(owner, minute)}${recording_id}`, 1]),
  ];
}

/** A page of the library: the ids of recordings with documents, newest first. @throws as `newestFirst` */
export async function libraryPage(
  storage: ProjectionStorage,
  owner: string,
  kind: Kind | undefined,
  page: PageRequest,
): Promise<{ entries: string[]; next_cursor: string | null }> {
  const prefix = libraryList(owner, kind ?? 'all');
  const { entries, next_cursor } = await newestFirst(storage, recordingsName, prefix, page);
  return { entries: entries.map(({ key }) => key), next_cursor };
}

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
    const kept = await storage.get<KeptRecording>(recordingsName, recordingKey(id));
    const paths = Object.values(kept?.texts?.documents ?? {});
    // The same name may be written with composed or decomposed accents.
    if (paths.some((path) => path.normalize('NFC') === wanted)) return id;
    if (kept?.unreadable) unreadable.push(id);
  }
  return unreadable.length === 1 ? unreadable[0] : undefined;
}

/** A user's recordings by the file each was imported from: `a/<owner>/<SHA-256>/<id>`. */
export function audioLists(kept: KeptRecording): [key: string, row: Row][] {
  const { imported_sha256: sha256, recording_id } = kept.core;
  return sha256 === null ? [] : [[`${audioList(keptOwner(kept), sha256)}${recording_id}`, 1]];
}

/** The oldest recording of the same user that the same file was imported as before; null: there is none. */
export async function sameAudioAs(
  storage: ProjectionStorage,
  recordingId: string,
): Promise<string | null> {
  const kept = await storage.get<KeptRecording>(recordingsName, recordingKey(recordingId));
  if (!kept || kept.core.imported_sha256 === null) return null;
  const prefix = audioList(keptOwner(kept), kept.core.imported_sha256);
  // Ids sort by when they were made.
  for await (const [key] of storage.range(recordingsName, { ...startingWith(prefix), limit: 1 })) {
    const oldest = key.slice(prefix.length);
    return oldest === recordingId ? null : oldest;
  }
  return null;
}

const audioList = (owner: string, sha256: string): string => `a/${owner}/${sha256}/`;
const filesOfMinute = (owner: string, minute: string): string => `f/${owner}/${minute}/`;
const libraryList = (owner: string, kind: Kind | 'all'): string => `l/${owner}/${kind}/`;
