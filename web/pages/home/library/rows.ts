/** Rows of the library: notes under the days on which they were recorded. */
import type { operations } from '../../../client/interface.d.ts';

type Answered<Name extends 'listTranscripts' | 'search'> =
  operations[Name]['responses'][200]['content']['application/json'];
export type Note = Answered<'listTranscripts'>['transcripts'][number];
/** What `GET /search` answers with `group=note`. */
export type NotesFound = Extract<Answered<'search'>, { notes: unknown }>;
export type NoteFound = NotesFound['notes'][number];

export type Row =
  | { type: 'day'; key: string; at: Date }
  | { type: 'note'; key: string; note: Note; place: number };

/** @param notes newest first */
export function rowsOf(notes: readonly Note[]): Row[] {
  const rows: Row[] = [];
  let day = '';
  notes.forEach((note, index) => {
    const at = new Date(note.created_at);
    const mine = dayOf(at);
    if (mine !== day) rows.push({ type: 'day', key: mine, at });
    day = mine;
    rows.push({ type: 'note', key: note.recording_id, note, place: index + 1 });
  });
  return rows;
}

/** Which of the days that people name without a date; null: say the date. */
export function nearDay(at: Date, now: Date): 'today' | 'yesterday' | null {
  if (dayOf(at) === dayOf(now)) return 'today';
  const before = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  return dayOf(at) === dayOf(before) ? 'yesterday' : null;
}

/**
 * Puts a page that was read (again) in the place of what was there: what stands up to `after` and behind
 * the page's last stays, what stood between and is no longer in the page is gone.
 * @param after the last before the page; null: the page is the first
 * @param isLast whether nothing is behind the page
 */
export function withPage(
  former: readonly Note[],
  page: readonly Note[],
  { after, isLast }: { after: Note | null; isLast: boolean },
): Note[] {
  const last = page.at(-1) ?? after;
  const before = after === null ? [] : former.filter((note) => order(note, after) <= 0);
  const behind = isLast || last === null ? [] : former.filter((note) => order(note, last) > 0);
  return [...before, ...page, ...behind];
}

/** Negative when `a` stands before `b`: the newer first. */
export function order(a: Note, b: Note): number {
  if (a.created_at !== b.created_at) return a.created_at > b.created_at ? -1 : 1;
  if (a.recording_id === b.recording_id) return 0;
  return a.recording_id > b.recording_id ? -1 : 1;
}

const dayOf = (at: Date): string => `${at.getFullYear()}-${at.getMonth()}-${at.getDate()}`;
