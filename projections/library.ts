import type { Kind } from '../events/facts/recording.ts';
import { type PageRequest, newestFirst, timeKey } from './list-page.ts';
import type { ProjectionStorage, Row } from './runner/projection.ts';
import { type KeptRecording, hashedFile } from './recording-fold.ts';
import { recordingsName } from './recording-row.ts';

/**
 * Lists of what has documents: `l/<owner>/<all|solo|meeting>/<started at>/<id>`, and whose a document is:
 * `f/<owner>/<SHA-256 of the file name>`, the recording's id.
 */
export function libraryLists({
  owner,
  kind,
  started_at,
  recording_id,
  files,
}: KeptRecording['core']): [key: string, row: Row][] {
  if (files.length === 0) return [];
  const place = timeKey(started_at, recording_id);
  return [
    [`${libraryList(owner, 'all')}${place}`, 1],
    [`${libraryList(owner, kind)}${place}`, 1],
    ...files.map((file): [string, Row] => [`f/${owner}/${file}`, recording_id]),
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

/** The recording that one of a user's documents belongs to, by the document's path in the user's space. */
export async function recordingByFilename(
  storage: ProjectionStorage,
  owner: string,
  filename: string,
): Promise<string | undefined> {
  return storage.get<string>(recordingsName, `f/${owner}/${hashedFile(filename)}`);
}

const libraryList = (owner: string, kind: Kind | 'all'): string => `l/${owner}/${kind}/`;
