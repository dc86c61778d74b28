import type { Ownership } from '../../../events/ownership.ts';
import { aborted } from '../../shared/abort.ts';
import { repeatedly } from '../../shared/retry.ts';

/** Between two tries to take a name that another process holds, in milliseconds. */
const tryEveryMs = 5_000;

/**
 * Holds a name for work on audio that only one process may do at a time, and takes it again when it was lost. One that
 * does not work on audio never does.
 * @param signal gives it back, and ends
 * @param begin called each time it is held; its signal aborts when that is over. What it returns is awaited before the name
 *   is given back, and never rejects
 * @returns whether it is held here now
 */
export function audioAtOneNode(
  { ownership, standing }: { ownership: Ownership; standing: { worksOnAudio: boolean } },
  name: string,
  signal: AbortSignal,
  begin: (signal: AbortSignal) => void | Promise<void>,
): () => boolean {
  let isHeld = false;
  const hold = async (): Promise<void> => {
    // A database that cannot be asked now is asked again.
    const held = await ownership.claim(name, signal);
    if (!held) return;
    isHeld = true;
    const over = AbortSignal.any([signal, held.lost]);
    const working = begin(over);
    await aborted(over);
    isHeld = false;
    await working;
    await held.release();
  };
  if (standing.worksOnAudio) void repeatedly(hold, { pauseMs: tryEveryMs, signal });
  return () => isHeld;
}
