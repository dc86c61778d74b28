import type { RecordingFactOf } from '../../../events/facts/recording.ts';
import { basisOf } from '../../../events/facts/sources.ts';
import type { RecordingContent } from '../recording-content.ts';
import { recognisedBlocks, shownBlocks } from '../transcript-blocks.ts';
import { carryOver, correctionsBetween } from './carry-over.ts';

/**
 * What people corrected in the documents there are, placed in the transcript of which the next ones
 * will be made; null when there is nothing to place. Asked again when more was corrected meanwhile.
 * @param shown what the present documents were made of; null when there are none
 */
export function carriedOver(
  next: RecordingContent,
  shown: RecordingContent | null,
): RecordingFactOf<'corrections.carried_over'> | null {
  if (shown === null || next.restored !== null) return null;
  if (basisOf(shown.source) === basisOf(next.source)) return null;
  const earlier = shown.carried?.content?.unplaced ?? [];
  const corrections = [
    ...correctionsBetween(recognisedBlocks(shown), shownBlocks(shown), shown.names),
    ...earlier,
  ];
  if (corrections.length === 0 && next.carried === null) return null;
  const { blocks, placed, unplaced, names } = carryOver(
    corrections,
    recognisedBlocks(next),
    next.names,
  );
  return {
    type: 'corrections.carried_over',
    data: { placed, unplaced: unplaced.length, labels: Object.keys(names) },
    content: { blocks, unplaced, names },
  };
}
