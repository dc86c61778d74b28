/**
 * What a link opens, kept fresh: the service is asked again whenever a frame says that something is other, when it
 * was away, and before the ticket ends. The link stands behind `#`, and is sent in no address.
 */
import { type ReadableAtom, type WritableAtom, atom } from 'nanostores';
import { pauseAfter } from '../../../src/shared/pauses.ts';
import {
  type Answered,
  ApiError,
  type Problem,
  type Schema,
  answer,
  api,
  fetchAsStranger,
} from '../../client/api.ts';
import { leaveWhenSilent } from '../../client/silence.ts';
import { turnOf, withTurns, withUtterance } from '../recording/live/heard.ts';
import type { Ticket } from '../recording/ticket.ts';
import type { Turn } from '../recording/turn-key.ts';

/** With what was heard since it was asked for. */
export type SharedNote = Omit<Answered<'readShared'>, 'turns'> & { utterances: readonly Turn[] };
type Frame = Schema<'ServerFrame'>;
type Standing = Extract<Frame, { type: 'shared' }>;

export type LinkState =
  | { at: 'opening' }
  | { at: 'password'; problem: Problem | null }
  /** Wrong, ended, deleted. */
  | { at: 'over' }
  /** As many read as may. */
  | { at: 'busy' }
  | { at: 'deleted' }
  | { at: 'failed'; problem: Problem }
  | { at: 'there'; note: SharedNote; guessed: readonly Turn[]; isAway: boolean };

export type OpenLink = {
  state: ReadableAtom<LinkState>;
  /** Resolves when the answer is shown. */
  unlock(password: string): Promise<void>;
  /** For its audio and its text. */
  ticket: Ticket;
};

/** Between tries while the service does not answer, in milliseconds. */
const pauses = { first: 500, max: 30_000, isSpread: true };
/** All phones in a room hear of the end at once, and ask one after another within so long, in milliseconds. */
const spreadMs = 2_000;
/** A ticket is asked for so long before the former ends, in milliseconds. */
const renewBeforeMs = 60_000;

/** What a page keeps while a link is open in it. */
type Open = {
  token: string;
  signal: AbortSignal;
  state: WritableAtom<LinkState>;
  password: string | undefined;
  socket: WebSocket | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Without an answer, or without a frame, one after another. */
  tries: number;
  reading: Promise<void> | undefined;
  /** Something is other than what was asked for last. */
  isStale: boolean;
  /** What was recognised while this is open. */
  finals: Map<number, Turn>;
};

/** @param signal ends it */
export function openLink(token: string, signal: AbortSignal): OpenLink {
  const state = atom<LinkState>({ at: 'opening' });
  const open: Open = {
    token,
    signal,
    state,
    password: undefined,
    socket: undefined,
    timer: undefined,
    tries: 0,
    reading: undefined,
    isStale: false,
    finals: new Map(),
  };
  signal.addEventListener('abort', () => leave(open));
  addEventListener('online', () => void refresh(open), { signal });
  void refresh(open);
  return {
    state,
    async unlock(password) {
      open.password = password;
      await refresh(open);
    },
    ticket: {
      async get() {
        if (shownIn(open) === undefined) await refresh(open);
        const { ticket } = shownIn(open)?.note ?? {};
        if (ticket === undefined) throw new ApiError({ type: 'away', title: '', status: 0 });
        return ticket;
      },
      forget: () => void refresh(open),
    },
  };
}

function shownIn({ state }: Open) {
  const now = state.get();
  return now.at === 'there' ? now : undefined;
}

function leave(open: Open): void {
  clearTimeout(open.timer);
  const { socket } = open;
  open.socket = undefined;
  socket?.close();
}

/** Nothing of the note is left in the page. */
function end(open: Open, now: LinkState): void {
  leave(open);
  open.finals.clear();
  open.state.set(now);
}

/** Asks again after so long, instead of whenever it was to be asked. */
function later(open: Open, ms: number): void {
  clearTimeout(open.timer);
  if (!open.signal.aborted) open.timer = setTimeout(() => void refresh(open), ms);
}

const soon = (open: Open): void => later(open, Math.random() * spreadMs);

function afterPause(open: Open): void {
  later(open, pauseAfter(pauses, open.tries));
  open.tries += 1;
}

const refresh = async (open: Open): Promise<void> =>
  await (open.reading ??= read(open).finally(() => (open.reading = undefined)));

async function read(open: Open): Promise<void> {
  const { token, password, signal } = open;
  open.isStale = false;
  try {
    const note = await ask({ token, password, ticket: shownIn(open)?.note.ticket }, signal);
    if (signal.aborted) return;
    take(open, note);
    open.socket ??= follow(open, note);
    const renewed = Date.parse(note.ticket_expires_at) - Date.now() - renewBeforeMs;
    // What came while it was asked may not be in the answer.
    if (open.isStale) soon(open);
    else later(open, Math.max(1_000, renewed));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!signal.aborted) refused(open, error.problem);
  }
}

function take(open: Open, { turns, ...note }: Answered<'readShared'>): void {
  const isLive = note.state === 'running';
  const answered: SharedNote = { ...note, utterances: turns };
  const shown = isLive ? withTurns(answered, [...open.finals.values()]) : answered;
  const guessed = isLive ? (shownIn(open)?.guessed ?? []) : [];
  open.state.set({ at: 'there', note: shown, guessed, isAway: false });
}

function refused(open: Open, problem: Problem): void {
  const { state, password } = open;
  const { status } = problem;
  const now = shownIn(open);
  if (status === 404) end(open, { at: 'over' });
  else if (status === 401)
    end(open, { at: 'password', problem: password === undefined ? null : problem });
  else if (state.get().at === 'password') state.set({ at: 'password', problem });
  else {
    // What is shown stays; the page says that nothing new comes.
    state.set(now === undefined ? { at: 'failed', problem } : { ...now, isAway: status === 0 });
    afterPause(open);
  }
}

/** Of a connection that was refused at once the browser says no reason: of those who read along there are enough. */
function lost(open: Open, socket: WebSocket, isRefused: boolean): void {
  if (open.socket !== socket || open.signal.aborted) return;
  open.socket = undefined;
  if (isRefused && shownIn(open)?.note.state === 'running') end(open, { at: 'busy' });
  afterPause(open);
}

function heard(open: Open, frame: Frame): void {
  open.tries = 0;
  if (frame.type === 'shared') stands(open, frame);
  const now = shownIn(open);
  if (frame.type !== 'utterance') return;
  if (frame.final) open.finals.set(frame.index, turnOf(frame));
  if (now === undefined) return;
  const { recording: note, heard: guessed } = withUtterance(
    { recording: now.note, heard: now.guessed },
    frame,
  );
  open.state.set({ ...now, note, guessed });
}

function stands(open: Open, frame: Standing): void {
  const { state: stage, paused, readable, version, speakers } = frame;
  const now = shownIn(open);
  if (stage === 'discarded') end(open, { at: 'deleted' });
  else if (stage === 'over') end(open, { at: 'over' });
  else if (now !== undefined) {
    const { note } = now;
    // Names that are given while it runs come with the frame.
    const shown = { ...note, paused, ...(stage === 'running' && { speakers }) };
    open.state.set({ ...now, note: shown });
    if (stage === note.state && readable === note.readable && version === note.version) return;
    open.isStale = true;
    if (open.reading === undefined) soon(open);
  }
}

type Asked = { token: string; password: string | undefined; ticket: string | undefined };

/** With a ticket that is still good no password is asked for again. @throws {ApiError} */
const ask = async (
  { token, password, ticket }: Asked,
  signal: AbortSignal,
): Promise<Answered<'readShared'>> =>
  await answer(
    api.POST('/shared', {
      body: {
        token,
        ...(password !== undefined && { password }),
        ...(ticket !== undefined && { ticket }),
      },
      fetch: fetchAsStranger,
      signal,
    }),
  );

/** Frames of what was said since it was asked for come, too. */
function follow(open: Open, { ticket, turns }: Answered<'readShared'>): WebSocket {
  const url = new URL('/ws', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  url.searchParams.set('ticket', ticket);
  url.searchParams.set('from', String((turns.at(-1)?.index ?? -1) + 1));
  const socket = new WebSocket(url);
  let isRefused = true;
  socket.addEventListener('open', () => (isRefused = false));
  socket.addEventListener('message', ({ data }) => {
    if (open.socket === socket && typeof data === 'string') heard(open, JSON.parse(data));
  });
  socket.addEventListener('close', () => lost(open, socket, isRefused));
  leaveWhenSilent(socket, () => lost(open, socket, false));
  return socket;
}
