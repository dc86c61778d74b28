import { recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import type { RecordingAggregate } from './aggregate.ts';

/** Base names of documents that these recordings of an owner have been promised, on disk or not yet. */
export async function* promisedBases(
  store: EventStore,
  recordings: AsyncIterable<RecordingAggregate>,
  owner: string,
): AsyncGenerator<string> {
  for await (const recording of recordings) {
    const { context } = recording.snapshot();
    const { named } = context.sources.draft.results;
    if (context.owner !== owner || named === null) continue;
    // A name in the space of an earlier owner.
    if (named < (context.handedOver ?? 0)) continue;
    const after = { afterVersion: named - 1, limit: 1 };
    for await (const fact of store.read(recordingStream(context.recordingId), after)) {
      if (fact.type === 'documents.named' && fact.content) yield fact.content.base;
    }
  }
}
