import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, after, test } from 'node:test';
import { openPostgresLog } from '../../../src/storage/postgres/postgres-log.ts';
import { memoryKeys } from '../../support/memory-store.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';
import { testProgram } from '../../support/program.ts';
import { counter, openProjectorNode } from '../../support/projector-node.ts';
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

test('rows of another version are made beside those that are read, also by a projector that is killed', async (t) => {
  await cluster.empty();
  const writer = openPostgresLog({ db: await openedDatabase(t, cluster.url), keys: memoryKeys() });
  t.after(() => writer.close());
  const facts = Array.from({ length: 1_000 }, (_, n) => plainFact(`${n}`));
  for (let n = 0; n < 6; n += 1) await writer.append('recording-1', facts, n * facts.length);
  const node = async (version: number, seen?: (position: number) => void) => {
    const opened = await openProjectorNode({ url: cluster.url, leaseMs }, counter(version, seen));
    t.after(opened.close);
    return opened.runner;
  };
  const old = await node(1);
  await old.applied('all', 6_000, { timeoutMs: 60_000 });

  const program = testProgram('test/support/projector-process');
  const builder = spawn(process.execPath, [program, cluster.url, '2', '5000']);
  t.after(() => builder.kill('SIGKILL'));
  await once(builder.stdout, 'data');
  builder.kill('SIGKILL');
  await writer.append('recording-1', [plainFact('one more')], 6_000);
  await old.applied('all', 6_001);
  const halfMade = await rowsThere();
  assert.equal(halfMade['counter@1'], 6_001);
  assert.ok(halfMade['counter@2']! < 5_000 && halfMade['counter@2']! > 0);

  let first = 0;
  const fresh = await node(2, (position) => (first ||= position));
  await fresh.applied('all', 6_001, { timeoutMs: 60_000 });
  assert.deepEqual(await rowsThere(), { 'counter@1': 6_001, 'counter@2': 6_001 });
  assert.equal(first, halfMade['counter@2']! + 1, 'it goes on from what the killed one had made');
});

/** How many facts each place's row says. */
async function rowsThere(): Promise<Record<string, number>> {
  const rows = await ask<{ projection: string; row: string }>(
    cluster.url,
    "select projection, row from mitschrift.rows where key = 'count' order by 1",
  );
  return Object.fromEntries(rows.map(({ projection, row }) => [projection, Number(row)]));
}

/** The projector's part of a node, behind a network of its own. */
async function node(t: TestContext, name: string) {
  const proxy = await tcpProxy(t, cluster.url);
  const url = new URL(cluster.url);
  url.port = new URL(proxy.url).port;
  url.searchParams.set('application_name', name);
  const opened = await openProjectorNode({ url: url.href, leaseMs, answerMs }, counter(1));
  t.after(opened.close);
  return { name, proxy, ...opened };
}
