/**
 * Side notes on their way: kept in this browser, by account, until the service has them. Each has the id of its command:
 * whichever tab sends it, and however often, it is written once.
 */
import { atom } from 'nanostores';
import { ulid } from 'ulid';
import { type Schema, answer, api, problemIn } from './api.ts';
import { connection } from './feed.ts';
import { type Session, isOwnedBy, session } from './session.ts';

export type Sidenote = Schema<'Recording'>['sidenotes'][number];
/** What a person writes: `at`, seconds of the recording at the first key. */
export type Written = {
  recordingId: string;
  at: number;
  text: string;
  /** Of the passage that it is about. */
  block?: string | undefined;
  mark?: true | undefined;
};
export type Unsent = Written & {
  /** Of the command. */
  key: string;
  /** Whose it is; earlier releases kept it by the name alone. */
  userId?: string | undefined;
  /** Milliseconds since 1970. */
  writtenAt: number;
  /** Why the service does not take it, in its words. */
  refused?: string | undefined;
};

/** What the person who is logged in wrote and the service lacks, in the order in which it was written. */
export const unsent = atom<readonly Unsent[]>([]);
/** The browser has no room: what is not sent is in this page only. */
export const isUnkept = atom(false);

/** What was sent by this page, until somebody has seen it elsewhere. */
export const arrived = atom<readonly Sidenote[]>([]);

/** Between two tries while the service is there and does not take anything, in milliseconds. */
const againAfter = 5000;

/** Keeps it, and sends it as soon as that is possible. @param onrefused when the service does not take it */
export function writeSidenote(written: Written, onrefused?: () => void): void {
  const key = ulid();
  if (onrefused) told.set(key, onrefused);
  change((all) => [
    ...all,
    { ...written, key, userId: session.get()?.user_id, writtenAt: Date.now() },
  ]);
  void send();
}

/** Sends again what was refused. */
export function sendAgain(key: string): void {
  change((all) => all.map((one) => (one.key === key ? { ...one, refused: undefined } : one)));
  void send();
}

export const discardUnsent = (key: string): void =>
  change((all) => all.filter((one) => one.key !== key));

/** What of a recording is not sent is not to be: it is not there any more. */
export const forgetUnsent = (recordingId: string): void =>
  change((all) => all.filter((one) => one.recordingId !== recordingId));

/** What was sent has been seen in the recording itself. */
export const seen = (notes: readonly Sidenote[]): void =>
  arrived.set(arrived.get().filter((one) => !notes.includes(one)));

/** Sends what is left whenever its writer is there and the service answers, as long as the page is open. */
export function followUnsent(): void {
  session.subscribe((current) => {
    unsent.set(current === null ? [] : kept(current));
    void send();
  });
  connection.listen(({ state }) => state === 'open' && void send());
  // Another tab wrote some, or sent them.
  addEventListener('storage', ({ key }) => {
    const current = session.get();
    if (current === null || key !== nameOf(current.username)) return;
    unsent.set(kept(current));
    void send();
  });
}

const told = new Map<string, () => void>();
let isSending = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** One after the other: their numbers are in the order in which they were written. */
async function send(): Promise<void> {
  if (isSending) return;
  isSending = true;
  clearTimeout(timer);
  try {
    for (let next = waiting(); next !== undefined; next = waiting()) {
      if (!(await sendOne(next))) break;
    }
  } finally {
    isSending = false;
  }
}

const waiting = (): Unsent | undefined =>
  session.get() === null ? undefined : unsent.get().find(({ refused }) => refused === undefined);

/** @returns false when there is no point in sending the next */
async function sendOne({ key, recordingId: id, text, at, block, mark }: Unsent): Promise<boolean> {
  const params = { path: { id }, header: { 'Idempotency-Key': key } };
  const body = { text, at, ...(block ? { block } : {}), ...(mark ? { mark } : {}) };
  try {
    const note = await answer(api.POST('/recordings/{id}/sidenotes', { params, body }));
    arrived.set([...arrived.get(), note]);
    discardUnsent(key);
    told.delete(key);
    return true;
  } catch (error) {
    const { status, detail, title } = problemIn(error);
    // Without a session it waits for the next one.
    if (status === 0 || status === 401 || status === 429 || status >= 500) {
      if (status !== 401 && connection.get().state === 'open')
        timer = setTimeout(() => void send(), againAfter);
      return false;
    }
    const refused = detail ?? title;
    change((all) => all.map((one) => (one.key === key ? { ...one, refused } : one)));
    told.get(key)?.();
    told.delete(key);
    return true;
  }
}

/** By what is kept: other tabs write, too. */
function change(by: (all: readonly Unsent[]) => readonly Unsent[]): void {
  const current = session.get();
  if (current === null) return;
  const name = nameOf(current.username);
  const all = by(isUnkept.get() ? unsent.get() : kept(current));
  unsent.set(all);
  try {
    if (all.length === 0) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(all));
    isUnkept.set(false);
  } catch {
    isUnkept.set(true);
  }
}

const nameOf = (person: string): string => `mitschrift.sidenotes.${person}`;

/** Not what a deleted account of that name has left: it can never be sent. */
function kept(current: Session): readonly Unsent[] {
  const user = current.username;
  try {
    const found: unknown = JSON.parse(localStorage.getItem(nameOf(user)) ?? '[]');
    const all = Array.isArray(found) ? found.filter(isUnsent) : [];
    return all.filter(({ userId }) => isOwnedBy({ user, userId }, current));
  } catch {
    return [];
  }
}

const isUnsent = (one: Partial<Unsent> | null): one is Unsent =>
  typeof one?.key === 'string' && typeof one.recordingId === 'string' && typeof one.at === 'number';
