/**
 * The library as it is read: from its beginning or round a note, then page after page up and down. What changes is read
 * again, one note at a time.
 */
import { type WritableAtom, atom } from 'nanostores';
import { answer, api, ApiError } from '../../../client/api.ts';
import type { Problem } from '../../../client/api.ts';
import { type Frame, connection, onFrame } from '../../../client/feed.ts';
import { person } from '../../../client/session.ts';
import { type Filed, filed } from '../../../order/order.ts';
import { type Filter, fitsOrder, queryOf } from './filter.ts';
import { changesList, isFiling, isHolding } from './list-frames.ts';
import { type Note, withNote, withoutDoubles } from './rows.ts';

export type Library = {
  notes: Note[];
  /** Whether nothing is above the first, and below the last. */
  isFirst: boolean;
  isLast: boolean;
  /** Whether the last change put notes above those that were there. */
  grewAbove: boolean;
  /** Whether a page is on its way. */
  busy: boolean;
  problem: Problem | null;
};

/** Rows of a page. */
const pageSize = 50;

/** What was left last, for who comes back to it; until something in it changes. */
let left: { filter: string; shown: Library; cursors: Cursors; stop: () => void } | null = null;

// To who logs in behind somebody else nothing of theirs is shown.
person.listen(() => forget());

/** Reads the library. `stop` when it is no longer shown. */
export function openLibrary() {
  const state: Reads = { shown: atom<Library>({ ...nothing, busy: true }), reading: null };
  const filings = gather(state);
  const stops = [
    connection.listen((now) => now.state === 'open' && void again(state)),
    onFrame((frame) => {
      filings.hear(frame);
      const { reading } = state;
      const isMissed = frame.type === 'position' && frame.skipped === true;
      if (reading && (isMissed || (frame.type === 'access' && reading.filter.shared)))
        void choose(state, reading.filter);
      if (!changesList(frame)) return;
      if (frame.type === 'transition' && frame.event === 'recording.erased')
        put(state, frame.recording_id, null);
      else void refresh(state, frame.recording_id);
    }),
    filed.listen((places) => void refile(state, places)),
    filings.stop,
  ];
  return {
    shown: state.shown,
    /** Once more, what could not be read. */
    again: () => again(state),
    /** Shows what fits a filter. @param around id of a note where somebody was */
    choose: (filter: Filter, around?: string) => choose(state, filter, around),
    /** Reads on below, or above, unless a page is on its way or there is no more. */
    async more(where: 'below' | 'above'): Promise<void> {
      const { next, previous } = state.reading?.cursors ?? {};
      if (state.shown.get().busy) return;
      if (where === 'below' && next) await read(state, { cursor: next });
      if (where === 'above' && previous) await read(state, { before: previous });
    },
    stop(): void {
      for (const stop of stops) stop();
      leave(state);
    },
  };
}

/** What is shown, and what is being read: another one with each filter that is chosen. */
type Reads = { readonly shown: WritableAtom<Library>; reading: Reading | null };

const show = ({ shown }: Reads, change: Partial<Library>) =>
  shown.set({ ...shown.get(), grewAbove: false, ...change });

async function read(state: Reads, wanted: Wanted): Promise<void> {
  const mine = state.reading;
  if (mine === null) return;
  show(state, { busy: true });
  try {
    const query = { ...listOf(mine.filter), limit: pageSize, ...wanted };
    const page = await answer(api.GET('/transcripts', { params: { query } }));
    // Chosen otherwise meanwhile: that reading shows itself.
    if (state.reading !== mine) return;
    const { transcripts, next_cursor, previous_cursor } = page;
    const isAbove = 'before' in wanted;
    const isBelow = 'cursor' in wanted;
    if (!isAbove) mine.cursors.next = next_cursor;
    if (!isBelow) mine.cursors.previous = previous_cursor;
    const before = isAbove || isBelow ? state.shown.get().notes : [];
    const notes = isAbove ? [...transcripts, ...before] : [...before, ...transcripts];
    mine.failed = null;
    show(state, {
      notes: withoutDoubles(notes),
      isFirst: mine.cursors.previous === null,
      isLast: mine.cursors.next === null,
      grewAbove: isAbove,
      busy: false,
      problem: null,
    });
    // The server looked at many and found none of them.
    if (transcripts.length === 0 && !isAbove && next_cursor !== null)
      await read(state, { cursor: next_cursor });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (state.reading !== mine) return;
    mine.failed = wanted;
    show(state, { busy: false, problem: error.problem });
  }
}

/** The query of the list that a filter wants. */
const listOf = (filter: Filter) => ({
  ...queryOf(filter),
  ...(filter.shared !== null && { shared: filter.shared }),
});

async function again(state: Reads): Promise<void> {
  const { failed = null, stale = new Set<string>() } = state.reading ?? {};
  if (failed !== null) await read(state, failed);
  for (const id of stale) await refresh(state, id);
}

/** Reads one note again, and where it stands. */
async function refresh(state: Reads, recordingId: string): Promise<void> {
  const mine = state.reading;
  if (mine === null) return;
  const query = { ...listOf(mine.filter), around: recordingId, limit: 1 };
  mine.stale.add(recordingId);
  try {
    const { transcripts } = await answer(api.GET('/transcripts', { params: { query } }));
    const [note] = transcripts;
    if (state.reading !== mine) return;
    mine.stale.delete(recordingId);
    put(state, recordingId, note?.recording_id === recordingId ? note : null);
    if (mine.failed === null && mine.stale.size === 0) show(state, { problem: null });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (state.reading === mine) show(state, { problem: error.problem });
  }
}

function put(state: Reads, recordingId: string, note: Note | null): void {
  const now = state.shown.get();
  show(state, { notes: withNote(now.notes, recordingId, note, now) });
}

/** Notes that are read one by one where they come into the list; of more it is read from its beginning. */
const comingMax = 20;

/** Notes were put elsewhere: those that do not fit any more leave the list, others may come. */
async function refile(state: Reads, places: ReadonlyMap<string, Filed>): Promise<void> {
  const { reading } = state;
  if (reading === null) return;
  const { filter } = reading;
  const there = new Set(state.shown.get().notes.map(({ recording_id }) => recording_id));
  const notes = state.shown
    .get()
    .notes.map((note) => ({ ...note, ...places.get(note.recording_id) }))
    .filter((note) => !places.has(note.recording_id) || fitsOrder(filter, note));
  show(state, { notes });
  const coming = [...places].filter(([id, place]) => !there.has(id) && fitsOrder(filter, place));
  if (coming.length > comingMax) await choose(state, filter);
  else for (const [id] of coming) await refresh(state, id);
}

/** Frames that come within so long are one change, milliseconds: of many notes there are as many. */
const togetherMs = 300;

/** Notes that were protected, or put elsewhere by another page; where this one put some is known. */
function gather(state: Reads) {
  /** And whether they were put elsewhere, and nothing else. */
  const moved = new Map<string, boolean>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const read = async () => {
    const wanted = [...moved].flatMap(([id, isMove]) => (isMove && filed.get().has(id) ? [] : id));
    moved.clear();
    const { reading } = state;
    if (reading === null) return;
    if (wanted.length > comingMax) await choose(state, reading.filter);
    else for (const id of wanted) await refresh(state, id);
  };
  return {
    hear(frame: Frame): void {
      if (!isFiling(frame) && !isHolding(frame)) return;
      const { recording_id: id } = frame;
      moved.set(id, isFiling(frame) && (moved.get(id) ?? true));
      clearTimeout(timer);
      timer = setTimeout(() => void read(), togetherMs);
    },
    stop: () => clearTimeout(timer),
  };
}

async function choose(state: Reads, filter: Filter, around?: string): Promise<void> {
  const former = left;
  forget();
  const mine: Reading = {
    filter,
    cursors: { next: null, previous: null },
    failed: null,
    stale: new Set(),
  };
  state.reading = mine;
  const isHere =
    former?.filter === JSON.stringify(filter) &&
    former.shown.notes.some(({ recording_id }) => recording_id === around);
  if (isHere) {
    mine.cursors = former.cursors;
    show(state, former.shown);
    return;
  }
  show(state, { ...nothing, busy: true });
  await read(state, around === undefined ? {} : { around });
}

/** Keeps what is shown for who comes back to it. */
function leave(state: Reads): void {
  forget();
  const { reading } = state;
  const shown = state.shown.get();
  if (reading === null || shown.busy || shown.notes.length === 0) return;
  const stopFrames = onFrame(
    (frame) =>
      (frame.type === 'access' || changesList(frame) || isFiling(frame) || isHolding(frame)) &&
      forget(),
  );
  const stopFiled = filed.listen(forget);
  left = {
    filter: JSON.stringify(reading.filter),
    shown: { ...shown, grewAbove: false },
    cursors: reading.cursors,
    stop: () => (stopFrames(), stopFiled()),
  };
  state.reading = null;
}

function forget(): void {
  left?.stop();
  left = null;
}

const nothing: Library = {
  notes: [],
  isFirst: true,
  isLast: false,
  grewAbove: false,
  busy: false,
  problem: null,
};

type Cursors = { next: string | null; previous: string | null };
/** At most one of them; none: from the beginning. */
type Wanted = { cursor?: string; before?: string; around?: string };
type Reading = {
  filter: Filter;
  cursors: Cursors;
  /** What could not be read last. */
  failed: Wanted | null;
  /** Notes that could not be read again. */
  stale: Set<string>;
};
