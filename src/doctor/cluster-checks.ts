import { served } from '../../projections/served.ts';
import type { ClusterSettings } from '../shared/cluster-settings.ts';
import { systemClock } from '../shared/retry.ts';
import type { ClusterNode } from '../storage/cluster.ts';
import { generationOf } from '../storage/postgres/generation.ts';
import { type Look, type LookedAt, type Remedy, asLimited, asMissing, asOk } from './check.ts';
import {
  type DatabaseSeen,
  type Refused,
  examineDatabase,
  examineFiles,
} from './examine-cluster.ts';
import { guideLink } from './guide.ts';

export type ClusterParts = {
  cluster: ClusterSettings;
  /** Facts that the lists of this node have not taken in yet; null: this process has none. */
  behind: (() => Promise<number>) | null;
  /** What the log had lost when this node opened it again; null: nothing that it knows of. */
  lost?: string | null;
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
      return asMissing('It could not be looked at, since the database cannot be used.', {
        text: 'Mend the database first.',
      });
    };
  return [
    {
      id: 'database',
      title: 'Database of all nodes',
      link: settings,
      limitMs: databaseMs,
      look: async () => databaseFit(await database(), lost),
    },
    {
      id: 'database-clock',
      title: 'Clock and the database’s',
      link: page,
      limitMs: databaseMs,
      look: onDatabase(clocks),
    },
    {
      id: 'files',
      title: 'Files of all nodes',
      link: settings,
      limitMs: filesMs,
      look: onDatabase((seen) => files(cluster, seen)),
    },
    {
      id: 'projector',
      title: 'Lists of recordings',
      link: page,
      limitMs: databaseMs,
      look: onDatabase((seen, signal) => projector({ cluster, behind, signal }, seen)),
    },
    {
      id: 'nodes',
      title: 'Nodes',
      link: page,
      limitMs: databaseMs,
      look: onDatabase(({ nodes }) => nodesThere(nodes)),
    },
  ];
}

const asTheSentenceSays: Remedy = { text: 'Do what the sentence says, and look again.' };

function databaseFit(seen: DatabaseSeen | Refused, lost: string | null = null): LookedAt {
  if ('refusal' in seen) return asMissing(seen.refusal, asTheSentenceSays);
  if (lost !== null) {
    return asLimited(lost, {
      text: 'Look at what was recorded and changed shortly before, and do again what is missing. Set synchronous_standby_names at the database, so that nothing is lost by a failover.',
    });
  }
  return asOk(
    `PostgreSQL ${seen.version} answers at ${seen.where}, directly; its tables are of this release.`,
  );
}

function clocks({ aheadMs }: DatabaseSeen): LookedAt {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  if (Math.abs(aheadMs) <= clocksApartMs) return asOk('Both say the same.');
  const remedy = {
    text: 'Have the clocks of all nodes and of the database set by the network.',
    command: 'sudo timedatectl set-ntp true',
  };
  return asLimited(
    aheadMs > 0
      ? `This machine’s clock is ${seconds} s ahead of the database’s: sessions end early, and times of recordings are wrong.`
      : `This machine’s clock is ${seconds} s behind the database’s: sessions end late, and times of recordings are wrong.`,
    remedy,
  );
}

async function files(cluster: ClusterSettings, seen: DatabaseSeen): Promise<LookedAt> {
  let found = await examineFiles(cluster, seen);
  if (!('refusal' in found) && found.strangers.length > 0) {
    // One of them may have ended meanwhile, with its mark.
    const now = await examineDatabase(cluster);
    if (!('refusal' in now)) found = await examineFiles(cluster, now);
  }
  if ('refusal' in found) return asMissing(found.refusal, asTheSentenceSays);
  const { where, strangers } = found;
  if (strangers.length === 0) return asOk(`${where} can be written, and all nodes have it.`);
  return asMissing(`In ${where} is nothing of these nodes: ${named(strangers)}.`, {
    text: 'Mount the same directory, or name the same bucket, at all nodes, and start those that had another one again.',
  });
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
    return asMissing('No node takes in what is in the log.', {
      text: 'Start a node, of the newest release that there was.',
    });
  }
  let count = (await behind?.()) ?? 0;
  while (count > 0 && performance.now() < deadline) {
    await systemClock.wait(lookEveryMs, signal);
    count = (await behind?.()) ?? 0;
  }
  const who = named([holder]);
  if (count === 0) return asOk(`${who} takes in what is in the log.`);
  return asLimited(`They are ${count} facts behind the log, which ${who} takes in.`, {
    text: 'Wait. If they are more when you look again, see what the log of that node says, and what else the database is doing.',
  });
}

/** Of this release: nodes of another one have lists of their own. */
const projectorOf = ({ nodes }: DatabaseSeen): ClusterNode | undefined => {
  const { projector } = generationOf(served);
  return nodes.find(({ there, holds }) => there && holds.some(({ name }) => name === projector));
};

function nodesThere(nodes: readonly ClusterNode[]): LookedAt {
  const there = nodes.filter((node) => node.there);
  const list = named(there);
  if (there.length === 0) return asMissing('No node is there.', { text: 'Start one.' });
  if (there.every(({ role }) => role === 'serve')) {
    return asMissing(`No node works on recordings, which wait: only ${list}.`, {
      text: 'Start a node with MITSCHRIFT_ROLE work or all.',
    });
  }
  if (there.every(({ role }) => role === 'work')) {
    return asMissing(`No node answers requests: only ${list}.`, {
      text: 'Start a node with MITSCHRIFT_ROLE serve or all.',
    });
  }
  if (new Set(there.map(({ version }) => version)).size > 1) {
    const releases = there.map((node) => `${named([node])}: ${node.version}`).join(', ');
    return asLimited(`They are of several releases: ${releases}.`, {
      text: 'Start the newest release at all nodes.',
    });
  }
  const lost = nodes.filter((node) => !node.there && !isReplaced(node, there));
  if (lost.length === 0) return asOk(`There are ${list}.`);
  return asLimited(`There are ${list}. Died or cut off within a day: ${named(lost)}.`, {
    text: 'Start what is to be there again; what it was doing is done by the others.',
  });
}

/** Whether one of its role was started on its machine since. */
const isReplaced = (
  { host, role, noted_at }: ClusterNode,
  there: readonly ClusterNode[],
): boolean =>
  there.some((node) => node.host === host && node.role === role && node.noted_at > noted_at);

const named = (nodes: readonly ClusterNode[]): string =>
  nodes.map(({ host, process: number, role }) => `${host} ${number} (${role})`).join(', ');
