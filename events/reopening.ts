import { setTimeout as delay } from 'node:timers/promises';
import type { LogDatabase } from './database.ts';

/** Pauses between attempts double from the first to the last, and stay there until the log is closed. */
export const reopenPauseMs = { first: 20, last: 5_000 };

/**
 * Closes and opens the database until that and `check` succeed, or `signal` aborts. A full disk may
 * stay full for hours: giving up would need a restart by hand, a pause of seconds costs nothing.
 */
export async function reopenUntilUsable(
  db: LogDatabase,
  signal: AbortSignal,
  check: () => Promise<void>,
  report: (message: string, error: unknown) => void,
): Promise<void> {
  let pauseMs = reopenPauseMs.first;
  while (!signal.aborted) {
    try {
      await db.reopen();
      await check();
      return;
    } catch (error) {
      report(`The log could not be opened again; the next attempt is in ${pauseMs} ms.`, error);
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, reopenPauseMs.last);
    }
  }
}
