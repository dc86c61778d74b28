/** Which turn and word is said at a moment: binary searches in flat arrays, once an animation frame. */
import type { Turn } from './turn-key.ts';

export type Timeline = {
  /** Starts of all words in seconds, ascending; a turn without words counts as one. */
  starts: Float64Array;
  ends: Float64Array;
  /** For each word: the place of its turn, and its place in the turn. */
  turnOf: Uint32Array;
  wordOf: Uint32Array;
};

export type Spot = { turn: number; word: number };

/** All words in the order in which they are said. Turns may overlap: their words are sorted. */
export function timelineOf(turns: readonly Turn[]): Timeline {
  const words = turns.flatMap((turn, at) =>
    (turn.words.length > 0 ? turn.words : [turn]).map(({ start, end }, word) => ({
      start,
      end,
      at,
      word,
    })),
  );
  words.sort((a, b) => a.start - b.start);
  return {
    starts: Float64Array.from(words, ({ start }) => start),
    ends: Float64Array.from(words, ({ end }) => end),
    turnOf: Uint32Array.from(words, ({ at }) => at),
    wordOf: Uint32Array.from(words, ({ word }) => word),
  };
}

/** The word at a time in seconds, or the last one before it; null before the first. */
export function spotAt({ starts, turnOf, wordOf }: Timeline, time: number): Spot | null {
  const at = lastAtMost(starts, time);
  return at < 0 ? null : { turn: turnOf[at]!, word: wordOf[at]! };
}

/** Pauses shorter than this are part of talking, seconds. */
const pauseSeconds = 1.5;
/** Left before the next word, so that its beginning is heard, seconds. */
const lead = 0.25;

/**
 * Where to go on when pauses are skipped: null while there is talk, and shortly before.
 * @param time seconds
 */
export function afterPause({ starts, ends }: Timeline, time: number): number | null {
  const at = lastAtMost(starts, time);
  const next = starts[at + 1];
  if (next === undefined) return null;
  // Of those who talk at once, the one who talks longest.
  let end = 0;
  for (let k = at; k >= 0 && k > at - overlapping; k -= 1) end = Math.max(end, ends[k]!);
  if (time < end + lead || next - Math.max(end, 0) < pauseSeconds) return null;
  return next - time > 2 * lead ? next - lead : null;
}

/** So many words back an earlier one may still be said. */
const overlapping = 32;

/** Index of the last number that is not above `limit`; -1: all are. */
function lastAtMost(numbers: Float64Array, limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
