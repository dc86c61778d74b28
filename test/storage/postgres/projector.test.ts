import assert from 'node:assert/strict';
import { type TestContext, after, test } from 'node:test';
import type { Projection } from '../../../projections/runner/projection.ts';
import { startSharedProjections } from '../../../projections/runner/shared-runner.ts';
import { openPostgres } from '../../../src/storage/postgres/connection.ts';
import { postgresOwnership } from '../../../src/storage/postgres/ownership.ts';
import { openPostgresLog } from '../../../src/storage/postgres/postgres-log.ts';
import { postgresProjectionStorage } from '../../../src/storage/postgres/projection-storage.ts';
import { postgresProjectorChannel } from '../../../src/storage/postgres/projector-channel.ts';
import { memoryKeys } from '../../support/memory-store.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';
import { plainFact } from '../../support/sample-facts.ts';
import { seed, seeded, times } from '../../support/seeded.ts';
import { tcpProxy } from '../../support/tcp-proxy.ts';

const cluster = await postgresCluster({ after });
const leaseMs = 800;
/** The service waits longer for an answer. */
const answerMs = 1_500;

test(`rows are kept up whatever becomes of connections (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  const writer = openPostgresLog({ db: await openedDatabase(t, cluster.url), keys: memoryKeys() });
  t.after(() => writer.close());
  const nodes = [await node(t, 'node-a'), await node(t, 'node-b')];
  const faults: Record<string, (one: (typeof nodes)[number]) => Promise<unknown>> = {
    async nothing() {},
    cut: async ({ proxy }) => proxy.cut(),
    freeze: async ({ proxy }) => proxy.freeze(),
    end: ({ name }) =>
      ask(
        cluster.url,
        `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = '${name}' and random() < 0.6`,
      ),
  };
  let version = 0;
  const append = async (): Promise<void> => {
    await writer.append('recording-1', [plainFact(`${version}`)], version);
    version += 1;
  };
  const made: string[] = [];
  const names = Object.keys(faults);
  for (let round = 0; round < times({ short: 8, long: 200 }); round += 1) {
    const name = names[round] ?? random.pick(names);
    const holder = nodes.find(({ isProjector }) => isProjector());
    const victim = random.chance(0.7) ? (holder ?? nodes[0]!) : random.pick(nodes);
    const appending = (async () => {
      for (let n = random.below(20); n >= 0; n -= 1) await append();
    })();
    if (random.chance(0.5)) await appending;
    await faults[name]!(victim);
    await appending;
    made.push(`${name} ${victim.name}`);
    for (const { runner, name: at } of nodes) {
      await runner.applied('all', version, { timeoutMs: 60_000 }).catch((error: Error) => {
        throw new Error(`${at} after ${made.join(', ')}: ${error.message}`);
      });
    }
  }
  const [row] = await ask<{ row: string }>(
    cluster.url,
    "select row from mitschrift.rows where key = 'count'",
  );
  assert.equal(Number(row!.row), version, 'each fact once');
});

/** The projector's part of a node, behind a network of its own. */
async function node(t: TestContext, name: string) {
  const proxy = await tcpProxy(t, cluster.url);
  const url = new URL(cluster.url);
  url.port = new URL(proxy.url).port;
  url.searchParams.set('application_name', name);
  const db = await openPostgres({ url: url.href, leaseMs, answerMs });
  const ownership = postgresOwnership(db, { leaseMs });
  const log = openPostgresLog({ db, keys: memoryKeys() });
  let isProjector = false;
  const runner = startSharedProjections({
    store: log,
    storage: () => postgresProjectionStorage(db, { fenced: true }),
    projections: [counter],
    ownership,
    channel: postgresProjectorChannel(db),
    before: async () => {},
    onProjector: (is) => (isProjector = is),
  });
  t.after(async () => {
    await runner.stop();
    await log.close();
    await ownership.close();
    await db.close();
  });
  return { name, proxy, runner, isProjector: () => isProjector };
}

const counter: Projection = {
  name: 'counter',
  version: 1,
  keys: () => ['count'],
  apply(rows) {
    rows.set('count', (rows.get<number>('count') ?? 0) + 1);
  },
};
