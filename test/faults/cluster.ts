import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { wav } from '../support/http-client.ts';
import { eventually, late, onThisMachine } from '../support/eventually.ts';
import { ask, postgresCluster } from '../support/postgres.ts';
import { testProgram } from '../support/program.ts';
import type { Random } from '../support/seeded.ts';
import { apiOf, setUp, uploadForm } from '../support/service-process.ts';
import { type HasEnd, tempDir } from '../support/temp-dir.ts';
import type { NodeLine, NodeOptions } from './cluster-told.ts';
import { allRecordings, checkFacts, documentsOf, settle, type Recording } from './story.ts';

export const leaseMs = 1000;
const paceMs = 150;
/** Nothing at all happened for so long, in milliseconds: it hangs. */
const idleMs = 90_000;
const slots = 2;
/** Of one recording. */
const stagesAtOnce = 2;

type Launch = {
  recordingId: string;
  stage: string;
  how?: 'answered' | 'stopped' | 'refused';
};
export type Role = 'serve' | 'work';
export type Node = {
  role: Role;
  url: string;
  place: Place | undefined;
  child: ChildProcess;
  /** The end of its log. */
  said(): string;
  /** By their numbers in that process. */
  launches: Map<number, Launch>;
};
/** Where a node runs, if not beside the others: what is put before its program, and where it finds the database. */
export type Place = { wrap: readonly string[]; databaseUrl?: string };

export type TrialOfCluster = Awaited<ReturnType<typeof clusterTrial>>;

/** Nodes on one PostgreSQL that syncs and one shared directory, and what they acknowledged. */
export async function clusterTrial(
  t: HasEnd,
  options: { random: Random; serve: number; work: number; isGated?: boolean },
) {
  const { random, isGated = true } = options;
  const root = await tempDir(t);
  const shared = join(root, 'shared');
  await mkdir(shared);
  const postgres = await postgresCluster(t, { fsync: true });
  const nodes = new Set<Node>();
  t.after(async () => {
    for (const node of nodes) await kill(node);
  });
  let progress = 0;
  let heard = () => {};
  const happened = (): void => {
    progress += 1;
    heard();
  };
  const of = (role: Role): Node[] => [...nodes].filter((node) => node.role === role);

  async function start(role: Role, place?: Place): Promise<Node> {
    const own: NodeOptions = { seed: random.below(1e6), leaseMs, paceMs, isGated };
    const program = [testProgram('test/faults/cluster-node'), JSON.stringify(own)];
    const [command = process.execPath, ...args] = place
      ? [...place.wrap, process.execPath, ...program]
      : [process.execPath, ...program];
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const child = spawn(command, args, {
      env: {
        ...inherited,
        MITSCHRIFT_PORT: '0',
        MITSCHRIFT_DATA: join(root, randomUUID()),
        MITSCHRIFT_DATABASE_URL: place?.databaseUrl ?? postgres.url,
        MITSCHRIFT_BLOBS_URL: pathToFileURL(shared).href,
        MITSCHRIFT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        MITSCHRIFT_ROLE: role,
        MITSCHRIFT_WORK_SLOTS: String(slots),
        MITSCHRIFT_UI_LANGUAGE: 'en',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const node: Node = { role, place, url: '', child, said: () => said, launches: new Map() };
    nodes.add(node);
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-20_000)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      take(node, JSON.parse(line) as NodeLine);
      happened();
    });
    let failure: Error | undefined;
    child.once('exit', (code) => {
      if (nodes.delete(node)) failure = new Error(`a ${role} node ended with ${code}:\n${said}`);
      if (failure && isUp) unexpected.push(failure);
      happened();
    });
    let isUp = false;
    await until(`a ${role} node starts`, () => {
      if (failure) throw failure;
      return node.url !== '';
    });
    isUp = true;
    return node;
  }
  /** Nodes that ended though no one ended them. */
  const unexpected: Error[] = [];

  async function kill(node: Node): Promise<void> {
    nodes.delete(node);
    if (node.child.exitCode !== null || node.child.signalCode !== null) return;
    const gone = once(node.child, 'exit');
    node.child.kill('SIGKILL');
    await gone;
  }

  /** Looks whenever a node has said something; fails when all were silent for long. */
  async function until(what: string, holds: () => boolean): Promise<void> {
    let [seen, since] = [progress, performance.now()];
    while (!holds()) {
      if (unexpected[0]) throw unexpected[0];
      if (seen !== progress) [seen, since] = [progress, performance.now()];
      if (performance.now() - since > onThisMachine(idleMs)) throw late(what, idleMs);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        heard = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  const first = [];
  for (let count = 0; count < options.serve; count += 1) first.push(await start('serve'));
  for (let count = 0; count < options.work; count += 1) await start('work');
  const token = await setUp(first[0]!.url);

  const acknowledged = new Map<string, 'solo' | 'meeting'>();
  let unknown = 0;
  /** Asks under one key until it is acknowledged, at whichever node answers. */
  async function upload(kind = random.pick(['solo', 'meeting'] as const)): Promise<string> {
    const key = { 'idempotency-key': randomUUID() };
    const began = performance.now();
    for (;;) {
      let url = '';
      await until('a node that serves', () => {
        const up = of('serve').filter((node) => node.url !== '');
        url = up.length > 0 ? random.pick(up).url : '';
        return url !== '';
      });
      const form = uploadForm(new Uint8Array(wav(1)), { kind });
      try {
        const { recording_id: id } = await apiOf(url, token, key).post<Recording>(
          '/recordings',
          form,
        );
        acknowledged.set(id, kind);
        happened();
        return id;
      } catch (error) {
        if (!isUnknown(error as Error)) throw error;
        if (performance.now() - began > onThisMachine(idleMs)) throw error;
        unknown += 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  const expected = new Map<string, string>();
  return {
    postgres,
    token,
    nodes: of,
    start,
    kill,
    until,
    upload,
    unknown: () => unknown,
    acknowledged: () => acknowledged.size,
    /** Keeps the documents of both kinds, as they are when nothing is disturbed. */
    async undisturbed(): Promise<void> {
      const api = random.pick(of('serve'));
      const ids = [await upload('solo'), await upload('meeting')];
      await settle(api, token, ids);
      for (const id of ids) expected.set(acknowledged.get(id)!, await documentsOf(api, token, id));
    },
    /** The rows have come up to the log at each node that serves, whatever became of recordings. */
    async rowsFollow(): Promise<void> {
      for (const { url } of of('serve')) {
        let behind: string[] = [];
        await eventually(
          () => `the rows follow the log: ${behind.join()}`,
          async () => {
            const metrics = await apiOf(url, token).get<string>('/metrics');
            behind = metrics.match(/^mitschrift_projection_behind\{.*\} [1-9].*$/gm) ?? [];
            return behind.length === 0 && metrics.includes('mitschrift_projection_behind{');
          },
          idleMs,
        );
      }
    },
    /**
     * All that was acknowledged has ended in the documents of an undisturbed run. Returns how many starts came to nothing:
     * as many at most as nodes can have lost by so many faults.
     */
    async check(faults: number): Promise<number> {
      const service = random.pick(of('serve'));
      await settle(service, token, [...acknowledged.keys()]);
      if (unexpected[0]) throw unexpected[0];
      const ids = await allRecordings(service, token);
      assert.deepEqual(ids.toSorted(), [...acknowledged.keys()].toSorted(), 'each once');
      let repeated = 0;
      for (const [id, kind] of acknowledged) {
        repeated += await checkFacts(service, token, id);
        assert.equal(await documentsOf(service, token, id), expected.get(kind), id);
      }
      await checkPositions(postgres.url);
      const lost = faults * of('work').length * slots * stagesAtOnce;
      assert.ok(repeated <= lost, `${repeated} starts came to nothing after ${faults} faults`);
      return repeated;
    },
  };
}

function take(node: Node, line: NodeLine): void {
  if ('ready' in line) node.url = line.ready;
  else if ('began' in line) {
    node.launches.set(line.launch, { recordingId: line.began, stage: line.stage });
  } else node.launches.get(line.ended)!.how = line.how;
}

/** What a node does now, as far as it has said. */
export const underWay = ({ launches }: Node): Launch[] =>
  [...launches.values()].filter(({ how }) => how === undefined);

/** It may have been done or not: no answer came, or one of a service that is without its database. */
const isUnknown = ({ name, message }: Error): boolean =>
  name === 'TypeError' || /: (409|503) /.test(message);

async function checkPositions(url: string): Promise<void> {
  const [all] = await ask<{ facts: number; last: number }>(
    url,
    'select count(*)::int as facts, max(position)::int as last from mitschrift.facts',
  );
  assert.equal(all!.facts, all!.last, 'positions are dense');
  const gaps = await ask(
    url,
    `select stream, count(*), max(version) from mitschrift.facts group by stream
       having count(*) <> max(version)`,
  );
  assert.deepEqual(gaps, []);
}
