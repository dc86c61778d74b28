/** The one recording of this page: what becomes of it here while the service takes it, pauses it, refuses it or ends it. */
import { status } from '../feed.ts';
import { type AudioLink, linkAudio } from './audio-link.ts';
import { audioHeld, browserRecording, trouble } from './browser-recording.ts';
import { type Leftover, sendRest } from './leftovers.ts';
import type { Listening } from './listen.ts';
import { levelOf } from './pcm.ts';
import { type Tries, afterRefusal, triesOf } from './refusals.ts';
import { secondsOf, showAs, showPart } from './shown.ts';

export type Current = Leftover & {
  link: AudioLink;
  readonly tries: Tries;
  listening: Listening | null;
  letSleep: () => void;
  /** Blocks are put down one after the other; rejects when this browser has no room. */
  putDown: Promise<void>;
  isPaused: boolean;
};

let current: Current | null = null;

export const currentRecording = (): Current | null => current;

/** This tab records this one: after a reload it goes on by itself. */
export const tabMark = 'mitschrift.recording';

export function hold(found: Leftover): Current {
  const mine: Current = {
    ...found,
    link: undefined as unknown as AudioLink,
    tries: triesOf(() => mine.link.begin()),
    listening: null,
    letSleep: () => {},
    putDown: Promise.resolve(),
    isPaused: false,
  };
  mine.link = linkOf(mine);
  current = mine;
  return mine;
}

/** Keeps a block, and sends it from where it is kept. */
export function takeBlock(mine: Current, pcm: ArrayBuffer): void {
  mine.total += pcm.byteLength / 2;
  const end = mine.total;
  // At once, not behind the one before: this page may be gone in the next moment.
  const added = mine.store.add(mine.kept.id, { end, pcm });
  mine.putDown = mine.putDown.then(() => added).then(() => mine.link.poke());
  mine.putDown.catch(() => noRoom(mine));
  showPart(mine, { level: levelOf(pcm), seconds: secondsOf(mine.total, mine) });
}

/** Ends it; what is not on the service's disk yet is sent, now or when it answers again. */
export async function endHere(mine: Current): Promise<void> {
  if (mine.kept.isOver) return;
  mine.kept.isOver = true;
  showAs('ending', mine);
  await quiet(mine);
  mine.total = await mine.store.total(mine.kept);
  await mine.store.put(mine.kept);
  mine.link.begin();
  mine.link.stop(mine.total);
}

/** Nothing is heard any more until a person goes on with it. */
export async function putOff(mine: Current): Promise<void> {
  mine.isPaused = false;
  await quiet(mine);
  showAs('held', mine);
  changed(mine);
}

/** Nothing of it is wanted any more. */
export async function drop(mine: Current): Promise<void> {
  await quiet(mine);
  await letGo(mine, { remove: true });
}

const linkOf = (mine: Current): AudioLink =>
  linkAudio(mine.store, mine.kept, {
    linked: (linked) => isLinked(mine, linked),
    changed: () => changed(mine),
    ended: (reason) => void ended(mine, reason),
    refused: (code, detail) => void refused(mine, code, detail),
  });

function isLinked(mine: Current, linked: boolean): void {
  showPart(mine, { linked });
  if (!linked) return;
  mine.tries.taken();
  if (trouble.get()?.code === 'not-taken') trouble.set(null);
}

function changed(mine: Current): void {
  const { acknowledged } = mine.kept;
  // Another connection has sent more of this recording than is known here.
  if (mine.listening === null) mine.total = Math.max(mine.total, acknowledged);
  showPart(mine, {
    recordingId: mine.kept.recordingId,
    onDisk: secondsOf(acknowledged, mine),
    seconds: secondsOf(mine.total, mine),
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
  // The service is going away, or did not understand a frame: it is asked again, never at once.
  if (reason === 'left') return;
  if (reason === 'refused') return void mine.tries.again();
  await quiet(mine);
  const isWhole = await finish(mine);
  const detail = reason === 'stopped' ? '' : reason;
  if (detail !== '' || !isWhole) trouble.set({ code: 'ended', detail, isWhole });
}

async function refused(mine: Current, code: string, detail: string): Promise<void> {
  const { recordingId, isOver } = mine.kept;
  if (code === 'recording-paused' && !isOver) return pauseHere(mine, true);
  const comesTo = await afterRefusal(mine.kept, code, mine.tries);
  if (comesTo !== 'gone') {
    trouble.set({ code: 'not-taken', detail, isAskedAgain: comesTo === 'again' });
    return;
  }
  await quiet(mine);
  // It was refused before anything was said.
  const isNothing = recordingId === null && secondsOf(mine.total, mine) < 10;
  if (recordingId === null) trouble.set({ code: 'refused', detail });
  if (isNothing) await letGo(mine, { remove: true });
  else await finish(mine);
}

/** What the service did not take before the recording ended is given to it as a file. @returns whether it has all */
async function finish(mine: Current): Promise<boolean> {
  const { kept, store } = mine;
  kept.isOver = true;
  await store.put(kept);
  const isWhole = kept.acknowledged >= mine.total || (await sendRest(store, kept));
  await letGo(mine, { remove: isWhole });
  return isWhole;
}

async function noRoom(mine: Current): Promise<void> {
  trouble.set({ code: 'no-storage' });
  mine.putDown = Promise.resolve();
  await endHere(mine);
}

/** The microphone's light goes out, and everything it gave is put down. */
async function quiet(mine: Current): Promise<void> {
  const { listening } = mine;
  mine.listening = null;
  mine.letSleep();
  await listening?.end();
  // What could not be put down has ended the recording already (`noRoom`).
  await mine.putDown.catch(() => undefined);
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
  showAs(isPaused ? 'paused' : 'recording', mine);
}

/** Paused elsewhere, or by this page's button: the service says so. */
status.listen((now) => {
  const recording = now?.recording;
  if (!current || !recording || recording.recording_id !== current.kept.recordingId) return;
  pauseHere(current, recording.paused);
});

async function letGo(mine: Current, { remove }: { remove: boolean }): Promise<void> {
  mine.tries.stop();
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
