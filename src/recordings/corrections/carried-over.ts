import type { RecordingFactOf } from '../../../events/facts/recording.ts';
import type { Reading } from '../../../projections/recording/reading.ts';
import { carryOver, correctionsBetween } from '../../../projections/recording/carry-over.ts';

/**
 * What people corrected in the documents there are, placed in the transcript of which the next ones
 * will be made; null when there is nothing to place. Asked again when more was corrected meanwhile.
 * @param shown what the present documents were made of; null when there are none
 */
export function carriedOver(
  next: Reading,
  shown: Reading | null,
): RecordingFactOf<'corrections.carried_over'> | null {
  if (shown === null || next.source.results.restored !== null) return null;
  if (shown.basis === next.basis) return null;
  const corrections = [
    ...correctionsBetween(shown.recognised, shown.blocks, shown.names),
    ...shown.unplaced,
  ];
  if (corrections.length === 0 && next.source.results.carried === null) return null;
  const { blocks, placed, unplaced, names } = carryOver(corrections, next.recognised, next.names);
  return {
    type: 'corrections.carried_over',
    data: { placed, unplaced: unplaced.length, labels: Object.keys(names) },
    content: { blocks, unplaced, names },
  };
}
