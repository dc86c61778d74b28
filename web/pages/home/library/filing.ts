/** Puts chosen notes into a folder, or tags them: at once, with a way back. */
import { atom } from 'nanostores';
import { toast } from '../../../app/toasts.ts';
import { type Problem, answer, api, problemIn } from '../../../client/api.ts';
import {
  type Change,
  type Filed,
  type Refused,
  fileBack,
  fileNotes,
} from '../../../order/order.ts';
import { keepRecent } from '../../../order/recent.ts';
import { words } from '../words.ts';
import { type Filter, queryOf } from './filter.ts';
import type { Note } from './rows.ts';

export type FilingTrouble =
  | { problem: Problem }
  | {
      done: number;
      total: number;
      refused: readonly Refused[];
      /** What ended it before its time. */
      problem: Problem | null;
      undo: (() => void) | null;
    };

export function openFiling() {
  const trouble = atom<FilingTrouble | null>(null);

  /** @param told what is said when all are done @param progress how many were asked for */
  async function file(
    changes: readonly Change[],
    told: Told,
    progress: (done: number) => void,
  ): Promise<void> {
    trouble.set(null);
    try {
      const { undo, refused, problem } = await fileNotes(changes, progress);
      const back = async () => {
        trouble.set(null);
        await fileBack(undo);
        toast(words.get().asBefore(undo.length));
      };
      const way = undo.length === 0 ? null : keepRecent(told(undo.length), back);
      if (refused.length > 0 || problem !== null)
        trouble.set({ done: undo.length, total: changes.length, refused, problem, undo: way });
      else toast(told(undo.length), way ?? undefined);
    } catch (error) {
      trouble.set({ problem: problemIn(error) });
    }
  }

  return { trouble, file, dismiss: () => trouble.set(null) };
}

export type Told = (count: number) => string;
export type Filing = ReturnType<typeof openFiling>;

/** Rows of a page. */
const pageSize = 200;
/** Notes that are looked for one by one, wherever they are; of more the list is read. */
const apartMax = 20;

/** Where notes are, also those that are chosen and not read; without those that are gone. @throws {ApiError} */
export async function filedOf(
  ids: ReadonlySet<string>,
  notes: readonly Note[],
  filter: Filter,
): Promise<Filed[]> {
  const found = new Map<string, Filed>();
  const take = (some: readonly Note[]) => {
    for (const one of some) if (ids.has(one.recording_id)) found.set(one.recording_id, one);
  };
  take(notes);
  const missing = [...ids].filter((id) => !found.has(id));
  if (missing.length <= apartMax) {
    for (const around of missing) {
      const query = { around, limit: 1 };
      take((await answer(api.GET('/transcripts', { params: { query } }))).transcripts);
    }
    return [...found.values()];
  }
  let cursor: string | null | undefined;
  while (found.size < ids.size && cursor !== null) {
    const at = cursor === undefined ? {} : { cursor };
    const query = { ...queryOf(filter), limit: pageSize, ...at };
    const page = await answer(api.GET('/transcripts', { params: { query } }));
    take(page.transcripts);
    cursor = page.next_cursor;
  }
  return [...found.values()];
}
