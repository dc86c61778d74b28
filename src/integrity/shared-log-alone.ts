import { join } from 'node:path';
import type { EventLog } from '../../events/event-log.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { soleOwnership } from '../../events/ownership.ts';
import type { ClusterSettings } from '../shared/cluster-settings.ts';
import { openBlobKeys } from '../storage/blobs/blob-keys.ts';
import { openBlobs } from '../storage/blobs/open-blobs.ts';
import type { PendingJobs } from '../storage/pending-jobs.ts';
import { openPostgres } from '../storage/postgres/connection.ts';
import { postgresPendingJobs } from '../storage/postgres/pending-jobs.ts';
import { openPostgresLog } from '../storage/postgres/postgres-log.ts';

/** What a command has of a cluster. */
export type SharedLogParts = { store: EventLog; keys: KeyStore; jobs: PendingJobs };

/**
 * Works on the log in a database without a service, and closes it.
 * @param known null: the keys that lie with the cluster's files. A new store is not to be opened for them: that marks it
 * @throws {DatabaseUnfit}, {BlobsError}
 */
export async function withSharedLog<T>(
  cluster: ClusterSettings,
  known: KeyStore | null,
  work: (parts: SharedLogParts) => Promise<T>,
): Promise<T> {
  const db = await openPostgres({ url: cluster.databaseUrl });
  try {
    const { keys, close } =
      known === null ? await sharedKeys(cluster, db.logId) : { keys: known, close: async () => {} };
    const store = openPostgresLog({ db, keys });
    try {
      return await work({ store, keys, jobs: postgresPendingJobs(db) });
    } finally {
      await store.close();
      await close();
    }
  } finally {
    await db.close();
  }
}

async function sharedKeys(cluster: ClusterSettings, logId: string) {
  const { sharedDirectory, blobsUrl } = cluster;
  if (sharedDirectory !== null)
    return { keys: await openFileKeys(join(sharedDirectory, 'keys')), close: async () => {} };
  const blobs = await openBlobs(blobsUrl, { logId, ownership: soleOwnership() });
  return { keys: await openBlobKeys(blobs), close: () => blobs.close() };
}
