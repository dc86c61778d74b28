import type { LoggedFact } from '../events/facts/catalogue.ts';
import { recordingOf } from '../events/facts/recording.ts';
import type { Taken } from '../events/facts/retention.ts';
import { type ReadEntries, entriesOf } from './list-page.ts';
import type { RemovedPart } from './retention.ts';
import type { Projection, ProjectionStorage } from './runner/projection.ts';

const forgottenName = 'forgotten';

/** What a period took: nothing that was said. */
export type Forgotten = Omit<Taken, 'owner'> & { at: string; part: RemovedPart };

/** What retention took of each user: `<owner>/<time>/<recording>`, without any words. */
export const forgotten: Projection = {
  name: forgottenName,
  version: 1,
  interests: new Set<LoggedFact['type']>(['audio.removed', 'recording.erased']),
  keys: () => [],
  apply(rows, fact) {
    if (fact.type !== 'audio.removed' && fact.type !== 'recording.erased') return;
    const { retention } = fact.data;
    const id = recordingOf(fact.stream);
    if (!retention || id === undefined) return;
    const { owner, ...what } = retention;
    const part = fact.type === 'audio.removed' ? 'audio' : 'notes';
    const row: Forgotten = { ...what, at: fact.at, part };
    rows.set(`${owner}/${fact.at}/${id}`, row);
  },
};

/** The places (`<time>/<recording>`) of what retention took of a user. */
export const forgottenOf = (storage: ProjectionStorage, owner: string): ReadEntries =>
  entriesOf(storage, forgottenName, `${owner}/`);

/** What is at these places. */
export async function forgottenAt(
  storage: ProjectionStorage,
  owner: string,
  entries: readonly string[],
): Promise<Forgotten[]> {
  const keys = entries.map((entry) => `${owner}/${entry}`);
  const rows = await storage.getMany<Forgotten>(forgottenName, keys);
  return rows.filter((row) => row !== undefined);
}
