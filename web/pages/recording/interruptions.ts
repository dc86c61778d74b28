/** Where the times stand in which nothing was recorded, and how they are told of. */
import { computed } from 'nanostores';
import { dates } from '../../words/i18n.ts';
import type { Recording, Turn } from './turn-key.ts';
import { words } from './words.ts';

export type Interruption = Recording['interruptions'][number];

/** When nothing was recorded, and why. */
export const interruptionText = computed([words, dates], (texts, { time }) => {
  return ({ from, to, reason }: Interruption): string => {
    const times = { from: time(from), to: time(to) };
    if (reason === null) return texts.notRecorded(times);
    return texts.notRecordedBecause({ ...times, reason: texts[`notRecorded:${reason}`] });
  };
});

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
