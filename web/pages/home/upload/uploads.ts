/**
 * Files on their way to the service, by tus: two at a time, over lost connections, and after a reload from
 * where they stopped, once the same file is chosen again. They go on while other pages are shown.
 */
import { persistentAtom, persistentJSON } from '@nanostores/persistent';
import { atom } from 'nanostores';
import type { DetailedError, HttpResponse, Upload } from 'tus-js-client';
import type { Problem } from '../../../client/api.ts';
import { connection } from '../../../client/feed.ts';
import { type Owned, isOwnedBy, session } from '../../../client/session.ts';
import { words } from '../words.ts';
import { type Choice, type Kind, chosenNow } from './asked.ts';

export type Sending = {
  id: string;
  name: string;
  size: number;
  sent: number;
  /** `cut`: tried again by itself; `left`: from before a reload, wants its file again. */
  state: 'waits' | 'runs' | 'cut' | 'left' | 'refused' | 'done';
  problem: Problem | null;
  recordingId: string | null;
  /** An earlier recording made of the same file. */
  sameAs: string | null;
};

/** What files are, chosen last in this browser. */
export const uploadKind = persistentAtom<Kind>('mitschrift.upload-kind', 'meeting');

/** Newest last. */
export const sendings = atom<readonly Sending[]>([]);

type Left = Owned & { name: string; size: number; sent: number; at: number };
/** What is unfinished, for after a reload. */
const leftOver = persistentJSON<Record<string, Left>>('mitschrift.uploads', {});

const atOnce = 2;
/** The service forgets an unfinished upload after a day (milliseconds). */
const keptMs = 24 * 3600_000;
/** Waits between tries, in milliseconds: 20 minutes of them after anything that arrived. */
const retryDelays = [500, 1000, 2000, 4000, 8000, 15_000, ...Array<number>(40).fill(30_000)];

type Chosen = { file: File; usualKind: Kind } & Choice;
/** With what was chosen for each: what is chosen for later ones is none of theirs. */
const files = new Map<string, Chosen>();
const underWay = new Map<string, Upload>();

/** Shows what was unfinished when the page was left. Call once the page is shown. */
export function showLeft(): void {
  const login = session.get();
  const fresh = Object.entries(leftOver.get()).filter(([, { at }]) => Date.now() - at < keptMs);
  leftOver.set(Object.fromEntries(fresh));
  const shown = new Set(sendings.get().map(({ id }) => id));
  const left = fresh
    .filter(([id, one]) => login !== null && isOwnedBy(one, login) && !shown.has(id))
    .map(([id, { name, size, sent }]): Sending => ({
      ...blank,
      id,
      name,
      size,
      sent,
      state: 'left',
    }));
  if (left.length > 0) sendings.set([...left, ...sendings.get()]);
}

/** Sends files, each as a recording of its own. */
export function sendFiles(chosen: readonly File[], as: Choice = chosenNow.get()): void {
  for (const file of chosen) {
    const id = idOf(file);
    const before = sendings.get().find((one) => one.id === id);
    if (before?.state === 'cut') goOn(id);
    if (before && before.state !== 'left' && before.state !== 'refused') continue;
    files.set(id, { file, usualKind: uploadKind.get(), ...as });
    remove(id);
    const { name, size } = file;
    const sent = before?.sent ?? 0;
    sendings.set([...sendings.get(), { ...blank, id, name, size, sent, state: 'waits' }]);
  }
  next();
}

/** Goes on with one that was cut off, without waiting for the next try. */
export function goOn(id: string): void {
  const upload = underWay.get(id);
  if (upload) void upload.abort().then(() => upload.start());
  else void send(id);
}

/** Takes one off the list; what has arrived of it is removed. */
export async function forget(id: string): Promise<void> {
  const upload = underWay.get(id);
  remove(id);
  files.delete(id);
  underWay.delete(id);
  dropLeft(id);
  next();
  // What cannot be removed now goes after a day.
  await upload?.abort(upload.url !== null).catch(() => undefined);
}

connection.listen(({ state }) => {
  if (state !== 'open') return;
  for (const { id, state: cut } of sendings.get()) if (cut === 'cut') goOn(id);
});

function next(): void {
  const running = sendings.get().filter(({ state }) => state === 'runs' || state === 'cut').length;
  const waiting = sendings.get().filter(({ state }) => state === 'waits');
  for (const { id } of waiting.slice(0, Math.max(0, atOnce - running))) void send(id);
}

async function send(id: string): Promise<void> {
  const chosen = files.get(id);
  if (chosen === undefined) return;
  change(id, { state: 'runs', problem: null });
  try {
    await begin(id, chosen);
  } catch (error) {
    // Its script: the service was away, or a new version of it was installed.
    console.warn(error);
    const title = words.get().uploadNotLoaded;
    const problem = { type: 'about:blank', title, detail: title, status: 0 };
    change(id, { state: 'cut', problem });
  }
}

async function begin(id: string, { file, folder, kind, usualKind }: Chosen): Promise<void> {
  const { Upload: Resumable } = await import('tus-js-client');
  const upload = new Resumable(file, {
    endpoint: new URL('/uploads', location.href).href,
    retryDelays,
    removeFingerprintOnSuccess: true,
    metadata: {
      filename: file.name,
      // What was chosen last, a folder or a rule may know better.
      ...(kind ? { kind } : { usual_kind: usualKind }),
      modified_at: new Date(file.lastModified).toISOString(),
      ...(folder === '' ? {} : { folder }),
    },
    onBeforeRequest(request) {
      const current = session.get();
      if (current !== null) request.setHeader('Authorization', `Bearer ${current.token}`);
    },
    onAfterResponse(request, response) {
      // Where a proxy says that the service is away, the library would begin the upload anew.
      const status = response.getStatus();
      if (request.getMethod() === 'HEAD' && status >= 500) throw new Error(`answered ${status}`);
    },
    onShouldRetry(error) {
      const retry = isTransient(error);
      if (retry) cut(id, error);
      return retry;
    },
    onProgress(sent) {
      change(id, { state: 'runs', sent, problem: null });
      keepLeft(id, file, sent);
    },
    onSuccess: ({ lastResponse }) => ended(id, made(lastResponse)),
    onError: (error) => failed(id, error),
  });
  const [previous] = await upload.findPreviousUploads();
  if (previous) upload.resumeFromPreviousUpload(previous);
  // Taken off the list meanwhile.
  if (!files.has(id)) return;
  underWay.set(id, upload);
  upload.start();
}

/** What is asked since has an answer without words: what the service said before stays. */
function cut(id: string, error: Error | DetailedError): void {
  const problem = problemOf(error);
  change(id, { state: 'cut', ...(problem && { problem }) });
}

function failed(id: string, error: Error | DetailedError): void {
  if ('originalResponse' in error && isTransient(error)) {
    // All tries are used up: it waits for the connection, or for the person.
    cut(id, error);
    return;
  }
  ended(id, { state: 'refused', problem: problemOf(error) ?? noAnswer(error) });
}

function ended(id: string, as: Partial<Sending>): void {
  underWay.delete(id);
  files.delete(id);
  dropLeft(id);
  change(id, as);
  next();
}

/** No answer, or one that says that another try may help (RFC 9110; 423 of tus: another has it). */
function isTransient({ originalResponse }: DetailedError): boolean {
  const status = originalResponse?.getStatus() ?? 0;
  return status === 0 || status >= 500 || [408, 409, 423, 429].includes(status);
}

/** Of what was complete before only headers tell. */
function made(response: HttpResponse): Partial<Sending> {
  const answer = parsed<{ same_audio_as: string | null }>(response.getBody());
  const recordingId = response.getHeader('Location')?.split('/').at(-1) ?? null;
  return { state: 'done', recordingId, sameAs: answer?.same_audio_as ?? null };
}

/** What the service said, where it was the service. */
const problemOf = (error: Error | DetailedError): Problem | null =>
  'originalResponse' in error ? problemIn(error.originalResponse?.getBody()) : null;

function problemIn(body: string | undefined): Problem | null {
  const answer = parsed<Problem>(body ?? '');
  return typeof answer?.title === 'string' ? (answer as Problem) : null;
}

const noAnswer = (error: Error): Problem => ({
  type: 'about:blank',
  title: error.message,
  status: 0,
});

function parsed<T>(text: string): Partial<T> | null {
  try {
    return JSON.parse(text);
  } catch {
    // What answers here may be a proxy.
    return null;
  }
}

const blank = { sent: 0, problem: null, recordingId: null, sameAs: null };

/** The same file chosen again is the same upload. */
const idOf = ({ name, size, lastModified }: File): string => `${name} ${size} ${lastModified}`;

const remove = (id: string): void => sendings.set(sendings.get().filter((one) => one.id !== id));

function change(id: string, to: Partial<Sending>): void {
  sendings.set(sendings.get().map((one) => (one.id === id ? { ...one, ...to } : one)));
}

function keepLeft(id: string, { name, size }: File, sent: number): void {
  const before = leftOver.get()[id];
  // A note for people: a hundredth more is worth one.
  if (before && sent - before.sent < size / 100) return;
  const { username: user = '', user_id: userId } = session.get() ?? {};
  leftOver.set({ ...leftOver.get(), [id]: { name, size, sent, user, userId, at: Date.now() } });
}

function dropLeft(id: string): void {
  const { [id]: gone, ...rest } = leftOver.get();
  if (gone) leftOver.set(rest);
}
