/** Recording with the browser: begins, ends, and goes on after a reload. One at a time in a page. */
import { ulid } from 'ulid';
import { api } from '../api.ts';
import { isOwnedBy, session } from '../session.ts';
import type { Kept } from './audio-store.ts';
import { type Lost, audioHeld, browserRecording, trouble } from './browser-recording.ts';
import {
  currentRecording,
  drop,
  endHere,
  heard,
  heldHere,
  hold,
  putOff,
  showRest,
  tabMark,
  takeBlock,
  takeMissed,
} from './current.ts';
import { type Current, isPausedHere, pauseHere } from './pausing.ts';
import { type Leftover, finishQuietly, lockOf, openStore } from './leftovers.ts';
import { type Hearing, type Listening, channelsOf, listen } from './listen.ts';
import { showAs, showPart, silent } from './shown.ts';
import { openingSound } from './sound.ts';
import { CannotListen } from './streams.ts';
import { tellUntold } from './untold.ts';
import { keepAwake } from './wake-lock.ts';

/**
 * Begins a recording of this browser. What stands in the way is in `trouble`.
 * @param what `usual_kind`: what it is where neither a folder nor a rule says it
 */
export async function start(
  what: ({ kind: Kept['kind'] } | { usual_kind: Kept['kind'] }) & Pick<Kept, 'source'>,
  options: Kept['options'] = {},
): Promise<void> {
  const { source } = what;
  const kind = 'kind' in what ? what.kind : what.usual_kind;
  const { username: user, user_id: userId } = session.get() ?? {};
  const before = currentRecording();
  if ((before !== null && !before.kept.isOver) || user === undefined) return;
  if (browserRecording.get()?.state === 'starting') return;
  trouble.set(null);
  const id = ulid();
  const isWanted = () => browserRecording.get()?.id === id;
  const startedAt = new Date().toISOString();
  const begun = { kind, source, recordingId: null, id, user, userId, startedAt };
  browserRecording.set({ ...silent(), ...begun, state: 'starting' });
  // What comes before there is a recording is taken in the order in which it came.
  const early: ((mine: Current) => void)[] = [];
  let begunHere: Current | null = null;
  const to = (take: (mine: Current) => void): void => {
    if (begunHere === null) early.push(take);
    else take(begunHere);
  };
  let listening: Listening | null = null;
  try {
    const store = await openStore();
    const channels = channelsOf(source);
    listening = await listen(source, hearingOf(to), { channels });
    if (!isWanted()) return await listening.end();
    const { rate } = listening;
    const kept = {
      ...begun,
      ...('kind' in what ? {} : { isKindOpen: true as const }),
      options,
      rate,
      channels,
      startedAt: new Date().toISOString(),
      acknowledged: 0,
      isOver: false,
    };
    audioHeld.set('yes');
    await store.put(kept).catch((error: unknown) => {
      console.warn(error);
      throw new CannotListen('no-storage');
    });
    const release = (await lockOf(id)) ?? (() => {});
    if (!isWanted()) {
      release();
      await store.remove(id);
      return await listening.end();
    }
    const mine = hold({ store, kept, release, total: 0 });
    listenFor(mine, listening);
    showAs('recording', mine);
    begunHere = mine;
    for (const take of early) take(mine);
    mine.link.begin();
  } catch (error) {
    await listening?.end();
    if (!isWanted()) return;
    showRest();
    cannot(error, { isUnbegun: true });
  }
}

/** What is heard is looked at this often, in milliseconds: nothing else says that nothing comes. */
const lookEveryMs = 500;

function listenFor(mine: Current, listening: Listening): void {
  const letSleep = keepAwake();
  const looking = setInterval(() => heard(mine, { type: 'look' }), lookEveryMs);
  mine.listening = listening;
  mine.letSleep = () => {
    clearInterval(looking);
    letSleep();
  };
  sessionStorage.setItem(tabMark, mine.kept.id);
}

/** Does not wait any longer for a microphone that is not open yet. */
export function giveUp(): void {
  if (browserRecording.get()?.state !== 'starting') return;
  showRest();
  tellUntold(true);
}

/** Goes on with what is held, by a press; a shared tab has to be chosen again. */
export async function goOn(): Promise<void> {
  const mine = currentRecording();
  if (mine === null || mine.listening !== null || mine.kept.isOver) return;
  trouble.set(null);
  try {
    const { source, rate, channels = 1 } = mine.kept;
    mine.sound = openingSound(Date.now());
    const listening = await listen(
      source,
      hearingOf((take) => take(mine)),
      { channels, rate },
    );
    // Meanwhile it may have been ended, or a second press have opened the microphone.
    if (mine.kept.isOver || currentRecording() !== mine || mine.listening !== null)
      return await listening.end();
    if (listening.rate !== rate) {
      // A recording has one rate. Whether it goes on with what it had, or ends, is for a person to say.
      await listening.end();
      throw new CannotListen('other-rate');
    }
    listenFor(mine, listening);
    // Meanwhile a person may have paused it.
    if (isPausedHere(mine)) return await listening.pause();
    mine.link.begin();
    showAs('recording', mine);
  } catch (error) {
    cannot(error);
  }
}

/** What is recorded comes from something else from now on; in a pause, once it goes on. Where it cannot be had, a person goes on with it. */
export async function changeSource(source: Kept['source']): Promise<void> {
  const mine = currentRecording();
  if (mine === null || mine.kept.isOver) return;
  trouble.set(null);
  // One after the other: of both at once each second would be there twice.
  await putOff(mine);
  mine.kept.source = source;
  if (!isPausedHere(mine)) await goOn();
}

/** Pauses it, or goes on: here at once, at the service as soon as it answers. */
export async function pause(isPaused: boolean): Promise<void> {
  const mine = currentRecording();
  if (mine === null) return;
  const told = pauseHere(mine, isPaused);
  // Paused before a reload, or before what it comes from was changed: nothing is heard yet.
  if (!isPaused && mine.listening === null) {
    await goOn();
    // It cannot be heard: the pause goes on.
    if (mine.listening === null && !mine.kept.isOver) await pauseHere(mine, true);
  }
  await told;
}

/** Goes on by a press after the system has interrupted it, or the microphone is gone. */
export async function revive(): Promise<void> {
  const mine = currentRecording();
  trouble.set(null);
  await mine?.listening?.revive().catch((error: unknown) => cannot(error));
}

/** Ends the recording; what is not on the service's disk yet is sent, now or when it answers again. */
export async function stop(): Promise<void> {
  const mine = currentRecording();
  if (mine !== null) await endHere(mine);
}

/**
 * Nothing of it is kept, here at once, and at the service as soon as it answers.
 * @returns false when this page has nothing of it
 */
export async function discard(recordingId: string): Promise<boolean> {
  const mine = heldHere(recordingId);
  if (mine !== null) await drop(mine);
  return mine !== null;
}

/** Asks the service at once to take what it refused. */
export function askNow(): void {
  currentRecording()?.tries.now();
}

/** Looks for what this browser still holds, sends it, and goes on where this tab was recording. */
export async function takeUp(): Promise<void> {
  const login = session.get();
  if (login === null) return;
  const store = await openStore();
  const all = await store.all();
  if (all.length === 0) audioHeld.set(undefined);
  for (const kept of all) {
    if (!isOwnedBy(kept, login) || kept.id === currentRecording()?.kept.id) continue;
    // Another tab of this browser has it.
    const release = await lockOf(kept.id);
    if (release === null) continue;
    const total = await store.total(kept);
    const found = { store, kept, release, total };
    if (kept.isOver || kept.isDiscarded || currentRecording() !== null || (await hasEnded(kept)))
      finishQuietly(found);
    else await holdAgain(found);
  }
}

/**
 * Whether the service has ended it without this browser: the rest is added to its note, and it does not go on.
 * One that does not answer has ended nothing.
 */
async function hasEnded({ recordingId: id }: Kept): Promise<boolean> {
  if (id === null) return false;
  const asked = api.GET('/recordings/{id}', { params: { path: { id } } });
  return await asked.then(
    ({ data }) => data !== undefined && data.status !== 'RECORDING',
    () => false,
  );
}

async function holdAgain(found: Leftover): Promise<void> {
  const mine = hold(found, () => void goOnAlone(mine));
  const wasMine = sessionStorage.getItem(tabMark) === mine.kept.id;
  const isPaused = isPausedHere(mine);
  showAs(isPaused ? 'paused' : 'held', mine);
  mine.link.begin();
  if (wasMine && !isPaused) await goOnAlone(mine);
}

/** Without a press, where that is possible; else the service is told that nothing is heard here. */
async function goOnAlone({ kept, link }: Current): Promise<void> {
  if (kept.source === 'microphone' && (await mayListen())) await goOn();
  else link.begin();
}

/** Without a press a question for the microphone would come out of nothing. */
const mayListen = async (): Promise<boolean> =>
  await navigator.permissions
    .query({ name: 'microphone' })
    .then(({ state }) => state === 'granted')
    .catch(() => false);

function cannot(error: unknown, more: { isUnbegun?: true } = {}): void {
  if (!(error instanceof CannotListen)) throw error;
  trouble.set({ code: error.code, ...more });
}

const hearingOf = (to: (take: (mine: Current) => void) => void): Hearing => ({
  block: (pcm) => to((mine) => takeBlock(mine, pcm)),
  missed: (what) => to((mine) => takeMissed(mine, what)),
  lost: (what) => to((mine) => lost(mine, what)),
  sound: (event) => to((mine) => heard(mine, event)),
});

function lost(mine: Current, what: Lost): void {
  if (what !== 'tab' || mine.kept.source !== 'tab') return showPart(mine, { lost: what });
  trouble.set({ code: 'tab-ended' });
  void putOff(mine);
}
