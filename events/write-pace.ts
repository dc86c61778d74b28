import type { WriteGroup } from './write-group.ts';

/** How the next writes are to be made, from how the last ones went. */
export type Pace = {
  /** The last write took so little that a turn of the event loop would be felt. */
  brief: boolean;
  /** Appends in a group: half of those at work where two groups in turns are quicker, else no limit. */
  groupMax: number;
};

/** Nothing is known of the disk yet. */
export const firstPace: Pace = { brief: false, groupMax: Infinity };

/**
 * Two groups in turns pay for two syncs where one would do, and save that disk and event loop wait for
 * each other: worth it where a sync takes less than offering does. Neither time is seen alone. Offering
 * takes about twice as long as making the records; writing without the sync half as long as offering.
 *
 * @param elapsedMs from handing the group to LevelDB until hearing that it is durable: with two groups
 *   in turns that includes what was offered meanwhile.
 * @param waiting appends in the groups that follow.
 */
export function paceAfter(
  before: Pace,
  group: Pick<WriteGroup, 'size' | 'preparedMs'>,
  elapsedMs: number,
  waiting: number,
): Pace {
  const brief = elapsedMs < briefMs;
  const inTurns = before.groupMax !== Infinity;
  const quickMs = group.preparedMs * (inTurns ? 2 * quickWrite : quickWrite);
  if (group.size < appendsMin || elapsedMs > quickMs) return { brief, groupMax: Infinity };
  return { brief, groupMax: Math.max(2 * appendsMin, Math.ceil((group.size + waiting) / 2)) };
}

const briefMs = 1;
/** A write that takes less than so many times making its records is quick. */
const quickWrite = 3;
/** Of fewer appends than these the times say nothing. */
const appendsMin = 8;
