import type { Projection } from '../../projections/runner/projection.ts';
import { startSharedProjections } from '../../projections/runner/shared-runner.ts';
import { openPostgres } from '../../src/storage/postgres/connection.ts';
import { generationOf } from '../../src/storage/postgres/generation.ts';
import { postgresOwnership } from '../../src/storage/postgres/ownership.ts';
import { openPostgresLog } from '../../src/storage/postgres/postgres-log.ts';
import { postgresProjectionStorage } from '../../src/storage/postgres/projection-storage.ts';
import { postgresProjectorChannel } from '../../src/storage/postgres/projector-channel.ts';
import { memoryKeys } from './memory-store.ts';

/** The projector's part of a node: keeps the rows of one projection. */
export async function openProjectorNode(
  options: { url: string; leaseMs: number; answerMs?: number },
  projection: Projection,
) {
  const { leaseMs } = options;
  const db = await openPostgres(options);
  const ownership = postgresOwnership(db, { leaseMs });
  const log = openPostgresLog({ db, keys: memoryKeys() });
  const generation = generationOf([projection]);
  let isProjector = false;
  const runner = startSharedProjections({
    store: log,
    storage: () => postgresProjectionStorage(db, { fenced: true, generation }),
    projections: [projection],
    ownership,
    name: generation.projector,
    channel: postgresProjectorChannel(db, generation.channel, () => {}),
    before: async () => {},
    onStopped() {},
    onListenerError(error) {
      throw error;
    },
    onProjector: (is) => (isProjector = is),
    onFailure() {},
  });
  return {
    runner,
    isProjector: () => isProjector,
    async close() {
      await runner.stop();
      await log.close();
      await ownership.close();
      await db.close();
    },
  };
}

/** One row, of how many facts there are. @param seen called with the position of each fact that it counts */
export const counter = (
  version: number,
  seen: (position: number) => void = () => {},
): Projection => ({
  name: 'counter',
  version,
  keys: () => ['count'],
  apply(rows, { position }) {
    seen(position);
    rows.set('count', (rows.get<number>('count') ?? 0) + 1);
  },
});
