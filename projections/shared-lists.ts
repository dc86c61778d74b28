import type { Grantee } from '../events/facts/access.ts';
import { type ReadEntries, entriesOf, timeKey } from './list-page.ts';
import type { ProjectionStorage, Row } from './runner/projection.ts';
import { type KeptLine, recordingsName } from './recording-row.ts';

/**
 * Lists of what is shared with a user or a group by itself: `w/<grantee>/saved/<started at>/<id>` what has documents,
 * `w/<grantee>/running/…` what is being recorded. What is in a shared folder is in the folder's lists.
 */
export function sharedLists(kept: KeptLine): [key: string, row: Row][] {
  const { access, recordingId, startedAt, files, status } = kept.core;
  const place = timeKey(startedAt, recordingId);
  return access.flatMap(({ to }): [string, Row][] => [
    ...(files.length > 0 ? [[`${sharedList(to, 'saved')}${place}`, 1] as [string, Row]] : []),
    ...(status === 'recording'
      ? [[`${sharedList(to, 'running')}${place}`, 1] as [string, Row]]
      : []),
  ]);
}

/** The entries of what is shared with a user or a group by itself. */
export const entriesShared = (
  storage: ProjectionStorage,
  to: Grantee,
  which: 'saved' | 'running',
): ReadEntries => entriesOf(storage, recordingsName, sharedList(to, which));

const sharedList = (to: Grantee, which: 'saved' | 'running'): string => `w/${to}/${which}/`;
