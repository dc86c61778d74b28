/**
 * The library as it is read: from its beginning or round a note, then page after page up and down. What changes is read
 * again, one note at a time.
 */
import { atom } from 'nanostores';
import { answer, api, ApiError } from '../../../client/api.ts';
import type { Problem } from '../../../client/api.ts';
import { type Frame, connection, onFrame } from '../../../client/feed.ts';
import { type Filter, queryOf } from './filter.ts';
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

/** Reads the library. `stop` when it is no longer shown. */
export function openLibrary() {
  const shown = atom<Library>({ ...nothing, busy: true });
  /** What is being read; another one with each filter that is chosen. */
  let reading: Reading | null = null;

  const show = (change: Partial<Library>) =>
    shown.set({ ...shown.get(), grewAbove: false, ...change });

  async function read(wanted: Wanted): Promise<void> {
    const mine = reading;
    if (mine === null) return;
    show({ busy: true });
    try {
      const query = { ...queryOf(mine.filter), limit: pageSize, ...wanted };
      const page = await answer(api.GET('/transcripts', { params: { query } }));
      // Chosen otherwise meanwhile: that reading shows itself.
      if (reading !== mine) return;
      const { transcripts, next_cursor, previous_cursor } = page;
      const isAbove = 'before' in wanted;
      const isBelow = 'cursor' in wanted;
      if (!isAbove) mine.cursors.next = next_cursor;
      if (!isBelow) mine.cursors.previous = previous_cursor;
      const before = isAbove || isBelow ? shown.get().notes : [];
      const notes = isAbove ? [...transcripts, ...before] : [...before, ...transcripts];
      mine.failed = null;
      show({
        notes: withoutDoubles(notes),
        isFirst: mine.cursors.previous === null,
        isLast: mine.cursors.next === null,
        grewAbove: isAbove,
        busy: false,
        problem: null,
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (reading !== mine) return;
      mine.failed = wanted;
      show({ busy: false, problem: error.problem });
    }
  }

  /** Once more, what could not be read. */
  async function again(): Promise<void> {
    const { failed = null, stale = new Set<string>() } = reading ?? {};
    if (failed !== null) await read(failed);
    for (const id of stale) await refresh(id);
  }
  const stopWatching = connection.listen((now) => now.state === 'open' && void again());
  const stopFrames = onFrame((frame) => {
    if (!changesList(frame)) return;
    if (frame.type === 'transition' && frame.event === 'recording.erased')
      put(frame.recording_id, null);
    else void refresh(frame.recording_id);
  });

  /** Reads one note again, and where it stands. */
  async function refresh(recordingId: string): Promise<void> {
    const mine = reading;
    if (mine === null) return;
    const query = { ...queryOf(mine.filter), around: recordingId, limit: 1 };
    mine.stale.add(recordingId);
    try {
      const { transcripts } = await answer(api.GET('/transcripts', { params: { query } }));
      const [note] = transcripts;
      if (reading !== mine) return;
      mine.stale.delete(recordingId);
      put(recordingId, note?.recording_id === recordingId ? note : null);
      if (mine.failed === null && mine.stale.size === 0) show({ problem: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (reading === mine) show({ problem: error.problem });
    }
  }

  function put(recordingId: string, note: Note | null): void {
    const now = shown.get();
    show({ notes: withNote(now.notes, recordingId, note, now) });
  }

  return {
    shown,
    again,
    /** Shows what fits a filter. @param around id of a note where somebody was */
    async choose(filter: Filter, around?: string): Promise<void> {
      const former = left;
      forget();
      const mine: Reading = {
        filter,
        cursors: { next: null, previous: null },
        failed: null,
        stale: new Set(),
      };
      reading = mine;
      const isHere =
        former?.filter === JSON.stringify(filter) &&
        former.shown.notes.some(({ recording_id }) => recording_id === around);
      if (isHere) {
        mine.cursors = former.cursors;
        show(former.shown);
        return;
      }
      show({ ...nothing, busy: true });
      await read(around === undefined ? {} : { around });
    },
    /** Reads on below, or above, unless a page is on its way or there is no more. */
    async more(where: 'below' | 'above'): Promise<void> {
      const { busy } = shown.get();
      const { next, previous } = reading?.cursors ?? {};
      if (busy) return;
      if (where === 'below' && next) await read({ cursor: next });
      if (where === 'above' && previous) await read({ before: previous });
    },
    stop(): void {
      stopWatching();
      stopFrames();
      forget();
      const { notes, busy } = shown.get();
      if (reading === null || busy || notes.length === 0) return;
      left = {
        filter: JSON.stringify(reading.filter),
        shown: { ...shown.get(), grewAbove: false },
        cursors: reading.cursors,
        stop: onFrame((frame) => changesList(frame) && forget()),
      };
      reading = null;
    },
  };
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
type Wanted = { cursor: string } | { before: string } | { around: string } | Record<never, never>;
type Reading = {
  filter: Filter;
  cursors: Cursors;
  /** What could not be read last. */
  failed: Wanted | null;
  /** Notes that could not be read again. */
  stale: Set<string>;
};

/** Whether a row is other than it was. */
const changesList = (frame: Frame): frame is Extract<Frame, { type: 'saved' | 'transition' }> =>
  frame.type === 'saved' || (frame.type === 'transition' && changes.has(frame.event));
const changes = new Set(['recording.erased', 'documents.deleted', 'recording.handed_over']);
