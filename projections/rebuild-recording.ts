import type { LoggedFact } from '../events/facts/catalogue.ts';
import { recordingStream } from '../events/facts/recording.ts';
import type { EventStore } from '../events/store.ts';
import { foldBatch, keysOfFacts } from './runner/member.ts';
import type { Projection, ProjectionStorage, Row } from './runner/projection.ts';
import { recordings } from './recordings.ts';
import { removeTexts } from './texts.ts';

/**
 * Folds one recording's facts again, up to where the projection has come: for rows that were written while
 * its key was away. Nothing else may write the projection's rows meanwhile.
 * @param given.beside changes to be committed before its rows
 */
export async function rebuildRecording(
  store: EventStore,
  storage: ProjectionStorage,
  given: { projection: Projection; recordingId: string; beside: ReadonlyMap<string, Row> },
): Promise<void> {
  const { projection, recordingId, beside } = given;
  const checkpoint = await storage.checkpoint(projection.name);
  // Otherwise all rows are made again.
  if (checkpoint?.version !== projection.version) return;
  const facts: LoggedFact[] = [];
  for await (const fact of store.read(recordingStream(recordingId))) {
    if (fact.position <= checkpoint.position) facts.push(fact);
  }
  const { keys } = keysOfFacts(projection, facts);
  const { changes, failure } = foldBatch(projection, facts, keys, new Map());
  if (failure) throw failure.error;
  // Of all of an owner's recordings this one need not have changed last.
  const own = [...changes].filter(([key]) => !key.startsWith('p/'));
  if (projection === recordings) await removeTexts(storage, recordingId);
  await storage.commit(projection.name, checkpoint, new Map([...beside, ...own]));
}
