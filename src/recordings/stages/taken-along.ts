import type { RecordingFact, RecordingFactOf } from '../../../events/facts/recording.ts';
import type { EventStore } from '../../../events/store.ts';
import type { Personal } from '../../../projections/personal.ts';
import { holdTaken } from '../../../projections/recording/holds.ts';
import { type Order, orderOf, orderTaken } from '../../../projections/recording/order.ts';
import { type Recording, readRecording } from '../../../projections/recording/recording.ts';
import type { Job } from './run-stage.ts';

export type TakenDeps = {
  store: Pick<EventStore, 'read'>;
  /** What owners have set in order. */
  order: { of(owner: string): Promise<Pick<Personal, 'folders'>> };
};

/** What the fact says of a recording that is taken up, and what goes on of that one; nothing where none is. */
export type TakenUp = {
  data: Pick<RecordingFactOf<'audio.assembled'>['data'], 'absorbs' | 'absorbed_version'>;
  facts(now: Recording): readonly RecordingFact[];
};

/**
 * What goes on of a recording that is taken up: its tags, its folder and template where this one has none, and its protection, as it is by
 * now. Not a folder that is shared: who has that would read all of this one.
 */
export async function takenOf(
  { owner }: Pick<Job, 'owner'>,
  [taken]: readonly string[] = [],
  { order, store }: TakenDeps,
): Promise<TakenUp> {
  if (taken === undefined) return { data: {}, facts: () => [] };
  const other = await readRecording(store, taken);
  const { folder, ...others } = orderOf(other);
  const { folders } = await order.of(owner);
  const isReadByOthers = folder !== null && (folders.get(folder)?.access.length ?? 0) > 0;
  const given: Order = { ...others, folder: isReadByOthers ? null : folder };
  return {
    data: { absorbs: [taken], absorbed_version: other.facts.at(-1)?.version },
    facts: (now) => [...orderTaken(orderOf(now), given), ...holdTaken(now, other, Date.now())],
  };
}
