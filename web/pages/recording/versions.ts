/** The versions of a recording's documents. */
import { type Answered, type Schema, answer, api } from '../../client/api.ts';

export type Versions = Answered<'listVersions'>['versions'];
export type Version = Versions[number];
export type WholeVersion = Answered<'readVersion'>;

/** Newest first. @throws {ApiError} */
export const versionsOf = async (id: string): Promise<Versions> =>
  (await answer(api.GET('/recordings/{id}/versions', { params: { path: { id } } }))).versions;

/** What a version says. @throws {ApiError} */
export const readVersion = async (id: string, version: number): Promise<WholeVersion> =>
  await answer(
    api.GET('/recordings/{id}/versions/{version}', {
      params: { path: { id, version: String(version) } },
    }),
  );

/** Switches back. @throws {ApiError} */
export const restoreVersion = async (
  id: string,
  version: number,
): Promise<Schema<'RecordingLine'>> =>
  await answer(
    api.POST('/recordings/{id}/versions/{version}/restore', {
      params: { path: { id, version: String(version) } },
    }),
  );

/** What led to a version, in one word: the last that a person did. */
export type Reason =
  | 'first'
  | 'again'
  | 'restored'
  | 'title'
  | 'named'
  | 'renamed'
  | 'corrected'
  | 'edited'
  | 'reworded'
  | 'filed'
  | 'changed';

const reasons: Record<string, Reason> = {
  'recording.started': 'first',
  'audio.imported': 'first',
  'reprocessing.requested': 'again',
  'audio.extended': 'again',
  'speakers.skipped': 'again',
  'version.restored': 'restored',
  'title.changed': 'title',
  'speakers.named': 'named',
  'speakers.renamed': 'renamed',
  'turn.edited': 'corrected',
  'turns.recut': 'corrected',
  'document.edited': 'edited',
  'summary.edited': 'reworded',
  'task.checked': 'reworded',
  'documents.outdated': 'filed',
};

export function reasonOf({ why }: Pick<Version, 'why'>): Reason {
  const found = why.map((type) => reasons[type] ?? 'changed');
  return found.includes('first') ? 'first' : (found.at(-1) ?? 'changed');
}
