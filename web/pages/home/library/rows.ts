import type { Answered } from '../../../client/api.ts';
/** Rows of the library: notes under the days on which they were recorded. */

export type Note = Answered<'listTranscripts'>['transcripts'][number];
/** What `GET /search` answers with `group=note`. */
export type NotesFound = Extract<Answered<'search'>, { notes: unknown }>;
export type NoteFound = NotesFound['notes'][number];

/** A heading: of a day, or of a month where days are long ago. */
export type Heading = { type: 'heading'; key: string; at: Date; span: 'day' | 'month' };
export type Row = Heading | { type: 'note'; key: string; note: Note; place: number };

/** Notes of the last so many days stand under their days, older ones under their months. */
const daysMax = 60;

/** @param notes newest first */
export function rowsOf(notes: readonly Note[], now: Date): Row[] {
  const rows: Row[] = [];
  const byMonth = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysMax);
  let last = '';
  notes.forEach((note, index) => {
    const at = new Date(note.created_at);
    const span = at < byMonth ? 'month' : 'day';
    const key = span === 'day' ? dayOf(at) : `${at.getFullYear()}-${at.getMonth()}`;
    if (key !== last) rows.push({ type: 'heading', key, at, span });
    last = key;
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
 * The notes with one of them as it is now: in its place, if that is among what was read.
 * @param note null: it is not in the list (any more)
 */
export function withNote(
  notes: readonly Note[],
  recordingId: string,
  note: Note | null,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Note[] {
  const others = notes.filter(({ recording_id }) => recording_id !== recordingId);
  if (note === null) return others;
  const found = others.findIndex((one) => order(one, note) > 0);
  const place = found === -1 ? others.length : found;
  const isRead = (place > 0 || isFirst) && (place < others.length || isLast);
  return isRead ? others.toSpliced(place, 0, note) : others;
}

/** Each note once. */
export function withoutDoubles(notes: readonly Note[]): Note[] {
  const seen = new Set<string>();
  return notes.filter(({ recording_id: id }) => !seen.has(id) && seen.add(id));
}

/** Negative when `a` stands before `b`: the newer first. */
export function order(a: Note, b: Note): number {
  if (a.created_at !== b.created_at) return a.created_at > b.created_at ? -1 : 1;
  if (a.recording_id === b.recording_id) return 0;
  return a.recording_id > b.recording_id ? -1 : 1;
}

const dayOf = (at: Date): string => `${at.getFullYear()}-${at.getMonth()}-${at.getDate()}`;
