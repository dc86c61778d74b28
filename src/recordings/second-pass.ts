import type { RecordingFactOf } from '../../events/facts/recording.ts';
import { type Recording, factAt } from '../../projections/recording/recording.ts';

/**
 * What has a recording recognised once more, by a better model, as soon as there are documents of what was recognised
 * while it ran. Null: nothing is to be done, or it was begun before. Pure.
 */
export function secondPassDue({
  sources,
  facts,
}: Recording): RecordingFactOf<'reprocessing.requested'> | null {
  const { transcription } = sources.draft.results;
  const completed = factAt({ facts }, transcription, 'transcription.completed');
  const model = completed?.data.second_pass;
  // Texts with names that changed are written first, and then it comes here again.
  if (model === undefined || sources.retelling) return null;
  const isOver = facts.some(
    (fact) =>
      fact.version > completed!.version &&
      (fact.type === 'audio.removed' ||
        (fact.type === 'reprocessing.requested' && fact.data.model !== undefined)),
  );
  return isOver
    ? null
    : { type: 'reprocessing.requested', data: { from: 'speech-to-text', model } };
}
