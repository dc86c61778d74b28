/** How much of the recording that runs there is, counted on between two frames that say so. */
import { atom, onMount } from 'nanostores';
import { type Status, status } from './feed.ts';

type Running = NonNullable<Status['recording']>;

/** Whole seconds of the recording that runs; null while none does. Ticks only while it is shown. */
export const recorded = atom<number | null>(null);

/**
 * Seconds of a recording now, when a status said `recording.duration` so many milliseconds ago. One that is
 * paused stands still, and so does a device that is still being opened.
 */
export function secondsNow({ duration, paused, device }: Running, agoMs: number): number {
  const stands = paused || (device !== null && duration === 0);
  return Math.floor(duration + (stands ? 0 : agoMs / 1000));
}

onMount(recorded, () => {
  let heard = performance.now();
  const show = () => {
    const running = status.get()?.recording ?? null;
    recorded.set(running === null ? null : secondsNow(running, performance.now() - heard));
  };
  const stop = status.subscribe(() => {
    heard = performance.now();
    show();
  });
  const timer = setInterval(show, 250);
  return () => {
    clearInterval(timer);
    stop();
  };
});
