/** Where the times stand in which nothing was recorded. */
import type { Recording, Turn } from './turn-key.ts';

export type Interruption = Recording['interruptions'][number];

/** By the place of the turn that follows; of those behind the last turn by their number. */
export function byNextTurn(
  interruptions: readonly Interruption[],
  turns: readonly Pick<Turn, 'start'>[],
): ReadonlyMap<number, readonly Interruption[]> {
  const places = new Map<number, Interruption[]>();
  for (const one of interruptions) {
    const next = turns.findIndex(({ start }) => start >= one.at - 0.01);
    const place = next === -1 ? turns.length : next;
    places.set(place, [...(places.get(place) ?? []), one]);
  }
  return places;
}
