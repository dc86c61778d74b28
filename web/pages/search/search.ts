/** What is found: page after page, and again while notes are still being searched. */
import { type ReadableAtom, type WritableAtom, atom } from 'nanostores';
import { type Problem, answer, api, problemIn } from '../../client/api.ts';
import { onFrame } from '../../client/feed.ts';
import { type Filter, type Seeking, queryOf } from '../home/library/filter.ts';
import { changesList, isFiling } from '../home/library/list-frames.ts';
import type { NoteFound, NotesFound } from '../home/library/rows.ts';
import { charactersMax } from './suggestions.ts';

/** What is searched, where, by what, and what stands first. */
export type Question = { text: string; filter: Filter } & Seeking;

export type Found = {
  question: Question;
  notes: NoteFound[];
  /** How many notes there are in all. */
  all: number;
  /** Of the next page; null: this is all. */
  next: string | null;
  /** Share of the notes that were searched, 0 to 1. */
  fraction: number;
  /** Whether more are searched soon: of a library without room for all, some never are. */
  grows: boolean;
  /** How many of them can be found by what they mean; null: they were searched by their words alone. */
  meaning: NotesFound['meaning'];
  problem: Problem | null;
};

/** Notes of a page, and most that one answer has. */
const pageSize = 20;
const answerMax = 100;
/** Passages of a note at first, and when more of them are asked for. */
const [passagesFirst, passagesMax] = [3, 100];
/** Until it is asked again while more and more notes are searched by their words, and otherwise, milliseconds. */
const againMs = 1000;
const seldomMs = 10_000;

/** Answers questions; one that is asked before the last was answered takes its place. */
export function openSearch() {
  const found = atom<Found | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** What is on its way, and whether a note changed since it was asked. */
  let asking: AbortController | undefined;
  let isOutdated = false;
  /** Notes of which all passages are shown. */
  const opened = new Set<string>();
  async function ask(question: Question, count = pageSize): Promise<void> {
    const mine = (asking = new AbortController());
    isOutdated = false;
    try {
      const answer = await readAsOpened(question, { count, opened, found }, mine.signal);
      if (asking !== mine) return;
      const before = found.get()?.question === question ? found.get() : null;
      const grows = answer.fraction < 1 && answer.fraction !== before?.fraction;
      found.set({ question, ...answer, grows, problem: null });
      const wait = isOutdated || grows ? againMs : waitBefore(answer, before);
      if (wait !== null) askAgain(wait);
    } catch (error) {
      if (mine.signal.aborted || asking !== mine) return;
      found.set({ ...knownOf(question, found.get()), problem: problemIn(error) });
      if (isOutdated) askAgain(againMs);
    } finally {
      if (asking === mine) asking = undefined;
    }
  }

  /** Asks for as much of the same as is shown by then. */
  function askAgain(wait: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const shown = found.get();
      if (shown !== null) void ask(shown.question, shown.notes.length);
    }, wait);
  }

  const forget = () => {
    clearTimeout(timer);
    asking?.abort();
    asking = undefined;
  };
  /** Notes that came, changed or went since are found, or not, too; what is asked just now is answered before. */
  const stopFrames = onFrame((frame) => {
    if (frame.type !== 'access' && !changesList(frame) && !isFiling(frame)) return;
    if (asking === undefined) askAgain(againMs);
    else isOutdated = true;
  });

  return {
    found,
    /** @param upTo number of a note: so many are read, and a page more; nothing closes the search */
    async ask(question: Question, upTo = 0): Promise<void> {
      forget();
      opened.clear();
      const text = question.text.trim();
      if (text === '') found.set(null);
      else await ask({ ...question, text }, upTo + pageSize);
    },
    /** The next page. */
    more: async () => await extend(found, withMore),
    /** All passages of one of the notes. */
    async open(id: string): Promise<void> {
      opened.add(id);
      await extend(found, (shown) => withAllOf(shown, id));
    },
    stop: () => (forget(), stopFrames()),
  };
}

/** Changes what is shown by then, unless that is the answer to another question. */
async function extend(
  found: WritableAtom<Found | null>,
  read: (shown: Found) => Promise<Extension>,
): Promise<void> {
  const shown = found.get();
  if (shown === null) return;
  const set = (extension: Extension) => {
    const now = found.get();
    if (now?.question === shown.question) found.set({ ...now, ...extension(now) });
  };
  try {
    set(await read(shown));
  } catch (error) {
    const problem = problemIn(error);
    set(() => ({ problem }));
  }
}

type Extension = (now: Found) => Partial<Found>;

/** Until the same is asked again; null: nothing new is expected. What meaning is not known of may never be known. */
function waitBefore(
  { fraction, meaning }: Pick<Found, 'fraction' | 'meaning'>,
  before: Found | null,
): number | null {
  const grows = meaning?.complete === false && meaning.fraction !== before?.meaning?.fraction;
  return fraction < 1 || grows ? seldomMs : null;
}

type Read = Omit<Found, 'question' | 'grows' | 'problem'>;

/** Asks the service for notes. */
async function read(
  { text, filter, order, mode }: Question,
  more: { limit: number; cursor?: string; recording_id?: string; passages?: number },
  signal?: AbortSignal,
): Promise<NotesFound> {
  const query = {
    ...queryOf(filter),
    q: text.slice(0, charactersMax),
    group: 'note' as const,
    order,
    mode,
    passages: passagesFirst,
    ...more,
  };
  const found = await answer(
    api.GET('/search', { params: { query }, ...(signal !== undefined && { signal }) }),
  );
  // `group=note` is answered with notes, by the OpenAPI document one of two.
  return found as NotesFound;
}

/** What was found for a question stays in sight while it cannot be answered again. */
function knownOf(question: Question, before: Found | null): Omit<Found, 'problem'> {
  if (before?.question === question) return before;
  return { question, notes: [], all: 0, next: null, fraction: 0, grows: false, meaning: null };
}

/** So many notes, and all passages of those that were opened; of what is asked for meanwhile, too. */
async function readAsOpened(
  question: Question,
  how: { count: number; opened: ReadonlySet<string>; found: ReadableAtom<Found | null> },
  signal: AbortSignal,
): Promise<Read> {
  const { count, opened, found } = how;
  const answer = await readUpTo(question, count, signal);
  const wholes = [...opened].map((id) => readWhole(question, id, signal));
  for (const whole of await Promise.all(wholes)) answer.notes = withWhole(answer.notes, whole);
  const shown = knownOf(question, found.get()).notes.length;
  if (shown <= count && opened.size === wholes.length) return answer;
  return await readAsOpened(question, { ...how, count: Math.max(count, shown) }, signal);
}

/** Page after page, until so many notes are there. */
async function readUpTo(question: Question, count: number, signal: AbortSignal): Promise<Read> {
  let notes: NoteFound[] = [];
  let page: NotesFound | undefined;
  do {
    const limit = Math.min(answerMax, Math.max(pageSize, count - notes.length));
    const cursor = page?.next_cursor ?? null;
    page = await read(question, { limit, ...(cursor !== null && { cursor }) }, signal);
    notes = joined(notes, page.notes);
  } while (notes.length < count && page.next_cursor !== null);
  const { notes_found: all, next_cursor: next, fraction, meaning } = page;
  return { notes, all, next, fraction, meaning };
}

async function withMore({ question, next }: Found): Promise<Extension> {
  if (next === null) return () => ({});
  const page = await read(question, { limit: pageSize, cursor: next });
  return ({ notes }) => ({
    notes: joined(notes, page.notes),
    next: page.next_cursor,
    problem: null,
  });
}

async function withAllOf({ question }: Found, recordingId: string): Promise<Extension> {
  const whole = await readWhole(question, recordingId);
  return ({ notes }) => ({ notes: withWhole(notes, whole), problem: null });
}

/** A note with all its passages; undefined: it is found no longer. */
async function readWhole(
  question: Question,
  recordingId: string,
  signal?: AbortSignal,
): Promise<NoteFound | undefined> {
  const one = { limit: 1, recording_id: recordingId, passages: passagesMax };
  return (await read(question, one, signal)).notes[0];
}

const withWhole = (notes: readonly NoteFound[], whole: NoteFound | undefined): NoteFound[] =>
  notes.map((note) => (whole?.recording_id === note.recording_id ? whole : note));

/** Each note once: what is first may have moved while pages were read. */
function joined(notes: readonly NoteFound[], more: readonly NoteFound[]): NoteFound[] {
  const ids = new Set(notes.map(({ recording_id }) => recording_id));
  return [...notes, ...more.filter(({ recording_id }) => !ids.has(recording_id))];
}

/** A passage in pieces, those that were asked for marked. */
export function markedPieces({
  text,
  marks,
}: NoteFound['passages'][number]): { text: string; hit: boolean }[] {
  const pieces: { text: string; hit: boolean }[] = [];
  let rest = 0;
  for (const [from, to] of marks) {
    if (from > rest) pieces.push({ text: text.slice(rest, from), hit: false });
    pieces.push({ text: text.slice(from, to), hit: true });
    rest = to;
  }
  if (rest < text.length) pieces.push({ text: text.slice(rest), hit: false });
  return pieces;
}

/** The longest word of a question of several: perhaps it alone is found. */
export function mainWord(question: string): string | null {
  const asked: string[] = question.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return asked.length < 2 ? null : asked.reduce((a, b) => (b.length > a.length ? b : a));
}

/** The address of a note at a second, with the find bar filled. @param word as it is said there; empty: none */
export function findAddress(recordingId: string, word: string, start: number | null): string {
  const query = new URLSearchParams();
  if (start !== null) query.set('t', String(Math.floor(start)));
  if (start !== null && word !== '') query.set('find', word);
  return `/notes/${recordingId}${query.size === 0 ? '' : `?${query}`}`;
}
