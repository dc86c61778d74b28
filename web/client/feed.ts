/**
 * The WebSocket of a session: `status` as it changes and every frame to who listens. It connects again by
 * itself and then goes on after the last position it saw, so that nothing is missed and nothing comes twice.
 */
import { atom } from 'nanostores';
import { pauseAfter } from '../../src/shared/pauses.ts';
import { type Schema, api } from './api.ts';
import { locale } from '../words/i18n.ts';
import { session } from './session.ts';
import { leaveWhenSilent } from './silence.ts';

export type Frame = Schema<'ServerFrame'>;
export type Status = Extract<Frame, { type: 'status' }>;

/** The newest status; null before the first. */
export const status = atom<Status | null>(null);

/** Whether the service answers; if not, since when and when the next try is (milliseconds of the epoch). */
export const connection = atom<
  { state: 'connecting' | 'open' } | { state: 'away'; since: number; nextTry: number }
>({ state: 'connecting' });

const listeners = new Set<(frame: Frame) => void>();
let socket: WebSocket | undefined;
let position: number | undefined;
let tries = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Between tries to connect, in milliseconds. */
const pauses = { first: 500, max: 30_000, isSpread: true };

/** Calls `listener` with every frame from now on. Returns how to stop. */
export function onFrame(listener: (frame: Frame) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sends a frame, or bytes of audio. @returns false when there is no connection. */
export function send(frame: Schema<'ClientFrame'> | ArrayBuffer): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(frame instanceof ArrayBuffer ? frame : JSON.stringify(frame));
  return true;
}

/** Connects whenever there is a session, as long as the page is open. */
export function followSession(): void {
  session.subscribe((current, before) => {
    const isSame = current?.token === before?.token && current?.limited === before?.limited;
    if (isSame && before !== undefined) return;
    disconnect();
    // Before the own password, or two-step login, nothing is answered.
    if (current !== null && current.limited === undefined) connect(current.token);
  });
  // Sentences of the service come in the language of the page.
  locale.listen(() => {
    const current = session.get();
    if (current !== null && socket !== undefined) connect(current.token);
  });
  addEventListener('online', tryNow);
}

/** Does not wait for the next try. */
export function tryNow(): void {
  const current = session.get();
  if (current === null || connection.get().state !== 'away') return;
  clearTimeout(timer);
  connect(current.token);
}

/** Whether there is a service at all, whatever it says of itself; a proxy with nothing behind it is none. */
export async function serviceAnswers(): Promise<boolean> {
  try {
    const answer = await fetch('/health', { cache: 'no-store' });
    // 503 is the service's own word for a start or a full disk; a proxy's has no JSON.
    return answer.headers.get('Content-Type')?.includes('json') === true;
  } catch {
    return false;
  }
}

function connect(token: string): void {
  const url = new URL('/ws', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  url.searchParams.set('language', locale.get());
  if (position !== undefined) url.searchParams.set('after', String(position));
  const mine = new WebSocket(url, ['mitschrift', token]);
  let opened = false;
  // One at a time: what is still being opened, or in another language, is not heard any more.
  const former = socket;
  socket = mine;
  former?.close();
  mine.addEventListener('open', () => {
    if (socket !== mine) return;
    opened = true;
    tries = 0;
    connection.set({ state: 'open' });
  });
  mine.addEventListener('message', ({ data }) => {
    if (socket !== mine || typeof data !== 'string') return;
    const frame: Frame = JSON.parse(data);
    receive(frame);
  });
  mine.addEventListener('close', ({ code }) => {
    if (socket !== mine) return;
    lost(token, code);
    // A refused handshake does not say why: an ended session is seen by asking (and then ends here, too).
    if (!opened) api.GET('/status').catch(() => undefined);
  });
  leaveWhenSilent(mine, () => {
    if (socket === mine) lost(token, 1006);
  });
}

function receive(frame: Frame): void {
  // A status is of a position up to which facts are still to come: only the first of a session is gone on from.
  const isAhead = frame.type === 'status' && position !== undefined;
  if ('position' in frame && typeof frame.position === 'number' && !isAhead)
    position = frame.position;
  if (frame.type === 'status') {
    apart(() => status.set(frame));
    apart(() => takeRights(frame));
  }
  for (const listener of listeners) apart(() => listener(frame));
}

/** Who has become an administrator since the login has the pages of one. */
function takeRights({ is_admin }: Status): void {
  const current = session.get();
  if (current !== null && current.is_admin !== is_admin) session.set({ ...current, is_admin });
}

/** What goes wrong with one who listens is reported, and keeps nothing from the others. */
function apart(work: () => void): void {
  try {
    work();
  } catch (error) {
    reportError(error);
  }
}

function lost(token: string, code: number): void {
  socket = undefined;
  // The session ended: whoever holds it is asked to log in.
  if (code === 1008) {
    if (session.get()?.token === token) session.set(null);
    return;
  }
  const wait = pauseAfter(pauses, tries);
  tries += 1;
  const before = connection.get();
  const since = before.state === 'away' ? before.since : Date.now();
  connection.set({ state: 'away', since, nextTry: Date.now() + wait });
  timer = setTimeout(() => connect(token), wait);
}

function disconnect(): void {
  clearTimeout(timer);
  const mine = socket;
  socket = undefined;
  position = undefined;
  tries = 0;
  status.set(null);
  connection.set({ state: 'connecting' });
  mine?.close();
}
