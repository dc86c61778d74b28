/** Where a side note belongs that is begun now. */
import { computed } from 'nanostores';
import { markAt, mayMark } from '../../../recording-bar/mark.ts';
import { surfaces } from '../../../recording-bar/surface.ts';
import type { Recording } from '../turn-key.ts';

/** What is recorded into a note, as the bar knows it; undefined while nothing is. */
export const recordedInto = (id: string) =>
  computed(surfaces, (all) => all.find(({ recordingId }) => recordingId === id));

/**
 * Seconds of a recording: while it is recorded now, afterwards where it is played; of one that nobody plays its end.
 * @param heard seconds at which the player stands; 0: at its beginning
 * @param recorded seconds that were recorded when that was seen last: the end, until the service says how long it is
 */
export function positionIn(
  { duration }: Pick<Recording, 'duration'>,
  running: { seconds: number } | undefined,
  { heard, recorded }: { heard: number; recorded: number },
): number {
  const at = running?.seconds ?? (heard > 0 ? heard : (duration ?? recorded));
  return Math.round(at * 100) / 100;
}

/** Marks this moment; undefined where there is none: it is paused, or over and nobody plays it. */
export function markingNow(
  id: string,
  running: Parameters<typeof mayMark>[0] | undefined,
  heard: number,
): (() => void) | undefined {
  const isElsewhere = running?.state === 'elsewhere' && !running.isPaused;
  if (running && (isElsewhere || mayMark(running))) return () => markAt(id, running.seconds);
  return running === undefined && heard > 0 ? () => markAt(id, heard) : undefined;
}
