/** Recording with the browser: begins, pauses, ends, and goes on after a reload. One at a time in a page. */
import { ulid } from 'ulid';
import { api } from '../api.ts';
import { status } from '../feed.ts';
import { session } from '../session.ts';
import { type AudioLink, linkAudio } from './audio-link.ts';
import type { AudioSource, AudioStore, Kept } from './audio-store.ts';
import { audioHeld, browserRecording, trouble } from './browser-recording.ts';
import { type Leftover, finishQuietly, isGone, lockOf, openStore, sendRest } from './leftovers.ts';
import { CannotListen, type Listening, listen } from './listen.ts';
import { levelOf } from './pcm.ts';
import { keepAwake } from './wake-lock.ts';

type Current = {
  readonly store: AudioStore;
  readonly kept: Kept;
  readonly release: () => void;
  link: AudioLink;
  listening: Listening | null;
  letSleep: () => void;
  /** Samples recorded so far. */
  total: number;
  /** Blocks are put down one after the other; rejects when this browser has no room. */
  putDown: Promise<void>;
  isPaused: boolean;
};

let current: Current | null = null;

/** This tab records this one: after a reload it goes on by itself. */
const tabMark = 'mitschrift.recording';

/** Begins a recording of this browser. What stands in the way is in `trouble`. */
export async function start(kind: Kept['kind'], source: AudioSource): Promise<void> {
  const user = session.get()?.username;
  if ((current !== null && !current.kept.isOver) || user === undefined) return;
  trouble.set(null);
  const id = ulid();
  const before = { kind, source, recordingId: null, id };
  browserRecording.set({ ...silent, ...before, state: 'starting', seconds: 0, onDisk: 0 });
  const early: ArrayBuffer[] = [];
  let listening: Listening | null = null;
  try {
    const store = await openStore();
    let take = (pcm: ArrayBuffer): void => void early.push(pcm);
    listening = await listen(source, { block: (pcm) => take(pcm), lost });
    const startedAt = new Date().toISOString();
    const { rate } = listening;
    const kept = { ...before, user, rate, startedAt, acknowledged: 0, isOver: false };
    audioHeld.set('yes');
    await store.put(kept);
    const release = await lockOf(id);
    const mine = hold({ store, kept, release: release ?? (() => {}), total: 0 });
    mine.listening = listening;
    mine.letSleep = keepAwake();
    sessionStorage.setItem(tabMark, id);
    take = (pcm) => takeBlock(mine, pcm);
    early.forEach(take);
    mine.link.begin();
    show(mine, 'recording');
  } catch (error) {
    await listening?.end();
    browserRecording.set(null);
    cannot(error);
  }
}

/** Goes on with what is held, by a press; a shared tab has to be chosen again. */
export async function goOn(): Promise<void> {
  const mine = current;
  if (mine === null || mine.listening !== null || mine.kept.isOver) return;
  trouble.set(null);
  try {
    const { source, rate } = mine.kept;
    const listening = await listen(source, { block: (pcm) => takeBlock(mine, pcm), lost }, rate);
    if (listening.rate !== rate) {
      // A recording has one rate; what this device gives is a recording of its own.
      await listening.end();
      await stop();
      return;
    }
    mine.listening = listening;
    mine.letSleep = keepAwake();
    sessionStorage.setItem(tabMark, mine.kept.id);
    mine.link.begin();
    show(mine, 'recording');
  } catch (error) {
    cannot(error);
  }
}

/** Ends the recording; what is not on the service's disk yet is sent, now or when it answers again. */
export async function stop(): Promise<void> {
  const mine = current;
  if (mine === null || mine.kept.isOver) return;
  mine.kept.isOver = true;
  show(mine, 'ending');
  await quiet(mine);
  mine.total = await mine.store.total(mine.kept);
  await mine.store.put(mine.kept);
  mine.link.begin();
  mine.link.stop(mine.total);
}

/** The recording was discarded: nothing of it is kept here either. */
export async function discarded(): Promise<void> {
  const mine = current;
  if (mine === null) return;
  await quiet(mine);
  await letGo(mine, { remove: true });
}

/** Looks for what this browser still holds, sends it, and goes on where this tab was recording. */
export async function takeUp(): Promise<void> {
  const user = session.get()?.username;
  if (user === undefined) return;
  const store = await openStore();
  const all = await store.all();
  if (all.length === 0) audioHeld.set(undefined);
  for (const kept of all) {
    if (kept.user !== user || kept.id === current?.kept.id) continue;
    // Another tab of this browser has it.
    const release = await lockOf(kept.id);
    if (release === null) continue;
    const total = await store.total(kept);
    if (kept.isOver || current !== null) finishQuietly({ store, kept, release, total });
    else await holdAgain({ store, kept, release, total });
  }
}

async function holdAgain(found: Leftover): Promise<void> {
  const mine = hold(found);
  const wasMine = sessionStorage.getItem(tabMark) === mine.kept.id;
  show(mine, 'held');
  mine.link.begin();
  if (wasMine && mine.kept.source === 'microphone' && (await mayListen())) await goOn();
}

/** Without a press a question for the microphone would come out of nothing. */
const mayListen = async (): Promise<boolean> =>
  await navigator.permissions
    .query({ name: 'microphone' })
    .then(({ state }) => state === 'granted')
    .catch(() => false);

function hold(found: Leftover): Current {
  const mine: Current = {
    ...found,
    link: undefined as unknown as AudioLink,
    listening: null,
    letSleep: () => {},
    putDown: Promise.resolve(),
    isPaused: false,
  };
  mine.link = linkOf(mine);
  current = mine;
  return mine;
}

const linkOf = (mine: Current): AudioLink =>
  linkAudio(mine.store, mine.kept, {
    linked: (linked) => showPart(mine, { linked }),
    changed: () => changed(mine),
    ended: (reason) => void ended(mine, reason),
    refused: (code, detail) => void refused(mine, code, detail),
  });

function takeBlock(mine: Current, pcm: ArrayBuffer): void {
  mine.total += pcm.byteLength / 2;
  const end = mine.total;
  // At once, not behind the one before: this page may be gone in the next moment. It is sent from there.
  const added = mine.store.add(mine.kept.id, { end, pcm });
  mine.putDown = mine.putDown.then(() => added).then(() => mine.link.poke());
  mine.putDown.catch(() => noRoom(mine));
  showPart(mine, { level: levelOf(pcm), seconds: seconds(mine.total, mine) });
}

/** The microphone's light goes out, and everything it gave is put down. */
async function quiet(mine: Current): Promise<void> {
  const { listening } = mine;
  mine.listening = null;
  mine.letSleep();
  await listening?.end();
  await mine.putDown.catch(() => undefined);
}

async function noRoom(mine: Current): Promise<void> {
  trouble.set({ code: 'no-storage' });
  mine.putDown = Promise.resolve();
  await stop();
}

function changed(mine: Current): void {
  const { acknowledged } = mine.kept;
  // Another connection has sent more of this recording than is known here.
  if (mine.listening === null) mine.total = Math.max(mine.total, acknowledged);
  showPart(mine, {
    recordingId: mine.kept.recordingId,
    onDisk: seconds(acknowledged, mine),
    seconds: seconds(mine.total, mine),
  });
  const isSent = acknowledged >= mine.total;
  // Who only holds it does not keep the service waiting for more than it has.
  if (isSent && browserRecording.get()?.state === 'held') {
    mine.link.close();
    mine.link = linkOf(mine);
  }
}

async function ended(mine: Current, reason: string): Promise<void> {
  if (reason === 'paused') return pauseHere(mine, true);
  // The service is going away, or did not understand a frame: it is asked again.
  if (reason === 'left') return;
  if (reason === 'refused') return mine.link.begin();
  await quiet(mine);
  if (reason !== 'stopped') trouble.set({ code: 'ended', detail: reason });
  await finish(mine);
}

async function refused(mine: Current, code: string, detail: string): Promise<void> {
  const { recordingId, isOver } = mine.kept;
  if (code === 'recording-paused' && !isOver) return pauseHere(mine, true);
  if (recordingId !== null && !isGone(code)) {
    // It takes the rest of a paused one when that goes on; anything else may be over in a while.
    if (code === 'recording-paused')
      await api
        .POST('/recordings/{id}/resume', { params: { path: { id: recordingId } } })
        .catch(() => undefined);
    setTimeout(() => mine.link.begin(), 2000);
    return;
  }
  await quiet(mine);
  // It was refused before anything was said.
  const isNothing = recordingId === null && seconds(mine.total, mine) < 10;
  if (recordingId === null) trouble.set({ code: 'refused', detail });
  if (isNothing) await letGo(mine, { remove: true });
  else await finish(mine);
}

/** What the service did not take before the recording ended is given to it as a file. */
async function finish({ store, kept, ...mine }: Current): Promise<void> {
  kept.isOver = true;
  await store.put(kept);
  const isWhole = kept.acknowledged >= mine.total || (await sendRest(store, kept));
  await letGo({ store, kept, ...mine }, { remove: isWhole });
}

/** The service or this page paused it: no sample is taken until it goes on. */
function pauseHere(mine: Current, isPaused: boolean): void {
  if (mine.kept.isOver || mine.listening === null || mine.isPaused === isPaused) return;
  mine.isPaused = isPaused;
  if (isPaused) void mine.listening.pause();
  else {
    mine.listening.go();
    mine.link.begin();
  }
  show(mine, isPaused ? 'paused' : 'recording');
}

/** Paused elsewhere, or by this page's button: the service says so. */
status.listen((now) => {
  const recording = now?.recording;
  if (!current || !recording || recording.recording_id !== current.kept.recordingId) return;
  pauseHere(current, recording.paused);
});

async function letGo(mine: Current, { remove }: { remove: boolean }): Promise<void> {
  mine.link.close();
  mine.release();
  if (current?.kept.id === mine.kept.id) {
    current = null;
    browserRecording.set(null);
    sessionStorage.removeItem(tabMark);
  }
  if (remove) await mine.store.remove(mine.kept.id);
  if ((await mine.store.all()).length === 0) audioHeld.set(undefined);
}

function cannot(error: unknown): void {
  if (!(error instanceof CannotListen)) throw error;
  trouble.set({ code: error.code });
}

const silent = { linked: false, level: { rms: 0, peak: 0 }, lost: false };
const lost = (is: boolean): void => {
  const shown = browserRecording.get();
  if (shown !== null) browserRecording.set({ ...shown, lost: is });
};
const seconds = (samples: number, { kept }: Current): number => samples / kept.rate;

function show(mine: Current, state: NonNullable<ReturnType<typeof browserRecording.get>>['state']) {
  const { id, recordingId, kind, source, acknowledged } = mine.kept;
  const before = browserRecording.get();
  browserRecording.set({
    ...(before?.id === id ? before : silent),
    id,
    recordingId,
    kind,
    source,
    state,
    seconds: seconds(mine.total, mine),
    onDisk: seconds(acknowledged, mine),
  });
}

function showPart(
  mine: Current,
  part: Partial<NonNullable<ReturnType<typeof browserRecording.get>>>,
) {
  const before = browserRecording.get();
  if (before?.id === mine.kept.id) browserRecording.set({ ...before, ...part });
}
