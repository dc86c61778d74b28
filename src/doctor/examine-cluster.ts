import { buffer } from 'node:stream/consumers';
import { ulid } from 'ulid';
import { soleOwnership } from '../../events/ownership.ts';
import type { ClusterSettings } from '../shared/cluster-settings.ts';
import { BlobsError } from '../storage/blobs/blobs.ts';
import { blobsPlace, whereOf } from '../storage/blobs/blobs-url.ts';
import { openBlobs } from '../storage/blobs/open-blobs.ts';
import { type ClusterNode, nodeMarkKey } from '../storage/cluster.ts';
import { type Postgres, openPostgres } from '../storage/postgres/connection.ts';
import { DatabaseUnfit } from '../storage/postgres/fitness.ts';
import { nodesAt } from '../storage/postgres/nodes.ts';
import { check } from '../words/checks.ts';
import type { Sentence } from '../words/params.ts';

/** Why it cannot be used. */
export type Refused = { refusal: Sentence };

/** What a cluster's database says. */
export type DatabaseSeen = {
  /** Without user and password. */
  where: string;
  logId: string;
  /** PostgreSQL's. */
  version: string;
  /** By how many milliseconds this machine's clock is ahead of the database's; below 0: behind. */
  aheadMs: number;
  nodes: ClusterNode[];
};

/** What the store of files says. */
export type FilesSeen = {
  where: string;
  /** Nodes whose mark is not there: they have another store. */
  strangers: ClusterNode[];
};

/** Asks the database by connections of its own, as a node does at its start; makes nothing there. */
export async function examineDatabase(cluster: ClusterSettings): Promise<DatabaseSeen | Refused> {
  let db: Postgres;
  try {
    db = await openPostgres({ url: cluster.databaseUrl, connectionsMax: 1, makesTables: false });
  } catch (error) {
    if (!(error instanceof DatabaseUnfit)) throw error;
    return { refusal: error.sentence };
  }
  try {
    const [server] = await db.ask<{ version: string }>({
      text: "select current_setting('server_version') as version",
    });
    const { where, logId } = db;
    return {
      where,
      logId,
      version: server!.version,
      aheadMs: await aheadMs(db),
      nodes: await nodesAt(db),
    };
  } finally {
    await db.close();
  }
}

/** As far as it can be told: how long the question took is not known to either side. */
async function aheadMs(db: Postgres): Promise<number> {
  const sent = Date.now();
  const [answer] = await db.ask<{ now: number }>({
    text: '(select (extract(epoch from clock_timestamp()) * 1000)::float8 as now)',
  });
  const { now } = answer!;
  return Math.max(0, sent - now) + Math.min(0, Date.now() - now);
}

/** Writes, reads and removes a file, and looks for those of the nodes. */
export async function examineFiles(
  cluster: ClusterSettings,
  { logId, nodes }: Pick<DatabaseSeen, 'logId' | 'nodes'>,
): Promise<FilesSeen | Refused> {
  try {
    const where = whereOf(blobsPlace(cluster.blobsUrl));
    const ownership = soleOwnership();
    const blobs = await openBlobs(cluster.blobsUrl, { logId, ownership, marks: false });
    try {
      const key = nodeMarkKey(`doctor-${ulid()}`);
      await blobs.put(key, Buffer.from('ok'));
      const found = await blobs.get(key);
      if (found) await buffer(found.body);
      await blobs.delete(key);
      if (!found) return { refusal: check('files-vanish', { place: where }) };
      const strangers: ClusterNode[] = [];
      for (const node of nodes)
        if (node.there && (await blobs.head(nodeMarkKey(node.id))) === null) strangers.push(node);
      return { where, strangers };
    } finally {
      await blobs.close();
    }
  } catch (error) {
    if (!(error instanceof BlobsError)) throw error;
    return { refusal: error.sentence };
  }
}
