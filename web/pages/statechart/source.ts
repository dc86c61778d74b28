/** Where the page's facts come from: one recording's log as it grows, or the moves of all. */
import { atom } from 'nanostores';
import { ApiError, type Problem, answer, api, problemIn } from '../../client/api.ts';
import { type Frame, connection, onFrame, status } from '../../client/feed.ts';
import { onceMore } from '../../../src/shared/once-more.ts';
import { session } from '../../client/session.ts';
import type { Fact } from './moments.ts';

/** A recording that moved, as far as this user may know it. */
export type Moving = { id: string; state: string; event: string; at: string };

/** Facts a page of the log. */
const pageSize = 200;
/** How far back the list of what moves begins, in facts of the whole log. */
const before = 1_000;

/**
 * Follows one recording: `show` gets all its facts, at first and whenever there are more, at most once a frame
 * of the screen. `fail` gets why they are not known, and null once they are. @returns how to stop
 */
export function followRecording(
  id: string,
  show: (facts: readonly Fact[]) => void,
  fail: (problem: Problem | null) => void,
): () => void {
  let facts: readonly Fact[] = [];
  let stopped = false;
  // What is another's, an administrator reads without its content.
  let others = false;
  let stopOthers: (() => void) | undefined;

  const readOn: () => Promise<void> = onceMore(async () => {
    if (stopped) return;
    try {
      const more = await pageAfter(facts.at(-1)?.position ?? 0);
      if (!stopped) fail(null);
      if (more.length === 0) return;
      facts = [...facts, ...more];
      if (more.length === pageSize) void readOn();
      await new Promise(requestAnimationFrame);
      if (!stopped) show(facts);
    } catch (error) {
      const problem = problemIn(error);
      if (!stopped) fail(problem);
    }
  });

  async function pageAfter(after: number): Promise<Fact[]> {
    const query = { after, limit: pageSize };
    if (!others) {
      try {
        const params = { path: { id }, query };
        return (await answer(api.GET('/recordings/{id}/events', { params }))).events;
      } catch (error) {
        const isUnknown = error instanceof ApiError && error.problem.status === 404;
        if (!isUnknown || session.get()?.is_admin !== true) throw error;
        others = true;
        // The app's own connection says nothing of it.
        if (stopped) return [];
        stopOthers = onOthersFrame((frame) => {
          if (frame.type === 'position' || isOfIt(frame)) void readOn();
        });
      }
    }
    const asked = api.GET('/events', { params: { query: { ...query, recording: id } } });
    return (await answer(asked)).events;
  }

  const isOfIt = (frame: Frame): boolean =>
    'recording_id' in frame && frame.recording_id === id && 'position' in frame;
  const stop = onFrame((frame) => isOfIt(frame) && void readOn());
  const stopWatching = connection.listen(({ state }) => state === 'open' && void readOn());
  void readOn();
  return () => {
    stopped = true;
    stop();
    stopOthers?.();
    stopWatching();
  };
}

/** Recordings by their last move, newest first; null before it is known whether any has moved. */
export const moving = atom<readonly Moving[] | null>(null);

/**
 * Follows the moves of all recordings this user may know of, painted once a frame. What moved before is asked
 * for once; `fail` gets why it is not known. @returns how to stop
 */
export function followAll(fail: (problem: Problem) => void): () => void {
  const known = new Map<string, Moving>();
  let waiting = false;
  let stopped = false;
  const move = (each: Moving) => {
    if ((known.get(each.id)?.at ?? '') > each.at) return;
    known.set(each.id, each);
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (!stopped) moving.set([...known.values()].toSorted((a, b) => b.at.localeCompare(a.at)));
    });
  };
  const onMove = (frame: Frame) => {
    if (frame.type !== 'transition' || frame.to === null) return;
    move({ id: frame.recording_id, state: frame.to, event: frame.event, at: frame.at });
  };
  const isAdmin = session.get()?.is_admin === true;
  const stops = [
    onFrame((frame) => {
      onMove(frame);
      if (bringsName(frame)) void nameNewest().catch(() => undefined);
    }),
    // Older ones that are processed again are not among the newest.
    status.subscribe(
      (now) => now && name([...now.processing, ...now.speakers_pending, ...now.errors]),
    ),
  ];
  void nameNewest().catch(() => undefined);
  (isAdmin ? recentMoves(move, () => stopped) : ownMoves(move)).then(
    () => {
      if (!stopped && known.size === 0) moving.set([]);
    },
    (error: unknown) => {
      const problem = problemIn(error);
      if (!stopped) fail(problem);
    },
  );
  if (isAdmin) stops.push(onOthersFrame(onMove));
  return () => {
    stopped = true;
    for (const stop of stops) stop();
  };
}

/** Whether a recording begins, or may be called otherwise from here on. */
const bringsName = (frame: Frame): boolean =>
  frame.type === 'transition' &&
  (frame.from === 'idle.new' ||
    frame.event === 'documents.saved' ||
    frame.event.startsWith('title.'));

async function recentMoves(move: (each: Moving) => void, isOver: () => boolean): Promise<void> {
  // The connection may come later than this page.
  const { position } = status.get() ?? (await answer(api.GET('/status')));
  let after: number | null = Math.max(0, position - before);
  while (after !== null && !isOver()) {
    const query = { after, limit: pageSize };
    const page: { events: Fact[]; next_after: number | null } = await answer(
      api.GET('/events', { params: { query } }),
    );
    for (const { stream, to, type, at } of page.events) {
      if (to === undefined || !stream.startsWith('recording-')) continue;
      move({ id: stream.slice('recording-'.length), state: to, event: type, at });
    }
    after = page.next_after;
  }
}

async function ownMoves(move: (each: Moving) => void): Promise<void> {
  const { recordings } = await answer(api.GET('/recordings', { params: { query: { limit: 20 } } }));
  for (const { recording_id, status: name, started_at } of recordings) {
    move({
      id: recording_id,
      state: name.toLowerCase().replace('_', '-'),
      event: '',
      at: started_at,
    });
  }
}

/** The user's own recordings, by id: what they are called, and when they began. */
export const named = atom<ReadonlyMap<string, Named>>(new Map());
type Named = {
  recording_id: string;
  title: string | null;
  source: string | null;
  started_at: string;
};

const name = (recordings: readonly Named[]): void =>
  named.set(
    new Map([...named.get(), ...recordings.map((one) => [one.recording_id, one] as const)]),
  );

/** Not answered: ids stand for the names. By the list, since a note that is asked for itself counts as opened by its reader. */
const nameNewest = onceMore(async () => {
  const query = { limit: pageSize / 2 };
  const { data } = await api.GET('/recordings', { params: { query } });
  if (data) name(data.recordings);
});

const othersListeners = new Set<(frame: Frame) => void>();
let stopWatchingOthers: (() => void) | undefined;

/** Hears of the recordings of all, as administrators may: one connection for who listens. @returns how to stop */
function onOthersFrame(listen: (frame: Frame) => void): () => void {
  othersListeners.add(listen);
  stopWatchingOthers ??= watchOthers((frame) => {
    for (const each of othersListeners) each(frame);
  });
  return () => {
    othersListeners.delete(listen);
    if (othersListeners.size > 0) return;
    stopWatchingOthers?.();
    stopWatchingOthers = undefined;
  };
}

/** Until a connection of its own is asked for again that was dropped, in milliseconds. */
const pause = 1_000;

/**
 * A connection of its own, since the app's shows only what is its user's. It comes back with the app's, and by itself
 * where it alone was dropped, as who falls behind is; it goes on where it was.
 */
function watchOthers(listen: (frame: Frame) => void): () => void {
  let socket: WebSocket | undefined;
  let position: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    clearTimeout(timer);
    const token = session.get()?.token;
    if (token === undefined || connection.get().state !== 'open') return;
    const url = new URL('/ws?scope=all', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    if (position !== undefined) url.searchParams.set('after', String(position));
    const mine = new WebSocket(url, ['mitschrift', token]);
    const former = socket;
    socket = mine;
    former?.close();
    mine.addEventListener('message', ({ data }) => {
      const frame: Frame = JSON.parse(String(data));
      if (frame.type === 'transition' || frame.type === 'position') ({ position } = frame);
      listen(frame);
    });
    mine.addEventListener('close', () => {
      if (socket === mine) timer = setTimeout(open, pause);
    });
  };
  const stop = connection.subscribe(open);
  return () => {
    stop();
    clearTimeout(timer);
    const last = socket;
    socket = undefined;
    last?.close();
  };
}
