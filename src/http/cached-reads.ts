import { LRUCache } from 'lru-cache';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';

/**
 * Reads of some projections, kept until one of them has applied another fact: who asks again and again is not
 * answered from the disk. An answer is never older than what the projections had applied when it was
 * asked for.
 * @param readsMax answers kept; of more the least used are forgotten.
 */
export function cachedReads<T>(
  projections: Pick<ProjectionRunner, 'positionOf'>,
  names: readonly string[],
  readsMax: number,
): (key: string, read: () => Promise<T>, keeps?: (answer: T) => boolean) => Promise<T> {
  const kept = new LRUCache<string, { answer: T }>({ max: readsMax });
  let keptAt: readonly number[] = names.map(() => -1);
  return async (key, read, keeps = () => true) => {
    const positions = names.map((name) => projections.positionOf(name));
    if (positions.some((position, at) => position !== keptAt[at])) {
      kept.clear();
      keptAt = positions;
    }
    const mine = keptAt;
    const found = kept.get(key);
    if (found) return found.answer;
    const answer = await read();
    // Rows may be ahead of the position, never behind it: at the latest the next fact lets go of them.
    if (keptAt === mine && mine.every((position) => position >= 0) && keeps(answer))
      kept.set(key, { answer });
    return answer;
  };
}
