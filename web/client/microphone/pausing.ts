/** Pausing is done here at once, whatever the network does; the service is told, now or when it answers again. */
import { ApiError, answer, api } from '../api.ts';
import { type Trouble, trouble } from './browser-recording.ts';
import { showAs } from './shown.ts';
import { type Sound, openingSound } from './sound.ts';
import type { Tries } from './refusals.ts';
import type { AudioLink } from './audio-link.ts';
import type { Leftover } from './leftovers.ts';
import type { Watched } from './interruptions.ts';
import type { Listening } from './listen.ts';
import { CannotListen } from './streams.ts';
import { endInterruption } from './told-interruptions.ts';

/** What this browser records, as far as it has come. */
export type Current = Leftover & {
  link: AudioLink;
  readonly tries: Tries;
  listening: Listening | null;
  sound: Sound;
  watched: Watched;
  letSleep: () => void;
  /** Somebody else goes on with a pause in which this page hears nothing. */
  readonly resumed: () => void;
  /** Blocks are put down one after the other; rejects when neither disk nor memory has room. */
  putDown: Promise<void>;
  /** Of `total`, those that would outlive this page. */
  safe: number;
  /** What a person wanted here, until the service says the same. `isTold`: it has heard of it; `said`: what it said last, if that was the same before it had answered. */
  wish: { isPaused: boolean; isTold: boolean; said?: boolean } | null;
  /** The service is being asked: one wish after the other, or the later may come first and be refused. */
  isTelling: boolean;
  /** Why the service does not take it for now. */
  notTaken: Trouble | null;
};

export const isPausedHere = ({ kept }: Pick<Current, 'kept'>): boolean =>
  kept.pausedAt !== undefined;

/** A person pauses it here, or goes on. */
export async function pauseHere(mine: Current, isPaused: boolean): Promise<void> {
  mine.wish = { isPaused, isTold: false };
  await Promise.all([act(mine, isPaused), tellWish(mine)]);
}

/** The service says whether it is paused. What a person wants here that it has not heard of yet comes first. */
export async function pausedThere(mine: Current, isPaused: boolean): Promise<void> {
  const { wish } = mine;
  const isAsked = wish !== null && !wish.isTold && mine.isTelling;
  if (isAsked && (wish.isPaused === isPaused || wish.said !== undefined)) wish.said = isPaused;
  if (wish !== null && wish.isPaused !== isPaused) return;
  if (wish?.isTold) mine.wish = null;
  const wasUnheard = isPausedHere(mine) && mine.listening === null;
  await act(mine, isPaused);
  if (isPaused) return notePauseTold(mine);
  if (!wasUnheard || mine.kept.isOver) return;
  showAs('held', mine);
  mine.resumed();
}

/** Tells the service what a person wanted here, as soon as it knows of the recording. */
export async function tellWish(mine: Current): Promise<void> {
  const { wish } = mine;
  const { recordingId: id } = mine.kept;
  if (wish === null || wish.isTold || mine.isTelling || id === null) return;
  mine.isTelling = true;
  const verb = wish.isPaused ? 'pause' : 'resume';
  try {
    await answer(api.POST(`/recordings/{id}/${verb}`, { params: { path: { id } } }));
    wish.isTold = true;
    if (wish.isPaused) notePauseTold(mine);
    // What it said behind that, and says from now on, is what somebody wanted later.
    if (wish.said !== undefined && mine.wish === wish) mine.wish = null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status } = error.problem;
    // Not taken for now: told again at the next word of the service, and what it said meanwhile is no answer.
    if (status === 0 || status === 401 || status === 429 || status >= 500) delete wish.said;
    // Else it is so already, or has ended: the service's word counts.
    else if (mine.wish === wish) mine.wish = null;
  } finally {
    mine.isTelling = false;
  }
  if (mine.wish !== null && mine.wish !== wish) return await tellWish(mine);
  if (mine.wish === null && wish.said === !wish.isPaused) return await pausedThere(mine, wish.said);
  // One that was not taken is asked for by the next try: at once, it would be refused as often as the service can answer.
  if (!wish.isPaused && (wish.isTold || mine.wish === null)) mine.link.begin();
}

async function act(mine: Current, isPaused: boolean): Promise<void> {
  const { listening } = mine;
  if (mine.kept.isOver || isPausedHere(mine) === isPaused) return;
  endInterruption(mine);
  notePaused(mine, isPaused);
  mine.sound = openingSound(Date.now());
  // Until sound comes again the pause is shown.
  if (isPaused || listening !== null) showAs(isPaused ? 'paused' : 'recording', mine);
  if (listening === null) return;
  if (isPaused) return await listening.pause();
  try {
    await listening.go();
    mine.link.begin();
  } catch (error) {
    if (!(error instanceof CannotListen)) throw error;
    if (mine.kept.isOver || mine.listening !== listening) return;
    notePaused(mine, true);
    showAs('paused', mine);
    trouble.set({ code: error.code });
  }
}

/** In this browser too, for the page that comes after a reload. */
function notePaused(mine: Current, isPaused: boolean): void {
  delete mine.kept.isPauseTold;
  if (isPaused) mine.kept.pausedAt = Date.now();
  else delete mine.kept.pausedAt;
  keep(mine);
}

function notePauseTold(mine: Current): void {
  if (!isPausedHere(mine) || mine.kept.isPauseTold) return;
  mine.kept.isPauseTold = true;
  keep(mine);
}

function keep({ kept, store }: Current): void {
  store.put(kept).catch((error: unknown) => console.warn(error));
}
