import pg from 'pg';
import { openPostgresLog } from '../../src/storage/postgres/postgres-log.ts';
import { type Postgres, openPostgres } from '../../src/storage/postgres/connection.ts';
import { rowCrc } from '../../src/storage/postgres/fact-rows.ts';
import { memoryKeys } from '../support/memory-store.ts';
import { type Cluster, ask, postgresCluster } from '../support/postgres.ts';
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

export const about =
  'a log in PostgreSQL: appends against bare SQL, and how soon other nodes have them';
export const throughBuild = false;
export const onlyByName = true;

const appends = countFrom('BENCH_CLUSTER_APPENDS', 20_000);
const heard = countFrom('BENCH_CLUSTER_HEARD', 500);

export async function* bench(): AsyncIterable<Measured> {
  const ends: (() => unknown)[] = [];
  const cluster = await postgresCluster({ after: (end) => void ends.push(end) }, { fsync: true });
  try {
    // Once unmeasured: all has been compiled by then.
    await ours(cluster, 500, 100);
    await bare(cluster, 500, 100);
    for (const writers of [1, 100, 1000]) yield await appending(cluster, writers);
    yield await hearing(cluster);
  } finally {
    for (const end of ends) await end();
  }
}

async function appending(cluster: Cluster, writers: number): Promise<Measured> {
  const count = writers === 1 ? appends / 20 : appends;
  const best = await bestOf(
    3,
    () => ours(cluster, count, writers),
    () => bare(cluster, count, writers),
  );
  return {
    what: `durable appends in PostgreSQL, ${writers} ${writers === 1 ? 'writer' : 'writers'} on one node`,
    ours: perSecond(count, best.ours),
    bare: perSecond(count, best.bare),
    ratio: best.bare / best.ours,
    aim: '≥ 0.7',
  };
}

async function ours(cluster: Cluster, count: number, writers: number): Promise<number> {
  return await withNode(cluster, async (db) => {
    const log = openPostgresLog({ db, keys: memoryKeys() });
    const ms = await msOf(async () => {
      await Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          for (let version = 0; version < count / writers; version += 1) {
            const fact = { ...stageStarted(version), command: `${writer}/${version}` };
            await log.append(`recording-${writer}`, [fact], version);
          }
        }),
      );
    });
    await log.close();
    return ms;
  });
}

/** The same rows in the same table, as many in each statement as there are writers, without a check or a lock. */
async function bare(cluster: Cluster, count: number, writers: number): Promise<number> {
  return await withNode(cluster, async () => {
    const client = new pg.Client(cluster.url);
    await client.connect();
    const ms = await msOf(async () => {
      for (let first = 1; first <= count; first += writers) {
        const rows = Array.from({ length: writers }, (_, writer) =>
          row(first + writer, writer, writers),
        );
        await client.query({ name: 'bare', text: bareQuery, values: columnsOf(rows) });
      }
    });
    await client.end();
    return ms;
  });
}

/** Milliseconds from appending at one node until a subscriber at another has the fact. */
async function hearing(cluster: Cluster): Promise<Measured> {
  const taken = await withNode(cluster, async (db) => {
    const other = await openPostgres({ url: cluster.url });
    const [log, there] = [db, other].map((one) => openPostgresLog({ db: one, keys: memoryKeys() }));
    const stop = new AbortController();
    const subscription = there!.subscribe({ afterPosition: 0, signal: stop.signal });
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
