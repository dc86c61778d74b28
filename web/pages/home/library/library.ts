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

/** Rows of a page. */
const pageSize = 50;

/** Reads the library. `stop` when it is no longer shown. */
export function openLibrary() {
  const shown = atom<Library>({ notes: [], complete: false, busy: true, problem: null });
  const state: Reading = { filter: null, pages: [], next: undefined, failed: null };

  const show = (change: Partial<Library>) => shown.set({ ...shown.get(), ...change });

  async function read(wanted: Page): Promise<void> {
    const { cursor, after, place } = wanted;
    const { filter } = state;
    if (filter === null) return;
    show({ busy: true });
    try {
      const query = { ...queryOf(filter), limit: pageSize, ...(cursor !== null && { cursor }) };
      const page = await answer(api.GET('/transcripts', { params: { query } }));
      // Chosen otherwise meanwhile: that reading shows itself.
      if (state.filter !== filter) return;
      const isLast = page.next_cursor === null;
      const notes = withPage(shown.get().notes, page.transcripts, { after, isLast });
      state.pages[place] = { cursor, last: page.transcripts.at(-1) ?? after };
      if (place === state.pages.length - 1 || isLast) {
        state.pages.length = place + 1;
        state.next = page.next_cursor;
      }
      if (state.failed?.place === place) state.failed = null;
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
    const found = note ? state.pages.findIndex(({ last }) => last && order(note, last) <= 0) : 0;
    const place = Math.max(0, found);
    const after = state.pages[place - 1]?.last ?? null;
    await read({ cursor: state.pages[place]?.cursor ?? null, after, place });
  }

  return {
    shown,
    again,
    stop: () => (stopWatching(), stopFrames()),
    /** Shows what fits a filter, from the beginning. */
    async choose(filter: Filter): Promise<void> {
      Object.assign(state, { filter, pages: [], next: undefined, failed: null });
      show({ notes: [], complete: false, problem: null });
      await read({ cursor: null, after: null, place: 0 });
    },
    /** Reads on, unless a page is on its way or there is no more. */
    async more(): Promise<void> {
      if (shown.get().busy || typeof state.next !== 'string') return;
      const after = shown.get().notes.at(-1) ?? null;
      await read({ cursor: state.next, after, place: state.pages.length });
    },
  };
}

type Reading = {
  filter: Filter | null;
  /** What was read: where each page began, and its last note. */
  pages: { cursor: string | null; last: Note | null }[];
  /** Where to read on; null: nowhere. */
  next: string | null | undefined;
  /** The page that could not be read last. */
  failed: Page | null;
};

/** `cursor`: null for the first; `after`: the note before it; `place` among the pages. */
type Page = { cursor: string | null; after: Note | null; place: number };

/** Facts after which a row is other than it was, besides `saved`. */
const changesList = new Set(['recording.erased', 'documents.deleted', 'owner.changed']);
