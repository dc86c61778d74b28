/** Plays a recording: an audio element that asks the service for ranges, by a ticket that does not run out. */
import { persistentJSON } from '@nanostores/persistent';
import { type ReadableAtom, atom } from 'nanostores';
import { type Spot, type Timeline, afterPause, spotAt } from './playing.ts';
import type { Ticket } from './ticket.ts';

/** Times the usual speed. */
export const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;
export const speed = persistentJSON<number>('mitschrift.speed', 1);
export const skipsPauses = persistentJSON<boolean>('mitschrift.skip-pauses', false);

/** The next speed up (1) or down (-1). */
export function changeSpeed(step: 1 | -1): void {
  const at = speeds.indexOf(speed.get() as (typeof speeds)[number]);
  speed.set(speeds[Math.max(0, Math.min(speeds.length - 1, at + step))] ?? 1);
}

export type Player = {
  audio: HTMLAudioElement;
  playing: ReadableAtom<boolean>;
  /** Seconds, as often as the screen is painted while it plays. */
  time: ReadableAtom<number>;
  /** The word that is said; null before the first. */
  spot: ReadableAtom<Spot | null>;
  /** Why it cannot be played. */
  trouble: ReadableAtom<'format' | 'away' | null>;
  /** Loads what there is to be played; while it is recorded there is nothing yet. */
  prepare(): void;
  /** Plays from here, or from `from`; stops at `until`. Seconds. */
  play(from?: number, until?: number): void;
  pause(): void;
  toggle(): void;
  seek(time: number): void;
  /** Finds the word that is said again, when what is said has changed. */
  look(): void;
};

/** A second failure within this is not tried again. */
const retryMs = 5_000;

type Trouble = ReturnType<typeof atom<'format' | 'away' | null>>;
type Playing = ReturnType<typeof atom<boolean>>;

/**
 * @param timeline of what is said, for the word that is played and for pauses to skip
 * @param signal ends it
 */
export function openPlayer(
  id: string,
  ticket: Ticket,
  timeline: () => Timeline,
  signal: AbortSignal,
): Player {
  const audio = new Audio();
  const [playing, time, spot] = [atom(false), atom(0), atom<Spot | null>(null)];
  const trouble = atom<'format' | 'away' | null>(null);
  let until: number | undefined;
  audio.preload = 'metadata';

  const look = (): void => {
    time.set(audio.currentTime);
    const next = spotAt(timeline(), audio.currentTime);
    if (!isSame(next, spot.get())) spot.set(next);
  };
  const load = () => loadAudio(audio, { id, ticket, trouble, signal });
  const start = async (): Promise<void> => {
    if (audio.error !== null || !audio.hasAttribute('src')) await load();
    audio.playbackRate = speed.get();
    // Refused, or interrupted by a pause: what the element says is what is shown.
    await audio.play().catch(() => undefined);
  };
  const seek = (to: number): void => {
    until = undefined;
    audio.currentTime = Math.max(0, Math.min(to, audio.duration || to));
    look();
  };

  followPlaying(audio, { signal, playing, trouble }, () => {
    look();
    if (until === undefined) skipPause(audio, timeline());
    else if (audio.currentTime >= until) audio.pause();
  });
  audio.addEventListener('seeked', look, { signal });
  audio.addEventListener('error', retrying(audio, { ticket, trouble, start, playing }), { signal });
  followSpeed(audio, signal);
  signal.addEventListener('abort', () => end(audio));

  return {
    audio,
    playing,
    time,
    spot,
    trouble,
    seek,
    look,
    prepare() {
      if (!audio.hasAttribute('src')) void load();
    },
    play(from, to) {
      if (from !== undefined) seek(from);
      until = to;
      void start();
    },
    pause: () => audio.pause(),
    toggle() {
      until = undefined;
      if (audio.paused) void start();
      else audio.pause();
    },
  };
}

async function loadAudio(
  audio: HTMLAudioElement,
  parts: { id: string; ticket: Ticket; trouble: Trouble; signal: AbortSignal },
): Promise<void> {
  const { id, ticket, trouble, signal } = parts;
  const given = await ticket.get().catch(() => null);
  if (signal.aborted) return;
  if (given === null) trouble.set('away');
  else giveAddress(audio, `/recordings/${id}/audio?ticket=${given}`);
}

function followSpeed(audio: HTMLAudioElement, signal: AbortSignal): void {
  // Another speed than the element's own default lasts until the next file only.
  signal.addEventListener(
    'abort',
    speed.subscribe((value) => (audio.playbackRate = value)),
  );
}

/** Says whether it plays, and acts each time the screen is painted while it does. */
function followPlaying(
  audio: HTMLAudioElement,
  parts: { signal: AbortSignal; playing: Playing; trouble: Trouble },
  act: () => void,
): void {
  const { signal, playing, trouble } = parts;
  let frame = 0;
  const stop = () => cancelAnimationFrame(frame);
  const step = () => {
    frame = requestAnimationFrame(step);
    act();
  };
  const played = () => {
    playing.set(true);
    trouble.set(null);
    stop();
    step();
  };
  const paused = () => {
    playing.set(false);
    stop();
  };
  audio.addEventListener('play', played, { signal });
  audio.addEventListener('pause', paused, { signal });
  signal.addEventListener('abort', stop);
}

function skipPause(audio: HTMLAudioElement, timeline: Timeline): void {
  const on = skipsPauses.get() ? afterPause(timeline, audio.currentTime) : null;
  if (on !== null) audio.currentTime = on;
}

const isSame = (one: Spot | null, other: Spot | null): boolean =>
  one?.turn === other?.turn && one?.word === other?.word;

/** Where it was it goes on. */
function giveAddress(audio: HTMLAudioElement, address: string): void {
  const at = audio.currentTime;
  audio.src = address;
  if (at > 0) audio.currentTime = at;
}

/** A ticket that the service forgot, or a lost connection, is tried once more; a format is not. */
function retrying(
  audio: HTMLAudioElement,
  parts: {
    ticket: Ticket;
    trouble: Trouble;
    start: () => Promise<void>;
    playing: Playing;
  },
): () => void {
  const { ticket, trouble, start, playing } = parts;
  let last = -retryMs;
  return () => {
    const wasPlaying = playing.get();
    playing.set(false);
    const isFirst = performance.now() - last >= retryMs;
    last = performance.now();
    ticket.forget();
    if (isFirst && wasPlaying) void start();
    else if (!isFirst || audio.error?.code === MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED)
      trouble.set(audio.error?.code === MediaError.MEDIA_ERR_NETWORK ? 'away' : 'format');
  };
}

function end(audio: HTMLAudioElement): void {
  audio.pause();
  audio.removeAttribute('src');
  audio.load();
}
