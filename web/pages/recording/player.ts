/** Plays a recording: an audio element that asks the service for ranges, by a ticket that does not run out. */
import { persistentJSON } from '@nanostores/persistent';
import { type ReadableAtom, atom } from 'nanostores';
import { answer, api } from '../../client/api.ts';
import { type Spot, type Timeline, afterPause, spotAt } from './playing.ts';

/** Times the usual speed. */
export const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2, 2.5] as const;
export const speed = persistentJSON<number>('mitschrift.speed', 1);
export const skipsPauses = persistentJSON<boolean>('mitschrift.skip-pauses', false);

export type Player = {
  audio: HTMLAudioElement;
  playing: ReadableAtom<boolean>;
  /** Seconds, as often as the screen is painted while it plays. */
  time: ReadableAtom<number>;
  /** The word that is said; null before the first. */
  spot: ReadableAtom<Spot | null>;
  /** Why it cannot be played. */
  trouble: ReadableAtom<'format' | 'away' | null>;
  /** Plays from here, or from `from`; stops at `until`. Seconds. */
  play(from?: number, until?: number): void;
  pause(): void;
  toggle(): void;
  seek(time: number): void;
  /** The next speed up (1) or down (-1). */
  change(step: 1 | -1): void;
  close(): void;
};

/** @param timeline of what is said, for the word that is played and for pauses to skip */
export function openPlayer(id: string, timeline: () => Timeline): Player {
  const audio = new Audio();
  const playing = atom(false);
  const time = atom(0);
  const spot = atom<Spot | null>(null);
  const trouble = atom<'format' | 'away' | null>(null);
  const closed = new AbortController();
  const { signal } = closed;
  const ticket = openTicket(id, signal);
  let until: number | undefined;
  let frame = 0;
  audio.preload = 'metadata';

  const look = (): void => {
    const now = audio.currentTime;
    time.set(now);
    const next = spotAt(timeline(), now);
    const before = spot.get();
    if (next?.turn !== before?.turn || next?.word !== before?.word) spot.set(next);
  };
  const follow = (): void => {
    look();
    if (until !== undefined && audio.currentTime >= until) audio.pause();
    const on =
      skipsPauses.get() && until === undefined && afterPause(timeline(), audio.currentTime);
    if (typeof on === 'number') audio.currentTime = on;
    if (!audio.paused) frame = requestAnimationFrame(follow);
  };
  const load = async (): Promise<void> => {
    const at = audio.currentTime;
    const given = await ticket.get().catch(() => null);
    if (signal.aborted) return;
    if (given === null) return trouble.set('away');
    audio.src = `/recordings/${id}/audio?ticket=${given}`;
    if (at > 0) audio.currentTime = at;
  };
  const start = async (): Promise<void> => {
    if (audio.src === '' || audio.error !== null) await load();
    audio.defaultPlaybackRate = speed.get();
    audio.playbackRate = speed.get();
    // Refused or interrupted by a pause: what the element says is what is shown.
    await audio.play().catch(() => undefined);
  };
  const seek = (to: number): void => {
    until = undefined;
    audio.currentTime = Math.max(
      0,
      Math.min(to, Number.isFinite(audio.duration) ? audio.duration : to),
    );
    look();
  };

  audio.addEventListener('play', () => (playing.set(true), trouble.set(null), follow()), {
    signal,
  });
  for (const end of ['pause', 'ended'] as const) {
    audio.addEventListener(end, () => (playing.set(false), cancelAnimationFrame(frame)), {
      signal,
    });
  }
  audio.addEventListener('seeked', look, { signal });
  let retried = 0;
  audio.addEventListener(
    'error',
    () => {
      const wasPlaying = playing.get();
      playing.set(false);
      // A ticket that the service forgot, or a lost connection, is tried once more; a format is not.
      if (Date.now() - retried < retryMs) {
        trouble.set(audio.error?.code === MediaError.MEDIA_ERR_NETWORK ? 'away' : 'format');
        return;
      }
      retried = Date.now();
      ticket.forget();
      void load().then(() => (wasPlaying ? start() : undefined));
    },
    { signal },
  );
  const rate = speed.subscribe((value) => (audio.playbackRate = value));
  void load();

  return {
    audio,
    playing,
    time,
    spot,
    trouble,
    seek,
    play(from, to) {
      if (from !== undefined) seek(from);
      until = to;
      void start();
    },
    pause: () => audio.pause(),
    toggle: () => (audio.paused ? ((until = undefined), void start()) : audio.pause()),
    change(step) {
      const at = speeds.indexOf(speed.get() as (typeof speeds)[number]);
      speed.set(speeds[Math.max(0, Math.min(speeds.length - 1, at + step))] ?? 1);
    },
    close() {
      closed.abort();
      rate();
      cancelAnimationFrame(frame);
      audio.pause();
      audio.removeAttribute('src');
      audio.load();
    },
  };
}

/** A second failure within this is not tried again. */
const retryMs = 5_000;
/** A ticket is renewed so long before it ends, milliseconds. */
const renewBeforeMs = 60_000;

/**
 * A ticket that stays good as long as it is open: it is prolonged before it ends, so that an address that
 * plays goes on playing.
 */
function openTicket(id: string, signal: AbortSignal) {
  let given: Promise<string> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async (renew?: string): Promise<string> => {
    const { ticket, expires_at } = await answer(
      api.POST('/recordings/{id}/ticket', {
        params: { path: { id } },
        ...(renew === undefined ? {} : { body: { ticket: renew } }),
      }),
    );
    const wait = Math.max(1_000, Date.parse(expires_at) - Date.now() - renewBeforeMs);
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(() => void ask(ticket).catch(forget), wait);
    return ticket;
  };
  /** The next use asks for another one. */
  const forget = (): void => {
    given = undefined;
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  return {
    async get(): Promise<string> {
      given ??= ask();
      given.catch(forget);
      return await given;
    },
    forget,
  };
}
