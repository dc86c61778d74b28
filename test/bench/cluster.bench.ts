import pg from 'pg';
import { openPostgresLog } from '../../src/storage/postgres/postgres-log.ts';
import { type Postgres, openPostgres } from '../../src/storage/postgres/connection.ts';
import { rowCrc } from '../../src/storage/postgres/fact-rows.ts';
import { memoryKeys } from '../support/memory-store.ts';
import { type Cluster, ask, postgresCluster } from '../support/postgres.ts';
import { answering } from './cluster-answers.ts';
import { finishing, takingOver } from './cluster-work.ts';
import { stageStarted } from './fill-log.ts';
import {
  type Measured,
  bestOf,
  countFrom,
  milliseconds,
  msOf,
  perSecond,
  percentile,
} from './measure.ts';
import { subscribed } from '../support/subscribed.ts';

export const about =
  'nodes on one PostgreSQL: appends, how soon others have them, take-over, work, an answer';
export const throughBuild = false;
export const onlyByName = true;

const appends = countFrom('BENCH_CLUSTER_APPENDS', 20_000);
const heard = countFrom('BENCH_CLUSTER_HEARD', 500);

export async function* bench(): AsyncIterable<Measured> {
  const ends: (() => unknown)[] = [];
  const cluster = await postgresCluster({ after: (end) => void ends.push(end) }, { fsync: true });
  try {
    // Once unmeasured: all has been compiled by then.
    await ours(cluster, 500, { writers: 100, nodes: 1 });
    await bare(cluster, 500, { writers: 100, nodes: 1 });
    for (const nodes of [1, 3]) {
      for (const writers of [1, 100, 1000]) yield await appending(cluster, writers, nodes);
    }
    yield await hearing(cluster);
    yield* takingOver(cluster);
    yield* finishing(cluster);
    yield* answering(cluster);
  } finally {
    for (const end of ends) await end();
  }
}

/** Writers of all nodes together, and nodes: connections of this one process. */
type Writing = { writers: number; nodes: number };

async function appending(cluster: Cluster, writers: number, nodes: number): Promise<Measured> {
  const each = Math.max(1, Math.round(writers / nodes));
  // One writer's code is compiled by the first few thousand.
  const count = writers === 1 ? (appends / 4) * nodes : appends;
  const writing = { writers: each, nodes };
  const best = await bestOf(
    3,
    () => ours(cluster, count, writing),
    () => bare(cluster, count, writing),
  );
  return {
    what: `durable appends in PostgreSQL, ${each} ${each === 1 ? 'writer' : 'writers'} on ${nodes === 1 ? 'one node' : `each of ${nodes} nodes`}`,
    ours: perSecond(count, best.ours),
    bare: perSecond(count, best.bare),
    ratio: best.bare / best.ours,
    aim: '≥ 0.7',
  };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

/** @returns milliseconds for `count` facts */
async function ours(cluster: Cluster, count: number, { writers, nodes }: Writing): Promise<number> {
  return await withNode(cluster, async () => {
    const dbs = await Promise.all(numbers(nodes).map(() => openPostgres({ url: cluster.url })));
    const logs = dbs.map((db) => openPostgresLog({ db, keys: memoryKeys() }));
    const ms = await msOf(async () => {
      await Promise.all(
        numbers(nodes * writers).map(async (writer) => {
          const log = logs[writer % nodes]!;
          for (let version = 0; version < count / nodes / writers; version += 1) {
            const fact = { ...stageStarted(version), command: `${writer}/${version}` };
            await log.append(`recording-${writer}`, [fact], version);
          }
        }),
      );
    });
    for (const log of logs) await log.close();
    for (const db of dbs) await db.close();
    return ms;
  });
}

/**
 * The same rows in the same table, from as many connections as there are nodes, as many in each statement as a node
 * has writers, without a check or a lock. @returns milliseconds for `count` rows
 */
async function bare(cluster: Cluster, count: number, { writers, nodes }: Writing): Promise<number> {
  return await withNode(cluster, async () => {
    const clients = numbers(nodes).map(() => new pg.Client(cluster.url));
    await Promise.all(clients.map((client) => client.connect()));
    const all = writers * nodes;
    const ms = await msOf(async () => {
      await Promise.all(
        clients.map(async (client, node) => {
          for (let first = 1; first <= count; first += all) {
            const rows = numbers(writers).map((writer) => {
              const one = node * writers + writer;
              return row(first + one, one, all);
            });
            await client.query({ name: 'bare', text: bareQuery, values: columnsOf(rows) });
          }
        }),
      );
    });
    await Promise.all(clients.map((client) => client.end()));
    return ms;
  });
}

/** Milliseconds from appending at one node until a subscriber at another has the fact. */
async function hearing(cluster: Cluster): Promise<Measured> {
  const taken = await withNode(cluster, async (db) => {
    const other = await openPostgres({ url: cluster.url });
    const [log, there] = [db, other].map((one) => openPostgresLog({ db: one, keys: memoryKeys() }));
    const stop = new AbortController();
    const subscription = subscribed(there!, { afterPosition: 0, signal: stop.signal });
    const facts = subscription[Symbol.asyncIterator]();
    const times: number[] = [];
    for (let version = 0; version < heard; version += 1) {
      const next = facts.next();
      const begun = performance.now();
      await Promise.all([log!.append('recording-1', [stageStarted(version)], version), next]);
      times.push(performance.now() - begun);
    }
    stop.abort();
    await Promise.all([log!.close(), there!.close()]);
    await other.close();
    return times;
  });
  const [p50, p99] = [percentile(taken, 0.5), percentile(taken, 0.99)];
  return {
    what: 'appending until a subscriber at another node has the fact: p50, p99',
    ours: milliseconds(p50),
    bare: milliseconds(p99),
    ratio: p50 / p99,
    aim: '',
  };
}

async function withNode<T>(cluster: Cluster, work: (db: Postgres) => Promise<T>): Promise<T> {
  await cluster.empty();
  await ask(cluster.url, 'checkpoint');
  const db = await openPostgres({ url: cluster.url });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

type Row = [
  position: number,
  stream: string,
  version: number,
  type: string,
  record: string,
  crc: number,
];

function row(position: number, writer: number, writers: number): Row {
  const stream = `recording-${writer}`;
  const version = Math.ceil(position / writers);
  const id = '01M7YB8DQZG1E7K5Q61TP77TYM';
  const at = '2026-11-21T06:03:51.000Z';
  const record = JSON.stringify({ id, stream, version, at, ...stageStarted(version) });
  return [position, stream, version, 'stage.started', record, rowCrc(stream, version, record)];
}

const columnsOf = (rows: readonly Row[]) =>
  [0, 1, 2, 3, 4, 5].map((column) => rows.map((r) => r[column]));

const bareQuery = `insert into mitschrift.facts (position, stream, version, type, record, crc)
  select * from unnest($1::bigint[], $2::text[], $3::int[], $4::text[], $5::text[], $6::int[])`;
