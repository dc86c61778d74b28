/** The library as it is read, a page after the other, and read again where something has changed. */
import { atom } from 'nanostores';
import { answer, api, ApiError } from '../../../client/api.ts';
import type { Problem } from '../../../client/api.ts';
import { connection, onFrame } from '../../../client/feed.ts';
import { type Filter, queryOf } from './filter.ts';
import { type Note, order, withPage } from './rows.ts';

export type Library = {
  notes: Note[];
  /** Whether all that there is has been read. */
  complete: boolean;
  /** Whether a page is on its way. */
  busy: boolean;
  problem: Problem | null;
};

/** Rows of a page; and of one that only leads to a place further below, and how many of those are read at most. */
const pageSize = 50;
const [wayPageSize, wayPagesMax] = [200, 50];

/** Reads the library. `stop` when it is no longer shown. */
export function openLibrary() {
  const shown = atom<Library>({ notes: [], complete: false, busy: true, problem: null });
  const state: Reading = { filter: null, pages: [], next: undefined, failed: null };

  const show = (change: Partial<Library>) => shown.set({ ...shown.get(), ...change });

  async function read(wanted: Page): Promise<void> {
    const { cursor, after, limit } = wanted;
    const { filter } = state;
    if (filter === null) return;
    show({ busy: true });
    try {
      const query = { ...queryOf(filter), limit, ...(cursor !== null && { cursor }) };
      const page = await answer(api.GET('/transcripts', { params: { query } }));
      // Chosen otherwise meanwhile: that reading shows itself.
      if (state.filter !== filter) return;
      const isLast = page.next_cursor === null;
      const notes = withPage(shown.get().notes, page.transcripts, { after, isLast });
      remember(state, wanted, page);
      const problem = state.failed === null ? null : shown.get().problem;
      show({ notes, complete: state.next === null, busy: false, problem });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (state.filter !== filter) return;
      state.failed = wanted;
      show({ busy: false, problem: error.problem });
    }
  }

  /** Once more, what could not be read. */
  const again = async () => void (state.failed && (await read(state.failed)));
  const stopWatching = connection.listen((now) => now.state === 'open' && void again());
  const stopFrames = onFrame((frame) => {
    if (frame.type === 'saved' || (frame.type === 'transition' && changesList.has(frame.event)))
      void refresh(frame.recording_id);
  });

  /** Reads the page again that a recording is in, or would be. */
  async function refresh(recordingId: string): Promise<void> {
    const note = shown.get().notes.find((one) => one.recording_id === recordingId);
    await read(pageWith(note, state.pages));
  }

  /** Reads on, unless a page is on its way or there is no more. */
  async function more(limit: number): Promise<void> {
    if (shown.get().busy || typeof state.next !== 'string') return;
    const after = shown.get().notes.at(-1) ?? null;
    await read({ cursor: state.next, after, place: state.pages.length, limit });
  }

  return {
    shown,
    again,
    stop: () => (stopWatching(), stopFrames()),
    /** Shows what fits a filter, from the beginning. @param upTo id of a note to read on to: somebody was there */
    async choose(filter: Filter, upTo?: string): Promise<void> {
      Object.assign(state, { filter, pages: [], next: undefined, failed: null });
      show({ notes: [], complete: false, problem: null });
      const limit = upTo === undefined ? pageSize : wayPageSize;
      await read({ cursor: null, after: null, place: 0, limit });
      if (upTo === undefined) return;
      for (let pages = 1; pages < wayPagesMax && state.filter === filter; pages += 1) {
        if (isEnough(shown.get(), upTo)) return;
        await more(limit);
      }
    },
    more: async () => await more(pageSize),
  };
}

const isEnough = ({ notes, complete, problem }: Library, upTo: string): boolean =>
  complete || problem !== null || notes.some(({ recording_id }) => recording_id === upTo);

/** Where a page that was read began and ended, and whether it is read on behind it. */
function remember(
  state: Reading,
  { cursor, after, place, limit }: Page,
  read: { transcripts: readonly Note[]; next_cursor: string | null },
): void {
  state.pages[place] = { cursor, limit, last: read.transcripts.at(-1) ?? after };
  if (place === state.pages.length - 1 || read.next_cursor === null) {
    state.pages.length = place + 1;
    state.next = read.next_cursor;
  }
  if (state.failed?.place === place) state.failed = null;
}

/** The page that a note is in; of one that is in none, the first. */
function pageWith(note: Note | undefined, pages: Reading['pages']): Page {
  const found = note ? pages.findIndex(({ last }) => last && order(note, last) <= 0) : 0;
  const place = Math.max(0, found);
  const { cursor = null, limit = pageSize } = pages[place] ?? {};
  return { cursor, after: pages[place - 1]?.last ?? null, place, limit };
}

type Reading = {
  filter: Filter | null;
  /** What was read: where each page began, and its last note. */
  pages: { cursor: string | null; limit: number; last: Note | null }[];
  /** Where to read on; null: nowhere. */
  next: string | null | undefined;
  /** The page that could not be read last. */
  failed: Page | null;
};

/** `cursor`: null for the first; `after`: the note before it; `place` among the pages. */
type Page = { cursor: string | null; after: Note | null; place: number; limit: number };

/** Facts after which a row is other than it was, besides `saved`. */
const changesList = new Set(['recording.erased', 'documents.deleted', 'owner.changed']);
