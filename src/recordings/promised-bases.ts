import { recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import type { RecordingContext } from '../../machines/context.ts';
import type { OpenRecordings } from './control/open-recordings.ts';

/** What is to be known of a recording that may have been promised a name. */
export type MaybeNamed = Pick<RecordingContext, 'recordingId' | 'files' | 'sources'>;

/**
 * Base names of documents that recordings of an owner have been promised, on disk or not yet: of those that are open, and
 * of others.
 */
export async function* promisedBases(
  store: EventStore,
  recordings: OpenRecordings,
  owner: string,
  others: AsyncIterable<MaybeNamed>,
): AsyncGenerator<string> {
  const looked = new Set<string>();
  for await (const recording of recordings.all()) {
    const { context } = recording.snapshot();
    looked.add(context.recordingId);
    yield* baseIn(store, context, owner);
  }
  for await (const other of others) {
    if (!looked.has(other.recordingId)) yield* baseIn(store, other, owner);
  }
}

async function* baseIn(
  store: EventStore,
  { files, recordingId, sources }: MaybeNamed,
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
