import { served } from '../../projections/served.ts';
import type { ClusterSettings } from '../shared/cluster-settings.ts';
import { systemClock } from '../shared/retry.ts';
import { type ClusterNode, nodeMarkKey } from '../storage/cluster.ts';
import { generationOf } from '../storage/postgres/generation.ts';
import { type Look, type LookedAt, asLimited, asMissing, asOk } from './check.ts';
import { check } from '../words/checks.ts';
import { guideLink } from './guide.ts';
import type { Sentence } from '../words/params.ts';
import { buffer } from 'node:stream/consumers';
import { ulid } from 'ulid';
import { soleOwnership } from '../../events/ownership.ts';
import { BlobsError } from '../storage/blobs/blobs.ts';
import { blobsPlace, whereOf } from '../storage/blobs/blobs-url.ts';
import { openBlobs } from '../storage/blobs/open-blobs.ts';
import { type Postgres, openPostgres } from '../storage/postgres/connection.ts';
import { DatabaseUnfit } from '../storage/postgres/fitness.ts';
import { nodesAt } from '../storage/postgres/nodes.ts';

export type ClusterParts = {
  cluster: ClusterSettings;
  /** Facts that the lists of this node have not taken in yet; null: this process has none. */
  behind: (() => Promise<number>) | null;
  /** What the log had lost when this node opened it again; null: nothing that it knows of. */
  lost?: Sentence | null;
};

const databaseMs = 30_000;
/** A store that is away says so after half a minute. */
const filesMs = 90_000;
/** Sessions and the dates of documents take no harm from less. */
const clocksApartMs = 5_000;
/** So long the lists may take for what is in the log now, and a node for writing down that it is there. */
const patienceMs = 5_000;
const lookEveryMs = 250;

const page = guideLink('deploy', 'Who is there');
const settings = guideLink('deploy', 'Settings');

/** What the nodes of a cluster share, and the nodes. The database is asked once for all. */
export function clusterLooks({ cluster, behind, lost }: ClusterParts): Look[] {
  let asked: Promise<DatabaseSeen | Refused> | undefined;
  const database = () => (asked ??= examineDatabase(cluster));
  const onDatabase =
    (
      look: (seen: DatabaseSeen, signal: AbortSignal) => LookedAt | Promise<LookedAt>,
    ): Look['look'] =>
    async (signal) => {
      const seen = await database();
      if (!('refusal' in seen)) return await look(seen, signal);
      return asMissing(check('needs-database'));
    };
  return [
    {
      id: 'database',
      link: settings,
      limitMs: databaseMs,
      look: async () => databaseFit(await database(), lost),
    },
    {
      id: 'database-clock',
      link: page,
      limitMs: databaseMs,
      look: onDatabase(clocks),
    },
    {
      id: 'files',
      link: settings,
      limitMs: filesMs,
      look: onDatabase((seen) => files(cluster, seen)),
    },
    {
      id: 'projector',
      link: page,
      limitMs: databaseMs,
      look: onDatabase((seen, signal) => projector({ cluster, behind, signal }, seen)),
    },
    {
      id: 'nodes',
      link: page,
      limitMs: databaseMs,
      look: onDatabase(({ nodes }) => nodesThere(nodes)),
    },
  ];
}

function databaseFit(seen: DatabaseSeen | Refused, lost: Sentence | null = null): LookedAt {
  if ('refusal' in seen) return asMissing(seen.refusal);
  if (lost !== null) {
    return asLimited(check('facts-lost', { cause: lost }));
  }
  return asOk(check('database-ok', { version: seen.version, database: seen.where }));
}

function clocks({ aheadMs }: DatabaseSeen): LookedAt {
  if (Math.abs(aheadMs) <= clocksApartMs) return asOk(check('clocks-agree'));
  const by = Math.abs(aheadMs) / 1000;
  return asLimited(
    aheadMs > 0 ? check('node-clock-ahead', { by }) : check('node-clock-behind', { by }),
    { command: 'sudo timedatectl set-ntp true' },
  );
}

async function files(cluster: ClusterSettings, seen: DatabaseSeen): Promise<LookedAt> {
  let found = await examineFiles(cluster, seen);
  if (!('refusal' in found) && found.strangers.length > 0) {
    // One of them may have ended meanwhile, with its mark.
    const now = await examineDatabase(cluster);
    if (!('refusal' in now)) found = await examineFiles(cluster, now);
  }
  if ('refusal' in found) return asMissing(found.refusal);
  const { where, strangers } = found;
  if (strangers.length === 0) return asOk(check('files-ok', { place: where }));
  return asMissing(check('files-not-shared', { place: where, nodes: named(strangers) }));
}

async function projector(
  { cluster, behind, signal }: ClusterParts & { signal: AbortSignal },
  seen: DatabaseSeen,
): Promise<LookedAt> {
  const deadline = performance.now() + patienceMs;
  let holder = projectorOf(seen);
  while (holder === undefined && performance.now() < deadline) {
    await systemClock.wait(lookEveryMs, signal);
    const now = await examineDatabase(cluster);
    holder = 'refusal' in now ? undefined : projectorOf(now);
  }
  if (holder === undefined) {
    return asMissing(check('lists-nobody'));
  }
  let count = (await behind?.()) ?? 0;
  while (count > 0 && performance.now() < deadline) {
    await systemClock.wait(lookEveryMs, signal);
    count = (await behind?.()) ?? 0;
  }
  const node = nameOf(holder);
  return count === 0
    ? asOk(check('lists-ok', { node }))
    : asLimited(check('lists-behind', { count, node }));
}

/** Of this release: nodes of another one have lists of their own. */
const projectorOf = ({ nodes }: DatabaseSeen): ClusterNode | undefined => {
  const { projector } = generationOf(served);
  return nodes.find(({ there, holds }) => there && holds.some(({ name }) => name === projector));
};

function nodesThere(nodes: readonly ClusterNode[]): LookedAt {
  const there = nodes.filter((node) => node.there);
  const list = named(there);
  if (there.length === 0) return asMissing(check('nodes-none'));
  if (there.every(({ role }) => role === 'serve')) {
    return asMissing(check('nodes-no-workers', { nodes: list }));
  }
  if (there.every(({ role }) => role === 'work')) {
    return asMissing(check('nodes-no-servers', { nodes: list }));
  }
  if (new Set(there.map(({ version }) => version)).size > 1) {
    const releases = there.map((node) => `${nameOf(node)}: ${node.version}`);
    return asLimited(check('nodes-mixed', { nodes: releases }));
  }
  const lost = nodes.filter((node) => !node.there && !isReplaced(node, there));
  if (lost.length === 0) return asOk(check('nodes-ok', { nodes: list }));
  return asLimited(check('nodes-lost', { nodes: list, lost: named(lost) }));
}

/** Whether one of its role was started on its machine since. */
const isReplaced = (
  { host, role, noted_at }: ClusterNode,
  there: readonly ClusterNode[],
): boolean =>
  there.some((node) => node.host === host && node.role === role && node.noted_at > noted_at);

const nameOf = ({ host, process: number, role }: ClusterNode): string =>
  `${host} ${number} (${role})`;

const named = (nodes: readonly ClusterNode[]): string[] => nodes.map(nameOf);

/** Why it cannot be used. */
type Refused = { refusal: Sentence };

/** What a cluster's database says. */
type DatabaseSeen = {
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
type FilesSeen = {
  where: string;
  /** Nodes whose mark is not there: they have another store. */
  strangers: ClusterNode[];
};

/** Asks the database by connections of its own, as a node does at its start; makes nothing there. */
async function examineDatabase(cluster: ClusterSettings): Promise<DatabaseSeen | Refused> {
  let db: Postgres;
  try {
    db = await openPostgres({ url: cluster.databaseUrl, connectionsMax: 1, makesTables: false });
  } catch (error) {
    if (!(error instanceof DatabaseUnfit)) throw error;
    return { refusal: error.said };
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
async function examineFiles(
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
    return { refusal: error.said };
  }
}
