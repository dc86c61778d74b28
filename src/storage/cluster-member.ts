import { hostname } from 'node:os';
import { ulid } from 'ulid';
import type { ClusterSettings } from '../shared/cluster-settings.ts';
import type { Log } from '../shared/log.ts';
import { packageVersion } from '../shared/package.ts';
import type { Blobs } from './blobs/blobs.ts';
import { type ClusterMember, type NodeSelf, nodeMarkKey } from './cluster.ts';
import type { Postgres } from './postgres/connection.ts';
import { keepNodeNoted, nodesAt } from './postgres/nodes.ts';
import type { PostgresOwnership } from './postgres/ownership.ts';

/**
 * Makes this process one of the nodes that others see, with what it holds, until it leaves.
 * @throws {BlobsError} as it cannot leave its mark in the store
 */
export async function joinCluster(parts: {
  cluster: ClusterSettings;
  db: Postgres;
  ownership: PostgresOwnership;
  blobs: Blobs;
  log: Pick<Log, 'warn'>;
}): Promise<ClusterMember & { leave(): Promise<void> }> {
  const { cluster, db, ownership, blobs, log } = parts;
  const self = selfOf(cluster);
  // Before it is listed: who lists it looks for its mark.
  const mark = await keepNodeMark(blobs, self.id, log);
  const notes = keepNodeNoted(db, self, {
    holding: ownership.holding,
    report: (message, error) => log.warn({ err: error }, message),
  });
  ownership.onChange(notes.changed);
  notes.changed();
  return {
    self,
    nodes: () => nodesAt(db),
    held: () => ownership.holding().claims.map(({ name }) => name),
    connections: db.connections,
    listensAt: notes.listensAt,
    async leave() {
      await notes.close();
      await mark.stop();
    },
  };
}

const selfOf = ({ role, workSlots }: ClusterSettings): NodeSelf => ({
  id: ulid(),
  host: hostname(),
  process: process.pid,
  role,
  version: packageVersion(),
  slots: role === 'serve' ? 0 : workSlots,
  started_at: new Date().toISOString(),
});

/** Before `collect.ts` takes it for left over. */
const againMs = 24 * 3_600_000;

/**
 * Keeps a file of this node in the store until it is stopped: a node that does not see it has another store, such as
 * a directory that is not mounted.
 * @throws {BlobsError}
 */
async function keepNodeMark(
  blobs: Blobs,
  nodeId: string,
  log: Pick<Log, 'warn'>,
): Promise<{ stop(): Promise<void> }> {
  const key = nodeMarkKey(nodeId);
  const put = () => blobs.put(key, Buffer.from(`${nodeId}\n`));
  await put();
  const timer = setInterval(() => {
    put().catch((error: unknown) =>
      log.warn({ err: error }, 'marker file of this node could not be renewed'),
    );
  }, againMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await blobs
        .delete(key)
        .catch((error: unknown) =>
          log.warn(
            { err: error },
            'marker file of this node could not be removed; it expires after a week',
          ),
        );
    },
  };
}
