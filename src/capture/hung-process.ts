import { readFileSync } from 'node:fs';

/**
 * Calls back once when a process hangs: when for `idleMs` it has neither run nor waited for a
 * processor or the disk; at the latest after `mostMs`. On a busy machine it is slow and goes on,
 * so it gets the time it needs. Elsewhere than on Linux the clock alone counts.
 * @returns how to stop watching
 */
export function watchForHang(
  pid: number,
  { idleMs, mostMs }: { idleMs: number; mostMs: number },
  onHung: () => void,
): () => void {
  const started = performance.now();
  let progressAt = started;
  let used = -1;
  const timer = setInterval(
    () => {
      const now = performance.now();
      const seen = activityOf(pid);
      if (seen && (seen.ticks !== used || seen.isBusy)) {
        used = seen.ticks;
        progressAt = now;
      }
      if (now - progressAt < idleMs && now - started < mostMs) return;
      clearInterval(timer);
      onHung();
    },
    Math.min(looksEveryMs, idleMs / 4),
  );
  return () => clearInterval(timer);
}

const looksEveryMs = 100;

/** Its processor time and whether it runs, is ready to, or waits for the disk; null when it is gone. */
function activityOf(pid: number): { ticks: number; isBusy: boolean } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may hold anything: state, …, and at 11 and 12 user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isBusy = fields[0] === 'R' || fields[0] === 'D';
    return { ticks: Number(fields[11]) + Number(fields[12]), isBusy };
  } catch {
    return null;
  }
}
