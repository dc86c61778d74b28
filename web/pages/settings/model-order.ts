/** In which order models stand, and what they are called by. */
import type { Model } from '../../client/models.ts';

const purposes = [
  'speech-to-text',
  'streaming-speech-to-text',
  'speaker-segmentation',
  'speaker-embedding',
  'voice-activity',
  'punctuation',
];

/** What is used or on its way first, then what is recommended, then the rest; each by purpose and size. */
export const sorted = (models: readonly Model[]): Model[] =>
  models.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      purposes.indexOf(a.purpose) - purposes.indexOf(b.purpose) ||
      b.size - a.size,
  );

function rank(model: Model): number {
  if (model.installed || model.progress !== null) return 0;
  return model.recommended === null ? 2 : 1;
}
