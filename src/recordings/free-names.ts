import type { Ownership } from '../../events/ownership.ts';
import { type Clock, systemClock } from '../shared/retry.ts';

/** Names that no process holds, of those who may come back for what was theirs. */
export type FreeNames = {
  /**
   * For how long no process has held a name, in milliseconds: since it was first found free from here, by this
   * machine's clock alone; 0 while one holds it. @throws as `Ownership.claim`
   */
  freeForMs(name: string, signal: AbortSignal): Promise<number>;
};

/** Between two looks at a name, in milliseconds: in between the last one counts. */
const lookEveryMs = 5_000;
/** Names that are remembered; beyond it all begin again. */
const rememberedMax = 10_000;

/** Watches names by claiming them for a moment. @param everyMs for tests */
export function freeNames(
  ownership: Ownership,
  { everyMs = lookEveryMs, clock = systemClock }: { everyMs?: number; clock?: Clock } = {},
): FreeNames {
  const looks = new Map<string, { at: number; freeSince: number | null }>();
  return {
    async freeForMs(name, signal) {
      const before = looks.get(name);
      let freeSince = before?.freeSince ?? null;
      if (!before || clock.now() - before.at >= everyMs) {
        const held = await ownership.claim(name, signal);
        await held?.release();
        freeSince = held ? (freeSince ?? clock.now()) : null;
        if (looks.size >= rememberedMax) looks.clear();
        looks.set(name, { at: clock.now(), freeSince });
      }
      return freeSince === null ? 0 : clock.now() - freeSince;
    },
  };
}
