import { recordingOf, recordingStream } from '../../events/recording-facts.ts';
import { recordingById } from '../../projections/recordings.ts';
import { limits } from './limits.ts';
import type { HttpServices } from './services.ts';

/**
 * Whose a recording is: from the view, which knows whom it was handed over to and is as far as whoever
 * is told things; from its first fact while the view has nothing yet. Remembered until it is handed
 * over. Undefined when there is no such recording.
 */
export function ownerOf({
  store,
  storage,
  projections,
}: Pick<HttpServices, 'store' | 'storage' | 'projections'>) {
  const known = new Map<string, string>();
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
    if (known.size >= limits.ownersRememberedMax) known.delete(known.keys().next().value!);
    known.set(recordingId, owner);
    return owner;
  };

  async function first(recordingId: string): Promise<string | undefined> {
    for await (const fact of store.read(recordingStream(recordingId), { limit: 1 })) {
      const { owner } = fact.data as { owner?: unknown };
      return typeof owner === 'string' ? owner : undefined;
    }
    return undefined;
  }
}
