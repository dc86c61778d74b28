/** Where a word stands misheard in older notes, and how it is corrected there. */
import { type Answered, answer, api } from '../client/api.ts';
import type { Whose } from './spelling.ts';

export type FoundNote = Answered<'findWord'>['recordings'][number];
export type Place = FoundNote['edits'][number];
/** `next`: where it goes on; null: all were looked through. `fraction`: how much of the library can be by now. */
export type FoundOld = { notes: readonly FoundNote[]; next: string | null; fraction: number };

/** Notes that are found in one go. */
const foundTogether = 20;

/** Looks on until enough is found, or nothing is left. @param found is called with what there is so far @throws {ApiError} */
export async function findOld(
  { of, id, from }: { of: Whose; id: string; from: FoundOld | null },
  found: (now: FoundOld) => void,
  signal: AbortSignal,
): Promise<void> {
  let now = from ?? { notes: [], next: null, fraction: 1 };
  const enough = now.notes.length + foundTogether;
  do {
    const query = { of, limit: foundTogether, ...(now.next === null ? {} : { cursor: now.next }) };
    const page = await answer(
      api.GET('/words/{id}/find', { params: { path: { id }, query }, signal }),
    );
    now = {
      notes: [...now.notes, ...page.recordings],
      next: page.next_cursor,
      fraction: page.fraction,
    };
    if (signal.aborted) return;
    found(now);
  } while (now.next !== null && now.notes.length < enough);
}

/** Corrects places of a note: one version. @throws {ApiError} */
export async function correctPlaces(id: string, places: readonly Place[]): Promise<void> {
  const edits = places.map(({ block, revision, text }) => ({ block, revision, text }));
  await patch(id, edits);
}

/** As it was before, where nobody went on from it. @throws {ApiError} */
export async function uncorrectPlaces(id: string, places: readonly Place[]): Promise<void> {
  const { utterances } = await answer(api.GET('/recordings/{id}', { params: { path: { id } } }));
  const edits = places.flatMap(({ block, text, before }) => {
    const turn = utterances.find((one) => one.block === block && one.text === text);
    return turn?.revision == null ? [] : [{ block, revision: turn.revision, text: before }];
  });
  if (edits.length > 0) await patch(id, edits);
}

const patch = async (id: string, edits: { block: string; revision: string; text: string }[]) =>
  await answer(
    api.PATCH('/recordings/{id}/utterances', { params: { path: { id } }, body: { edits } }),
  );
