import pLimit from 'p-limit';
import { countedEntries } from '../../projections/library.ts';
import type { ReadEntries } from '../../projections/list-page.ts';
import { limits } from './limits.ts';

/** How many recordings a list has; `more` than were counted. */
export type CountedList = { recordings: number; more: boolean };

/** Lists that are counted at once, for all requests together. */
const atOnce = pLimit(8);

/**
 * Counts lists, each up to `countedMax`. However many there are and whatever they hold, so many keys are read together at
 * most: each list is counted up to its share, then those that have more share the same again.
 */
export async function countedLists(
  lists: readonly ReadEntries[],
  {
    countedMax,
    countedTogetherMax,
  }: Pick<typeof limits, 'countedMax' | 'countedTogetherMax'> = limits,
): Promise<CountedList[]> {
  const shareOf = (most: number): number =>
    Math.min(countedMax, Math.floor(countedTogetherMax / Math.max(1, most)));
  const count = (read: ReadEntries, most: number): Promise<CountedList> =>
    atOnce(async () => {
      const found = await countedEntries(read, most + 1);
      return { recordings: Math.min(found, most), more: found > most };
    });
  const share = shareOf(lists.length);
  const counted = await Promise.all(lists.map((read) => count(read, share)));
  const larger = shareOf(counted.filter(({ more }) => more).length);
  if (larger <= share) return counted;
  return await Promise.all(
    lists.map(async (read, at) => {
      const one = counted[at]!;
      return one.more ? await count(read, larger) : one;
    }),
  );
}
