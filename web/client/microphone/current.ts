/** The one recording of this page: what becomes of it here while the service takes it, pauses it, refuses it or ends it. */
import { status, tryNow } from '../feed.ts';
import { runningIn } from '../recorded.ts';
import { isOwnedBy, session } from '../session.ts';
import { type AudioLink, linkAudio } from './audio-link.ts';
import {
  type Trouble,
  audioHeld,
  browserRecording,
  discarded,
  noteEndedHere,
  trouble,
} from './browser-recording.ts';
import { type Leftover, sendRest, tellDiscarded } from './leftovers.ts';
import { missedWhileAsleep, watchedAfter, watchedFrom } from './interruptions.ts';
import { bytesOf, levelOf, sidesOf } from './pcm.ts';
import { type Current, isPausedHere, pausedThere, tellWish } from './pausing.ts';
import { endInterruption, noteInterruption } from './told-interruptions.ts';
import { afterRefusal, triesOf } from './refusals.ts';
import { secondsOf, showAs, showPart } from './shown.ts';
import { type SoundEvent, openingSound, soundAfter } from './sound.ts';
import { noteUntold, tellUntold } from './untold.ts';
import type { Missed } from './worklet.ts';

/** What this page records, and all that is over and of which it still sends the rest: the last begun last. */
const held = new Map<string, Current>();

/** What this page records; where it records nothing, what it still sends. */
export const currentRecording = (): Current | null => [...held.values()].at(-1) ?? null;

/** The one that the service knows by this id, where it is of this page. */
export const heldHere = (recordingId: string): Current | null =>
  [...held.values()].find(({ kept }) => kept.recordingId === recordingId) ?? null;

/** This tab records this one: after a reload it goes on by itself. */
export const tabMark = 'mitschrift.recording';

/** @param resumed called when somebody else goes on with a pause in which this page hears nothing */
export function hold(found: Leftover, resumed: () => void = () => {}): Current {
  const mine: Current = {
    ...found,
    link: undefined as unknown as AudioLink,
    tries: triesOf(() => mine.link.begin()),
    listening: null,
    sound: openingSound(Date.now()),
    watched: watchedFrom(Date.now()),
    letSleep: () => {},
    resumed,
    putDown: Promise.resolve(),
    safe: found.total,
    wish: isUntold(found) ? { isPaused: true, isTold: false } : null,
    isTelling: false,
    notTaken: null,
  };
  mine.link = linkOf(mine);
  held.delete(found.kept.id);
  held.set(found.kept.id, mine);
  return mine;
}

/** A pause of which the service has not heard, before the page was opened again. */
const isUntold = ({ kept }: Leftover): boolean => isPausedHere({ kept }) && !kept.isPauseTold;

/** Takes what is heard. */
export function takeBlock(mine: Current, pcm: ArrayBuffer): void {
  keepBlock(mine, pcm);
  const level = levelOf(pcm);
  happened(mine, { type: 'block', rms: level.rms });
  const sides = mine.kept.channels === 2 ? sidesOf(pcm) : null;
  showPart(mine, { level, sides, sound: mine.sound });
}

/** Longer than this nothing is recorded that goes on; the service takes no longer gap either. */
const missedMaxMs = 24 * 3600_000;

/** For so long nothing was heard: what follows keeps its time. */
export function takeMissed(mine: Current, { missedMs, before }: Missed): void {
  if (before !== null) keepBlock(mine, before);
  if (missedMs > missedMaxMs) return asleepTooLong(mine);
  const to = Date.now();
  const times = { from: to - missedMs, to };
  if (mine.watched.ongoing === null) noteInterruption(mine, missedWhileAsleep(mine.total, times));
  mine.total += Math.round((missedMs / 1000) * mine.kept.rate);
  showPart(mine, { missed: times });
}

/** A day later, or by a clock that was wrong: what was heard before is the recording. */
function asleepTooLong(mine: Current): void {
  void endHere(mine);
  const { recordingId } = mine.kept;
  const seconds = secondsOf(mine.total, mine);
  trouble.set({ code: 'ended', detail: 'asleep', isWhole: false, recordingId, seconds });
}

/** Keeps a block, and sends it from where it is kept. */
function keepBlock(mine: Current, pcm: ArrayBuffer): void {
  mine.total += pcm.byteLength / bytesOf(mine.kept);
  const end = mine.total;
  // At once, not behind the one before: this page may be gone in the next moment.
  const added = mine.store.add(mine.kept.id, { end, pcm });
  mine.putDown = mine.putDown
    .then(() => added)
    .then((isKept) => {
      const inMemory = !isKept || mine.store.isInMemory(mine.kept);
      if (!inMemory) mine.safe = end;
      if (browserRecording.get()?.inMemory !== inMemory) showPart(mine, { inMemory });
      mine.link.poke();
    });
  mine.putDown.catch(() => noRoom(mine));
}

/** Something has happened to what is heard, or time has gone by. A pause is none of it. */
export function heard(mine: Current, event: SoundEvent): void {
  if (isPausedHere(mine)) return;
  const before = mine.sound;
  happened(mine, event);
  if (mine.sound.state !== before.state) showPart(mine, { sound: mine.sound });
}

function happened(mine: Current, event: SoundEvent): void {
  const at = Date.now();
  mine.sound = soundAfter(mine.sound, event, at);
  const { over, ...watched } = watchedAfter(mine.watched, mine.sound, { samples: mine.total, at });
  mine.watched = watched;
  if (over !== null) noteInterruption(mine, over);
}

/** Ends it; what is not on the service's disk yet is sent, now or when it answers again. */
export async function endHere(mine: Current): Promise<void> {
  if (mine.kept.isOver) return;
  mine.kept.isOver = true;
  // A pause that the service has not heard of would keep it from the rest.
  mine.wish = null;
  noteEndedHere(mine.kept.recordingId);
  endInterruption(mine);
  showAs('ending', mine);
  await quiet(mine);
  await noteOver(mine);
  if (isForeign(mine)) return await letGo(mine, { remove: false });
  mine.link.begin();
  mine.link.stop(mine.total);
}

/** Another person's login sends nothing of it: it waits for its owner's. */
function isForeign({ kept }: Current): boolean {
  const login = session.get();
  return login !== null && !isOwnedBy(kept, login);
}

/** Nothing is heard any more until a person goes on with it. */
export async function putOff(mine: Current): Promise<void> {
  await quiet(mine);
  showAs(isPausedHere(mine) ? 'paused' : 'held', mine);
  changed(mine);
}

/** Nothing of it is wanted any more: what is here is gone at once, and the service is told now or later. */
export async function drop(mine: Current): Promise<void> {
  noteEndedHere(mine.kept.recordingId);
  discarded.set(mine.kept.recordingId);
  await quiet(mine);
  const { kept, store } = mine;
  kept.isDiscarded = true;
  await store.remove(kept.id);
  await store.put(kept).catch((error: unknown) => console.warn(error));
  const release = mine.release;
  await letGo({ ...mine, release: () => {} }, { remove: false });
  tellDiscarded({ store, kept, release, total: 0 });
}

const linkOf = (mine: Current): AudioLink =>
  linkAudio(mine.store, mine.kept, {
    linked: (linked, hasEnded = false, isStopped = false) =>
      isLinked(mine, linked, { hasEnded, isStopped }),
    changed: () => changed(mine),
    ended: (reason) => void ended(mine, reason),
    refused: (code, detail) => void refused(mine, code, detail),
  });

function isLinked(
  mine: Current,
  linked: boolean,
  { hasEnded, isStopped }: { hasEnded: boolean; isStopped: boolean },
): void {
  showPart(mine, { linked });
  if (!linked) return;
  taken(mine);
  // The service is there again: what it says of everything else is not waited for either.
  tryNow();
  if (isStopped) void endHere(mine);
  // One that has ended knows of no pause: what is paused here goes on when a person says so.
  else if (hasEnded) void tellWish(mine);
  else void takenUnpaused(mine);
}

/** What the service takes is not paused there, whatever was heard last of a pause: that comes by two connections. */
async function takenUnpaused(mine: Current): Promise<void> {
  if (isPausedHere(mine)) await pausedThere(mine, false);
  await tellWish(mine);
}

function taken(mine: Current): void {
  mine.tries.taken();
  mine.notTaken = null;
  if (isShown(mine) && trouble.get()?.code === 'not-taken') trouble.set(null);
}

function changed(mine: Current): void {
  const { acknowledged, recordingId } = mine.kept;
  // Another connection has sent more of this recording than is known here.
  if (mine.listening === null) mine.total = Math.max(mine.total, acknowledged);
  const { state, inMemory = false } = browserRecording.get() ?? {};
  // While more is recorded, the next block tells whether there is room again.
  const isStill = inMemory && (state === 'recording' || mine.store.isInMemory(mine.kept));
  showPart(mine, { recordingId, inMemory: isStill });
  if (mine.kept.isOver) noteEndedHere(recordingId);
  const isSent = acknowledged >= mine.total;
  // Who only holds it does not keep the service waiting for more than it has.
  if (isSent && !mine.kept.isOver && browserRecording.get()?.state === 'held') {
    mine.link.close();
    mine.link = linkOf(mine);
  }
}

async function ended(mine: Current, reason: string): Promise<void> {
  if (reason === 'paused' && !mine.kept.isOver) {
    // That may come behind the word that it goes on again: whether it is paused still, the answer to another try says.
    mine.tries.again();
    return await pausedThere(mine, true);
  }
  // The service is going away, did not understand a frame, or was paused behind the stop: it is asked again, never at once.
  if (reason === 'left') return;
  if (reason === 'refused' || reason === 'paused') return void mine.tries.again();
  noteEndedHere(mine.kept.recordingId);
  await quiet(mine);
  const seconds = secondsOf(mine.total, mine);
  // Deleted elsewhere: what was said since is no note of its own.
  if (reason === 'discarded') {
    discarded.set(mine.kept.recordingId);
    const told = { detail: reason, isWhole: true, recordingId: null, seconds };
    return await letGo(mine, { remove: true, told: { code: 'ended', ...told } });
  }
  if (reason === 'stopped' && !mine.kept.isOver) return await stoppedElsewhere(mine);
  const detail = reason === 'stopped' ? '' : reason;
  const { recordingId } = mine.kept;
  await finish(mine, (isWhole) =>
    detail === '' && isWhole ? null : { code: 'ended', detail, isWhole, recordingId, seconds },
  );
}

/** Until the word of a stop elsewhere is here, so much is heard that nobody wants any more, in seconds. */
const wordTakes = 2;

/** What waited here when a person stopped it elsewhere is added to it. */
async function stoppedElsewhere(mine: Current): Promise<void> {
  const unsent = secondsOf(mine.total - mine.kept.acknowledged, mine);
  if (unsent > wordTakes) await endHere(mine);
  else await letGo(mine, { remove: true });
}

async function refused(mine: Current, code: string, detail: string): Promise<void> {
  const { recordingId, isOver } = mine.kept;
  if (code === 'recording-paused' && !isOver) {
    taken(mine);
    if (!isPausedHere(mine)) mine.tries.again();
    await pausedThere(mine, true);
    return await tellWish(mine);
  }
  const comesTo = await afterRefusal(mine.kept, code, mine.tries);
  if (comesTo !== 'gone') {
    mine.notTaken = { code: 'not-taken', detail, isAskedAgain: comesTo === 'again' };
    if (isShown(mine)) trouble.set(mine.notTaken);
    return;
  }
  await quiet(mine);
  const seconds = secondsOf(mine.total, mine);
  // It was refused before anything was said.
  if (recordingId === null && seconds < 10)
    return await letGo(mine, { remove: true, told: { code: 'refused', detail, isUnbegun: true } });
  await finish(mine, (isWhole) =>
    recordingId !== null && isWhole
      ? null
      : { code: 'ended', detail, isWhole, recordingId, seconds },
  );
}

/**
 * What the service did not take before the recording ended is given to it as a file.
 * @param told what is said of it then, by whether the service has all
 */
async function finish(mine: Current, told: (isWhole: boolean) => Trouble | null): Promise<void> {
  const { kept, store } = mine;
  kept.isOver = true;
  await noteOver(mine);
  const isWhole = kept.acknowledged >= mine.total || (await sendRest(store, kept));
  await letGo(mine, { remove: isWhole, told: told(isWhole) });
}

/** For whichever page finds it. A disk that is full does not keep this page from sending it. */
async function noteOver({ store, kept }: Current): Promise<void> {
  await store.put(kept).catch((error: unknown) => console.warn(error));
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
  // A store that cannot be read does not keep it from being ended: so many were heard.
  mine.total = await mine.store.total(mine.kept).catch((error: unknown) => {
    console.warn(error);
    return mine.total;
  });
}

/** Paused elsewhere, or by this page's button: the service says so, and is there to hear what it has not taken. */
status.listen((now) => {
  const mine = currentRecording();
  const id = mine?.kept.recordingId;
  const recording = runningIn(now).find(({ recording_id }) => recording_id === id);
  if (mine && recording) void pausedThere(mine, recording.paused).then(() => tellWish(mine));
});

/** Whether what is said now is said of it, and of no other. */
const isShown = ({ kept }: Current): boolean => (browserRecording.get()?.id ?? kept.id) === kept.id;

async function letGo(
  mine: Current,
  { remove, told = null }: { remove: boolean; told?: Trouble | null },
): Promise<void> {
  const { id } = mine.kept;
  const wasShown = isShown(mine);
  mine.tries.stop();
  mine.link.close();
  mine.release();
  held.delete(id);
  if (sessionStorage.getItem(tabMark) === id) sessionStorage.removeItem(tabMark);
  if (wasShown) showRest();
  if (remove) await mine.store.remove(id);
  if (told !== null) noteUntold(told);
  tellUntold(wasShown);
  if ((await mine.store.all()).length === 0) audioHeld.set(undefined);
}

/** Nothing is recorded any more: shown is what of an earlier one is still to be sent, if anything. */
export function showRest(): void {
  const last = currentRecording();
  // Another person's is not sent here: while it was shown, the page would not be the new one's (`main.ts`).
  const rest = last === null || isForeign(last) ? null : last;
  if (rest === null) browserRecording.set(null);
  else showAs('ending', rest);
  if (rest?.notTaken || trouble.get()?.code === 'not-taken') trouble.set(rest?.notTaken ?? null);
}
