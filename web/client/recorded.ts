/** How much of the recording that runs there is, counted on between two frames that say so. */
import { atom, onMount } from 'nanostores';
import { type Status, onFrame, status } from './feed.ts';

type Running = NonNullable<Status['recording']>;

/** All that run; a node of an earlier release lists none of them. */
export const runningIn = (given: Status | null): Status['recordings'] => {
  const { recordings }: Partial<Pick<Status, 'recordings'>> = given ?? {};
  return recordings ?? [];
};

/** Whole seconds of the recording that runs; null while none does. Ticks only while it is shown. */
export const recorded = atom<number | null>(null);

/**
 * Seconds of a recording now, when a status said `recording.duration` so many milliseconds ago. One that is
 * paused stands still, and so does a device that is still being opened.
 * @param opened whether the device has given sound since
 */
export function secondsNow(
  { duration, paused, device }: Pick<Running, 'duration' | 'paused' | 'device'>,
  agoMs: number,
  opened = false,
): number {
  const stands = paused || (device !== null && duration === 0 && !opened);
  return Math.floor(duration + (stands ? 0 : agoMs / 1000));
}

onMount(recorded, () => {
  let heard = performance.now();
  let opened = false;
  const show = () => {
    const running = status.get()?.recording ?? null;
    recorded.set(running && secondsNow(running, performance.now() - heard, opened));
  };
  // No status says that a device has been opened: its first sound does.
  const stopFrames = onFrame((frame) => {
    const running = status.get()?.recording;
    if (opened || frame.type !== 'level' || running?.duration !== 0) return;
    if (frame.recording_id !== running.recording_id) return;
    opened = true;
    heard = performance.now();
  });
  const stop = status.subscribe(() => {
    opened = false;
    heard = performance.now();
    show();
  });
  const timer = setInterval(show, 250);
  return () => {
    clearInterval(timer);
    stopFrames();
    stop();
  };
});
