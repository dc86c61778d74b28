import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChildProcess } from 'node:child_process';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { recordingOf } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { recordingHandler } from '../../src/recordings/handle.ts';
import { openPostgres } from '../../src/storage/postgres/connection.ts';
import { openPostgresLog } from '../../src/storage/postgres/postgres-log.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { sampleData } from '../support/plausible-events.ts';
import type { Cluster } from '../support/postgres.ts';
import { messageWith, startChild } from './child-server.ts';
import { type Measured, countFrom, milliseconds, percentile } from './measure.ts';
import { nothingPromised } from '../support/recording-service.ts';
import { subscribed } from '../support/subscribed.ts';

/**
 * Recordings a worker, milliseconds the paced engine takes for one, the lease, and nodes that are ended each way: a stage in
 * which three processes died fails.
 */
const perWorker = countFrom('BENCH_CLUSTER_RECORDINGS', 15);
const paceMs = countFrom('BENCH_CLUSTER_PACE_MS', 1000);
const leaseMs = countFrom('BENCH_CLUSTER_LEASE_MS', 1000);
const deaths = countFrom('BENCH_CLUSTER_DEATHS', 2);
/** Nothing here takes longer, in milliseconds. */
const withinMs = 120_000;
const owners = 20;

/** Recordings that `work` nodes finish an hour, each a process, with an engine that takes a set time. */
export async function* finishing(cluster: Cluster): AsyncGenerator<Measured> {
  let one: number | undefined;
  for (const workers of [1, 2, 4]) {
    const count = workers * perWorker;
    const ms = await withNodes(cluster, async (nodes) => {
      await Promise.all(Array.from({ length: workers }, () => nodes.start(paceMs)));
      const done = nodes.facts(count, (fact) => fact.type === 'documents.saved');
      const begun = performance.now();
      await Promise.all(Array.from({ length: count }, (_, index) => nodes.record(index)));
      await done;
      return performance.now() - begun;
    });
    const anHour = (count * 3_600_000) / ms;
    one ??= anHour;
    yield {
      what: `recordings finished an hour, ${workers} ${workers === 1 ? 'worker' : 'workers'}, ${paceMs} ms of engine each, against as many times one`,
      ours: `${Math.round(anHour).toLocaleString('en')}/h`,
      bare: `${Math.round(one * workers).toLocaleString('en')}/h`,
      ratio: anHour / (one * workers),
      aim: '≥ 0.9',
    };
  }
}

/** Milliseconds from the end of a worker amid a stage until another one has begun the stage again. */
export async function* takingOver(cluster: Cluster): AsyncGenerator<Measured> {
  for (const [how, signal] of [
    ['kill -9', 'SIGKILL'],
    ['SIGSTOP', 'SIGSTOP'],
  ] as const) {
    const times = await withNodes(cluster, async (nodes) => {
      const isStarted = (fact: LoggedFact): boolean =>
        fact.type === 'stage.started' && fact.data.stage === 'transcribe';
      // Nothing of it ends: an engine that answers after an hour.
      let holder = await nodes.start(3_600_000);
      const first = nodes.facts(1, isStarted);
      await nodes.record(0);
      await first;
      const taken: number[] = [];
      for (let death = 0; death < deaths; death += 1) {
        const next = await nodes.start(3_600_000);
        const again = nodes.facts(1, isStarted);
        const begun = performance.now();
        holder.kill(signal);
        await again;
        taken.push(performance.now() - begun);
        holder.kill('SIGKILL');
        holder = next;
      }
      return taken;
    });
    const [median, worst] = [percentile(times, 0.5), percentile(times, 1)];
    yield {
      what: `${how} of a worker until another begins its stage again, lease ${leaseMs} ms: median, worst of ${deaths}`,
      ours: milliseconds(median),
      bare: milliseconds(worst),
      ratio: worst / leaseMs,
      aim: '',
    };
  }
}

/** Nodes on an empty database, and what they share. */
type Nodes = {
  /** A `work` node, ready. */
  start(engineMs: number): Promise<ChildProcess>;
  /** Puts audio there that is to be worked on. */
  record(number: number): Promise<void>;
  /** Resolves when so many such facts are in the log that are not there yet. */
  facts(count: number, isOne: (fact: LoggedFact) => boolean): Promise<void>;
};

async function withNodes<T>(cluster: Cluster, work: (nodes: Nodes) => Promise<T>): Promise<T> {
  await cluster.empty();
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-cluster-'));
  const db = await openPostgres({ url: cluster.url });
  const store = openPostgresLog({ db, keys: await openFileKeys(join(root, 'keys')) });
  const handler = recordingHandler({ store, ...nothingPromised });
  const children: ChildProcess[] = [];
  try {
    return await work({
      async start(engineMs) {
        const env = nodeEnv(cluster, root, `node-${children.length}`, 'work');
        const child = startChild(
          'cluster-node',
          String(leaseMs),
          String(engineMs),
          JSON.stringify(env),
        );
        children.push(child);
        await messageWith(child, 'url');
        return child;
      },
      async record(number) {
        const owner = `user-${number % owners}`;
        const data = { ...sampleData['audio.imported'], kind: 'solo', owner };
        const content = { title: 'Talk', filename: 'talk.wav' };
        const fact = { type: 'audio.imported', data, content } as RecordingFact;
        const metadata = { by: 'anna', command: `import-${number}` };
        await handler.handle(`recording${number}`, metadata, () => [fact], { create: true });
      },
      facts: (count, isOne) => until(store, count, isOne),
    });
  } finally {
    await Promise.all(children.map(ended));
    await store.close();
    await db.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** What makes a process a node; its own folder is below what all share. */
export const nodeEnv = (
  { url }: Cluster,
  shared: string,
  name: string,
  role: string,
): Record<string, string> => ({
  MITSCHRIFT_DATA: join(shared, name),
  MITSCHRIFT_PORT: '0',
  MITSCHRIFT_DATABASE_URL: url,
  MITSCHRIFT_BLOBS_URL: pathToFileURL(shared).href,
  MITSCHRIFT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  MITSCHRIFT_ROLE: role,
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function until(
  store: EventStore,
  count: number,
  isOne: (fact: LoggedFact) => boolean,
): Promise<void> {
  const signal = AbortSignal.timeout(withinMs);
  let seen = 0;
  const afterPosition = await store.head();
  const states = new Map<string, string>();
  for await (const fact of subscribed(store, { afterPosition, signal })) {
    const id = recordingOf(fact.stream);
    if (id !== undefined) states.set(id, `${fact.type} → ${fact.to}`);
    if (isOne(fact)) seen += 1;
    if (seen === count) return;
  }
  const last = [...new Set(states.values())].join(', ');
  throw new Error(`${seen} of ${count} within ${withinMs} ms; last facts: ${last}`);
}
