/**
 * What a link opens, kept fresh: the service is asked again whenever a frame says that something is other, when it
 * was away, and before the ticket ends. The link stands behind `#`, and is sent in no address.
 */
import { type ReadableAtom, atom } from 'nanostores';
import { pauseAfter } from '../../../src/shared/pauses.ts';
import {
  ApiError,
  type Problem,
  type Schema,
  answer,
  api,
  fetchAsStranger,
} from '../../client/api.ts';
import type { operations } from '../../client/interface.d.ts';
import { locale } from '../../words/i18n.ts';
import { turnOf, withTurns, withUtterance } from '../recording/live/heard.ts';
import type { Ticket } from '../recording/ticket.ts';
import type { Turn } from '../recording/turn-key.ts';

type Answered = operations['readShared']['responses'][200]['content']['application/json'];
/** With what was heard since it was asked for. */
export type SharedNote = Omit<Answered, 'turns'> & { utterances: readonly Turn[] };
type Frame = Schema<'ServerFrame'>;
type Standing = Extract<Frame, { type: 'shared' }>;

export type LinkState =
  | { at: 'opening' }
  | { at: 'password'; problem: Problem | null }
  /** Wrong, ended, deleted. */
  | { at: 'over' }
  /** As many read as may. */
  | { at: 'busy'; problem: Problem }
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

/** @param signal ends it */
export function openLink(token: string, signal: AbortSignal): OpenLink {
  const state = atom<LinkState>({ at: 'opening' });
  let password: string | undefined;
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;
  let reading: Promise<void> | undefined;
  /** Something is other than what was asked for last. */
  let isStale = false;
  /** What was recognised while this is open. */
  const finals = new Map<number, Turn>();

  const there = () => {
    const now = state.get();
    return now.at === 'there' ? now : undefined;
  };
  /** Asks again after so long, instead of whenever it was to be asked. */
  const later = (ms: number): void => {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(() => void refresh(), ms);
  };
  const end = (now: LinkState): void => {
    clearTimeout(timer);
    leave();
    finals.clear();
    state.set(now);
  };
  const leave = (): void => {
    const former = socket;
    socket = undefined;
    former?.close();
  };

  const read = async (): Promise<void> => {
    isStale = false;
    try {
      const note = await ask({ token, password, ticket: there()?.note.ticket }, signal);
      if (signal.aborted) return;
      tries = 0;
      take(note);
      if (socket === undefined) socket = follow(note.ticket, { heard, lost });
      const renewed = Date.parse(note.ticket_expires_at) - Date.now() - renewBeforeMs;
      // What came while it was asked may not be in the answer.
      later(isStale ? Math.random() * spreadMs : Math.max(1_000, renewed));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!signal.aborted) refused(error.problem);
    }
  };
  const refresh = async (): Promise<void> =>
    await (reading ??= read().finally(() => (reading = undefined)));

  function take({ turns, ...note }: Answered): void {
    const isLive = note.state === 'running';
    const read: SharedNote = { ...note, utterances: turns };
    const shown = isLive ? withTurns(read, [...finals.values()]) : read;
    const guessed = isLive ? (there()?.guessed ?? []) : [];
    state.set({ at: 'there', note: shown, guessed, isAway: false });
  }

  function refused(problem: Problem): void {
    const { type, status } = problem;
    const now = there();
    if (status === 404) end({ at: 'over' });
    else if (status === 401)
      end({ at: 'password', problem: password === undefined ? null : problem });
    else if (now === undefined && state.get().at === 'password')
      state.set({ at: 'password', problem });
    else if (type === '/problems/too-many-readers' && now === undefined)
      end({ at: 'busy', problem });
    else {
      // What is shown stays; the page says that nothing new comes.
      state.set(now === undefined ? { at: 'failed', problem } : { ...now, isAway: status === 0 });
      later(pauseAfter(pauses, tries));
      tries += 1;
    }
  }

  function lost(mine: WebSocket): void {
    if (socket !== mine || signal.aborted) return;
    socket = undefined;
    void refresh();
  }

  function heard(frame: Frame): void {
    if (frame.type === 'shared') stands(frame);
    const now = there();
    if (frame.type !== 'utterance') return;
    if (frame.final) finals.set(frame.index, turnOf(frame));
    if (now === undefined) return;
    const { recording, heard: guessed } = withUtterance(
      { recording: now.note, heard: now.guessed },
      frame,
    );
    state.set({ ...now, note: recording, guessed });
  }

  function stands({ state: stage, paused, readable, version, speakers }: Standing): void {
    if (stage === 'discarded') end({ at: 'deleted' });
    else if (stage === 'over') end({ at: 'over' });
    const now = there();
    if (now === undefined || stage === 'discarded' || stage === 'over') return;
    const { note } = now;
    const isOther = stage !== note.state || readable !== note.readable || version !== note.version;
    // Names that are given while it runs come with the frame.
    state.set({ ...now, note: { ...note, paused, ...(stage === 'running' && { speakers }) } });
    if (!isOther) return;
    isStale = true;
    if (reading === undefined) later(Math.random() * spreadMs);
  }

  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    leave();
  });
  const online = () => void refresh();
  addEventListener('online', online, { signal });
  void refresh();
  return {
    state,
    async unlock(given) {
      password = given;
      await refresh();
    },
    ticket: {
      async get() {
        if (there() === undefined) await refresh();
        const { ticket } = there()?.note ?? {};
        if (ticket === undefined) throw new ApiError({ type: 'away', title: '', status: 0 });
        return ticket;
      },
      forget: () => void refresh(),
    },
  };
}

type Asked = { token: string; password: string | undefined; ticket: string | undefined };

/** With a ticket that is still good no password is asked for again. @throws {ApiError} */
const ask = async ({ token, password, ticket }: Asked, signal: AbortSignal): Promise<Answered> =>
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

function follow(
  ticket: string,
  { heard, lost }: { heard: (frame: Frame) => void; lost: (socket: WebSocket) => void },
): WebSocket {
  const url = new URL('/ws', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  url.searchParams.set('ticket', ticket);
  url.searchParams.set('language', locale.get());
  const socket = new WebSocket(url);
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') heard(JSON.parse(data));
  });
  socket.addEventListener('close', () => lost(socket));
  return socket;
}
