import type { PassageRow } from '../storage/passage-rows.ts';
import { type VectorIndex, vectorIndex } from './vector-index.ts';

/** What a user's passages mean, by the model that says so. */
export interface Meant {
  put(recordingId: string, row: Pick<PassageRow, 'model' | 'dimensions' | 'vectors'>): void;
  remove(recordingId: string): void;
  /** Undefined where nothing is known. What passages mean to other models is forgotten. */
  of(model: string): VectorIndex | undefined;
  /** Share of so many recordings that is known. */
  fraction(model: string, recordings: number): number;
  bytes(): number;
}

export function openMeant(): Meant {
  const indexes = new Map<string, VectorIndex & { dimensions: number }>();
  /** Also those without a passage, in which nothing was said. */
  const models = new Map<string, string>();
  return {
    put(recordingId, { model, dimensions, vectors }) {
      models.set(recordingId, model);
      if (vectors.length === 0) return;
      let index = indexes.get(model);
      if (index?.dimensions !== dimensions) {
        index = Object.assign(vectorIndex(dimensions), { dimensions });
        indexes.set(model, index);
      }
      index.put(recordingId, vectors);
    },
    remove(recordingId) {
      models.delete(recordingId);
      for (const index of indexes.values()) index.remove(recordingId);
    },
    of(model) {
      for (const other of indexes.keys()) if (other !== model) indexes.delete(other);
      return indexes.get(model);
    },
    fraction(model, recordings) {
      if (recordings === 0) return 1;
      let known = 0;
      for (const one of models.values()) if (one === model) known += 1;
      return Math.min(1, known / recordings);
    },
    bytes: () => [...indexes.values()].reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
