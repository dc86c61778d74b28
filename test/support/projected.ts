import type { TestContext } from 'node:test';
import type { EventStore } from '../../events/store.ts';
import type { Projection, ProjectionStorage } from '../../projections/runner/projection.ts';
import { type ProjectionRunner, startProjections } from '../../projections/runner/runner.ts';
import { type FactTeller, factTeller } from './fact-teller.ts';
import { memoryProjectionStorage } from './memory-projection-storage.ts';
import { memoryKeys, memoryStore } from './memory-store.ts';

/** A log in memory, and a projection that follows it. */
export type Projected = {
  store: EventStore;
  keys: ReturnType<typeof memoryKeys>;
  storage: ProjectionStorage;
  runner: ProjectionRunner;
  teller: FactTeller;
  /** Waits until everything told so far is in the rows. */
  settled: (position: number) => Promise<void>;
  /** The rows as they would be had they been folded only now, from what the log still gives. */
  replayed: () => Promise<ProjectionStorage>;
};

export function projected(
  test: Pick<TestContext, 'after'>,
  ...projections: Projection[]
): Projected {
  const keys = memoryKeys();
  const store = memoryStore({ keys });
  const storage = memoryProjectionStorage();
  const runner = startProjections({ store, storage, projections });
  test.after(() => runner.stop());
  return {
    store,
    keys,
    storage,
    runner,
    teller: factTeller(store),
    settled: (position) => runner.applied('all', position),
    async replayed() {
      const fresh = memoryProjectionStorage();
      const again = startProjections({ store, storage: fresh, projections });
      await again.ready();
      await again.stop();
      return fresh;
    },
  };
}
