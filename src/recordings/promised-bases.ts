import { recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import type { RecordingContext } from '../../machines/context.ts';
import type { OpenRecordings } from './control/open-recordings.ts';

/**
 * Base names of documents that recordings of an owner have been promised, on disk or not yet: of those that are open, and
 * of others.
 */
export async function* promisedBases(
  store: EventStore,
  recordings: OpenRecordings,
  owner: string,
  others: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  const looked = new Set<string>();
  for await (const recording of recordings.all()) {
    const { context } = recording.snapshot();
    looked.add(context.recordingId);
    yield* baseIn(store, context, owner);
  }
  for await (const recordingId of others) {
    if (looked.has(recordingId)) continue;
    const context = await recordings.use(
      recordingId,
      { create: false },
      async (recording) => recording.snapshot().context,
    );
    yield* baseIn(store, context, owner);
  }
}

async function* baseIn(
  store: EventStore,
  { files, recordingId, sources }: RecordingContext,
  owner: string,
): AsyncGenerator<string> {
  const { named } = sources.draft.results;
  if (files.owner !== owner || named === null) return;
  // A name in the space of an earlier owner.
  if (named < (files.handedOver ?? 0)) return;
  const only = { afterVersion: named - 1, limit: 1 };
  for await (const fact of store.read(recordingStream(recordingId), only)) {
    if (fact.type === 'documents.named' && fact.content) yield fact.content.base;
  }
}
