/**
 * Folders and tags of who is logged in, and where notes are put. No frame tells of their names: they are read again when
 * a page that shows them is opened, when the window gets the focus, and after each change that is made here.
 */
import { atom } from 'nanostores';
import { type Answered, ApiError, type Problem, type Sent, answer, api } from '../client/api.ts';
import { onFrame } from '../client/feed.ts';
import { openReading } from '../client/reading.ts';

export type Folder = Answered<'listFolders'>['folders'][number];
export type Tag = Answered<'listTags'>['tags'][number];
export type Counted = Pick<Folder, 'recordings' | 'more'>;
export type Refused = Answered<'changeRecordings'>['refused'][number];

export type Order = { folders: readonly Folder[]; none: Counted; tags: readonly Tag[] };
/** Where a note is: ids. */
export type Filed = { folder: string | null; tags: string[] };
export type Change = Sent<'changeRecordings'>['changes'][number];

const countedEvents = new Set(['recording.filed', 'tags.changed', 'recording.erased']);
/** Counted anew when so long nothing of it happened, milliseconds. */
const restMs = 1000;

/** As it was read last; null before that. Read again whenever somebody begins to look. */
export const { value: order, read: readOrder } = openReading(
  async (): Promise<Order> => {
    const [{ folders, none }, { tags }] = await Promise.all([
      answer(api.GET('/folders')),
      answer(api.GET('/tags')),
    ]);
    return { folders, none, tags };
  },
  (again) => {
    addEventListener('focus', again);
    // How many notes they have.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stopFrames = onFrame((frame) => {
      if (frame.type !== 'transition' || !countedEvents.has(frame.event)) return;
      clearTimeout(timer);
      timer = setTimeout(again, restMs);
    });
    return () => {
      removeEventListener('focus', again);
      clearTimeout(timer);
      stopFrames();
    };
  },
);

/** Where notes were just put by this page, by id: for lists that show them. */
export const filed = atom<ReadonlyMap<string, Filed>>(new Map());

/** @throws {ApiError} 409: there is one of that name */
export async function createFolder(name: string): Promise<string> {
  const { id } = await answer(api.POST('/folders', { body: { name } }));
  await readOrder();
  return id;
}

/** With the next of the eight colours. @throws {ApiError} 409: there is one of that name */
export async function createTag(name: string): Promise<string> {
  const colour = colours[(order.get()?.tags.length ?? 0) % colours.length]!;
  const { id } = await answer(api.POST('/tags', { body: { name, colour } }));
  await readOrder();
  return id;
}

export type Kind = 'folder' | 'tag';
/** What a recording is that begins in a folder. */
export type Beginning = Partial<Pick<Folder, 'kind' | 'language' | 'template'>>;

/**
 * Another name, of a folder what is recorded into it.
 * @param opened as it was when somebody began to change it: what is as it was there is not sent, another page may have
 * changed it since
 * @throws {ApiError} 409: there is one of that name; 404: it is gone
 */
export async function saveFolder(
  opened: Folder,
  wanted: Required<Beginning> & Pick<Folder, 'name'>,
): Promise<void> {
  const params = { path: { folder: opened.id } };
  await answer(api.PATCH('/folders/{folder}', { params, body: otherThan(opened, wanted) }));
  await readOrder();
}

/** Another name, another colour, as `saveFolder`. */
export async function saveTag(opened: Tag, wanted: Pick<Tag, 'name' | 'colour'>): Promise<void> {
  const params = { path: { tag: opened.id } };
  await answer(api.PATCH('/tags/{tag}', { params, body: otherThan(opened, wanted) }));
  await readOrder();
}

/** Those fields that are other than they were. */
export function otherThan<T extends object>(before: T, wanted: T): Partial<T> {
  const now = { ...wanted } as Partial<T>;
  for (const key of Object.keys(wanted) as (keyof T)[])
    if (JSON.stringify(wanted[key]) === JSON.stringify(before[key])) delete now[key];
  return now;
}

/** Its notes stay. @throws {ApiError} */
export async function remove(kind: Kind, id: string): Promise<void> {
  if (kind === 'folder')
    await answer(api.DELETE('/folders/{folder}', { params: { path: { folder: id } } }));
  else await answer(api.DELETE('/tags/{tag}', { params: { path: { tag: id } } }));
  await readOrder();
}

export const colours = [1, 2, 3, 4, 5, 6, 7, 8] as const satisfies readonly Tag['colour'][];

/** As many as one request takes (`POST /recordings/bulk`). */
const changedTogether = 500;

/**
 * Puts notes elsewhere, 500 at a time.
 * @param progress is called with how many were asked for
 * @returns the changes that undo it, what was refused, and what ended it before its time
 * @throws {ApiError} where nothing was done
 */
export async function fileNotes(
  changes: readonly Change[],
  progress: (done: number) => void = () => {},
): Promise<{ undo: Change[]; refused: Refused[]; problem: Problem | null }> {
  const undo: Change[] = [];
  const refused: Refused[] = [];
  for (let at = 0; at < changes.length; at += changedTogether) {
    try {
      const done = await fileTogether(changes.slice(at, at + changedTogether));
      undo.push(...done.undo);
      refused.push(...done.refused);
    } catch (error) {
      if (!(error instanceof ApiError) || at === 0) throw error;
      return { undo, refused, problem: error.problem };
    }
    progress(Math.min(at + changedTogether, changes.length));
  }
  return { undo, refused, problem: null };
}

/** Takes back what was done, by its `undo`. @throws {ApiError} also where one note was refused: the others are back then */
export async function fileBack(undo: readonly Change[]): Promise<void> {
  const { refused, problem } = await fileNotes(undo);
  const [first] = refused;
  if (problem !== null) throw new ApiError(problem);
  if (first) throw new ApiError({ type: first.type, title: first.detail, status: 409 });
}

async function fileTogether(
  changes: readonly Change[],
): Promise<{ undo: Change[]; refused: Refused[] }> {
  const body = { changes: [...changes] };
  const { changed, refused } = await answer(api.POST('/recordings/bulk', { body }));
  const wanted = new Map(changes.map((one) => [one.recording_id, one]));
  filed.set(
    new Map(changed.map(({ recording_id: id, before }) => [id, changedBy(before, wanted.get(id))])),
  );
  const undo = changed.map(({ recording_id: id, before }) => ({
    recording_id: id,
    ...undoOf(wanted.get(id), before),
  }));
  return { undo, refused };
}

type Move = Omit<Change, 'recording_id'>;

/** What takes back a change, and nothing that was done since: what it left alone is not said again. */
export function undoOf(change: Move | undefined, before: Filed): Move {
  const { folder, tags } = changedBy(before, change);
  return {
    ...(folder !== before.folder && { folder: before.folder }),
    add_tags: before.tags.filter((tag) => !tags.includes(tag)),
    remove_tags: tags.filter((tag) => !before.tags.includes(tag)),
  };
}

/** Where a change leads. */
function changedBy(before: Filed, change: Move = {}): Filed {
  const { folder = before.folder, tags = before.tags, add_tags = [], remove_tags = [] } = change;
  const after = [...tags, ...add_tags].filter((tag) => !remove_tags.includes(tag));
  return { folder, tags: [...new Set(after)] };
}

/** Tags that there are, of ids, by name. */
export const tagsOf = (there: Order | null, ids: readonly string[]): Tag[] =>
  (there?.tags ?? []).filter(({ id }) => ids.includes(id));

/** Of what a person types: without regard to case. */
export const fits = (name: string, typed: string): boolean =>
  name.toLowerCase().includes(typed.trim().toLowerCase());
