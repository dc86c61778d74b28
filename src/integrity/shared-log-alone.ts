import type { EventLog } from '../../events/event-log.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { soleOwnership } from '../../events/ownership.ts';
import type { ClusterSettings } from '../shared/cluster-settings.ts';
import { openBlobKeys } from '../storage/blobs/blob-keys.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import { openBlobs } from '../storage/blobs/open-blobs.ts';
import type { Kept } from '../storage/kept.ts';
import { openPostgres } from '../storage/postgres/connection.ts';
import { postgresKept } from '../storage/postgres/kept.ts';
import { openPostgresLog } from '../storage/postgres/postgres-log.ts';
import { type SealedTexts, keyOfNodes, openSealedTexts } from '../storage/sealed-texts.ts';

/** What a command has of a cluster. */
export type SharedLogParts = {
  store: EventLog;
  keys: KeyStore;
  kept: Kept;
  /** Where the files are, if the keys come from there. */
  blobs: Blobs | undefined;
  /** @throws {ConfigError} `MASTER_KEY_DIFFERS`, `SECRETS_DAMAGED` */
  secrets(): Promise<SealedTexts>;
};

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
    const { keys, blobs, close } =
      known === null
        ? await sharedKeys(cluster, db.logId)
        : { keys: known, blobs: undefined, close: async () => {} };
    const store = openPostgresLog({ db, keys });
    try {
      const kept = postgresKept(db, keyOfNodes(cluster.masterKey, db, 'login attempts'));
      const secrets = () => openSealedTexts(kept, db, cluster.masterKey);
      return await work({ store, keys, kept, blobs, secrets });
    } finally {
      await store.close();
      await close();
    }
  } finally {
    await db.close();
  }
}

/** As nodes have them: also what they have erased. */
async function sharedKeys({ blobsUrl }: ClusterSettings, logId: string) {
  const blobs = await openBlobs(blobsUrl, { logId, ownership: soleOwnership() });
  try {
    return { keys: await openBlobKeys(blobs), blobs, close: () => blobs.close() };
  } catch (error) {
    await blobs.close();
    throw error;
  }
}
