import type { Ownership } from '../../events/ownership.ts';
import { onAbort } from '../shared/abort.ts';
import { systemClock } from '../shared/retry.ts';

/** Between two tries to take a name that another process holds, in milliseconds. */
const tryEveryMs = 5_000;

/** As `atOneNode`, for work on audio: a process that is alone does it, one that does not work on audio never. */
export const audioAtOneNode = (
  {
    ownership,
    standing,
  }: { ownership: Ownership; standing: { isAlone: boolean; worksOnAudio: boolean } },
  ...how: [name: string, signal: AbortSignal, begin: () => void]
): (() => boolean) => {
  if (standing.isAlone) return () => true;
  return standing.worksOnAudio ? atOneNode(ownership, ...how) : () => false;
};

/**
 * Holds a name for what only one process may do at a time; takes it again when it was lost.
 * @param signal gives it back, and ends
 * @param begin called each time it is held
 * @returns whether it is held here now
 */
function atOneNode(
  ownership: Ownership,
  name: string,
  signal: AbortSignal,
  begin: () => void,
): () => boolean {
  let isHeld = false;
  const keep = async (): Promise<void> => {
    while (!signal.aborted) {
      // Who cannot be asked now is asked again.
      const held = await ownership.claim(name, signal).catch(() => null);
      if (held) {
        isHeld = true;
        begin();
        await new Promise<void>((resolve) =>
          onAbort(AbortSignal.any([signal, held.lost]), () => resolve()),
        );
        isHeld = false;
        await held.release().catch(() => undefined);
      }
      await systemClock.wait(tryEveryMs, signal).catch(() => undefined);
    }
  };
  void keep();
  return () => isHeld;
}
