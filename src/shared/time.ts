import { uptime } from 'node:os';

/** Time since some moment, milliseconds; never goes back. */
export type ElapsedClock = () => number;

/** Shorter sleeps cannot be seen: the system's uptime counts whole seconds on macOS. */
const sleepMsMin = 2000;

/**
 * A clock that also counts while the machine sleeps: `performance.now()` (CLOCK_MONOTONIC) stands still
 * then, the system's uptime (CLOCK_BOOTTIME, clock_gettime(2)) does not. Setting the date changes neither.
 */
export function elapsedClock(
  sources: { awake(): number; uptimeMs(): number } = {
    awake: () => performance.now(),
    uptimeMs: () => uptime() * 1000,
  },
): ElapsedClock {
  const asleepBefore = sources.uptimeMs() - sources.awake();
  let slept = 0;
  return () => {
    const awake = sources.awake();
    const asleep = sources.uptimeMs() - awake - asleepBefore;
    if (asleep - slept >= sleepMsMin) slept = asleep;
    return awake + slept;
  };
}

/** Seconds as `hh:mm:ss`; a hundred hours and more have three digits. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
/** A moment on the server's wall clock, RFC 3339 with its offset: `2026-11-21T06:14:00+01:00`. */
export function localTime(moment: Date): string {
  const offset = -moment.getTimezoneOffset();
  const shifted = new Date(moment.getTime() + offset * 60_000);
  const sign = offset < 0 ? '-' : '+';
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const zone = `${sign}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
  return `${shifted.toISOString().slice(0, 19)}${zone}`;
}

/** The same moment in the one notation that sorts as text (`2026-03-01T09:30:00.000Z`); the epoch if it is none. */
export function utcTime(at: string): string {
  const time = new Date(at);
  return (Number.isNaN(time.getTime()) ? new Date(0) : time).toISOString();
}

/** Seconds as the log holds them: to the millisecond, which is 16 samples. */
export const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;
