import { recordingStream } from '../../events/recording-facts.ts';
import { limits } from './limits.ts';
import type { HttpServices } from './services.ts';

/**
 * Whose a recording is, from its first fact: unlike a view it is never behind and survives erasure.
 * Undefined when there is no such recording.
 */
export function ownerOf({ store }: Pick<HttpServices, 'store'>) {
  const known = new Map<string, string>();
  return async (recordingId: string): Promise<string | undefined> => {
    const remembered = known.get(recordingId);
    if (remembered !== undefined) return remembered;
    for await (const fact of store.read(recordingStream(recordingId), { limit: 1 })) {
      const { owner } = fact.data as { owner?: unknown };
      if (typeof owner !== 'string') return undefined;
      if (known.size >= limits.ownersRememberedMax) known.delete(known.keys().next().value!);
      known.set(recordingId, owner);
      return owner;
    }
    return undefined;
  };
}
