/** What is done with several notes at once. */
import { type Problem, answer, api, fetchAsUser, problemIn } from '../../../client/api.ts';
import { oneByOne } from '../../../client/one-by-one.ts';
import { saveFile } from '../../../client/save-file.ts';
import { type Filter, queryOf } from './filter.ts';

/** Summaries that one request makes again (`POST /recordings/bulk`). */
export const summarisedTogether = 50;
/** As many as one request takes (`POST /recordings/bulk/…`). */
const [erasedTogether, exportedTogether] = [100, 500];

/** Ids of all notes that fit. `all`: false where there are more. */
export const idsOf = async (filter: Filter): Promise<{ recording_ids: string[]; all: boolean }> =>
  await answer(api.GET('/library/ids', { params: { query: queryOf(filter) } }));

/** How many notes fit; `more`: there are more than were counted. */
export type Fitting = { count: number; more: boolean };

/** @throws {ApiError} */
export async function countFitting(filter: Filter): Promise<Fitting> {
  const { recording_ids: ids, all } = await idsOf(filter);
  return { count: ids.length, more: !all };
}

export type Erased = {
  ids: Set<string>;
  /** Sentences of the service on those that are still there. */
  refused: { recording_id: string; detail: string }[];
  /** Copies in the vault that stay. */
  left: string[];
  /** Copies in a notes folder that could not be reached: they go later. */
  away: string[];
  /** What ended it before its time; null: it came to its end. */
  problem: Problem | null;
};

/** Erases them, a hundred at a time. @param progress is called with how many are done */
export async function eraseAll(
  ids: readonly string[],
  progress: (done: number) => void,
): Promise<Erased> {
  const erased: Erased = { ids: new Set(), refused: [], left: [], away: [], problem: null };
  for (let at = 0; at < ids.length; at += erasedTogether) {
    const recording_ids = ids.slice(at, at + erasedTogether);
    try {
      const body = { recording_ids, count: recording_ids.length };
      const done = await answer(api.POST('/recordings/bulk/erase', { body }));
      const kept = new Set(done.refused.map(({ recording_id }) => recording_id));
      for (const id of recording_ids) if (!kept.has(id)) erased.ids.add(id);
      erased.refused.push(...done.refused);
      erased.left.push(...done.left);
      erased.away.push(...done.away);
    } catch (error) {
      return { ...erased, problem: problemIn(error) };
    }
    progress(at + recording_ids.length);
  }
  return erased;
}

/** Whether they fit into one file. */
export const fitsIntoZip = (count: number): boolean => count <= exportedTogether;

/** Saves their documents as one zip file. @throws {ApiError} */
export async function exportAll(ids: readonly string[]): Promise<void> {
  const blob: unknown = await answer(
    api.POST('/recordings/bulk/export', {
      body: { recording_ids: [...ids] },
      parseAs: 'blob',
      fetch: fetchAsUser,
    }),
  );
  saveFile(blob, 'mitschrift.zip');
}

/** Makes their summaries again by a template; null: by that of the folder, or by type. @throws {ApiError} */
export async function summariseAll(
  ids: readonly string[],
  template: string | null,
): Promise<{ taken: number; refused: string[] }> {
  const body = { changes: ids.map((recording_id) => ({ recording_id, template })) };
  const { changed, refused } = await answer(api.POST('/recordings/bulk', { body }));
  return { taken: changed.length, refused: [...new Set(refused.map(({ detail }) => detail))] };
}

export type From = 'language-model' | 'speech-to-text';

/** Processes them again, each by itself. @returns how many are on their way, and what was said of the others */
export const processAll = (ids: readonly string[], from: From, progress: (done: number) => void) =>
  oneByOne(
    ids,
    async (id) =>
      await answer(
        api.POST('/recordings/{id}/reprocess', { params: { path: { id } }, body: { from } }),
      ),
    progress,
  );
