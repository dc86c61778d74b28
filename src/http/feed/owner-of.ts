import { LRUCache } from 'lru-cache';
import { filesAfter, noFiles } from '../../../events/facts/files.ts';
import { recordingOf, recordingStream } from '../../../events/facts/recording.ts';
import { recordingById } from '../../../projections/recordings.ts';
import { limits } from '../limits.ts';
import type { HttpServices } from '../services.ts';

/**
 * Whose a recording is: from the projection, which knows whom it was handed over to and is as far as
 * the feed; from its first fact while the projection has nothing yet. Remembered until it is handed
 * over. Undefined when there is no such recording.
 */
export function ownerOf({
  store,
  storage,
  projections,
}: Pick<HttpServices, 'store' | 'storage' | 'projections'>) {
  const known = new LRUCache<string, string>({ max: limits.ownersRememberedMax });
  /** Hand-overs seen: what was read before one may be what was true before it. */
  let handedOver = 0;
  projections.onApplied((facts) => {
    for (const fact of facts) {
      if (fact.type !== 'recording.handed_over') continue;
      handedOver += 1;
      known.delete(recordingOf(fact.stream) ?? '');
    }
  });

  return async (recordingId: string): Promise<string | undefined> => {
    const remembered = known.get(recordingId);
    if (remembered !== undefined) return remembered;
    const before = handedOver;
    const owner = (await recordingById(storage, recordingId))?.owner ?? (await first(recordingId));
    if (owner === undefined || handedOver !== before) return owner;
    known.set(recordingId, owner);
    return owner;
  };

  async function first(recordingId: string): Promise<string | undefined> {
    for await (const fact of store.read(recordingStream(recordingId), { limit: 1 })) {
      return filesAfter(noFiles, fact).owner ?? undefined;
    }
    return undefined;
  }
}
