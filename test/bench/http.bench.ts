import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { builtService, untilAnswered } from './built-service.ts';
import { messageWith, startChild } from './child-server.ts';
import { fillLibrary } from './library.ts';
import { bestOf, countFrom, inTurns, medians, type Measured } from './measure.ts';
import { cpuOf, cpuTime } from './processor-time.ts';

export const about = 'what an answer costs the server, kept or after a change, against bare Koa';
export const throughBuild = true;

const transcripts = 1000;
const requests = countFrom('BENCH_REQUESTS', 10_000);
const changes = countFrom('BENCH_CHANGES', 100);
const connections = 20;
const rounds = 3;
const aim = '≥ 0.6';

/** A server that is asked, and its process. */
type Asked = { url: string; pid: number; headers: Record<string, string> };

/**
 * Against Koa with its router answering a constant of the same size, by the server's own processor time:
 * it does not depend on who else keeps the machine busy.
 */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  const child = startChild('bare-http');
  const { url } = await messageWith<{ url: string }>(child, 'url');
  const bare: Asked = { url, pid: child.pid!, headers: {} };
  const service = await builtService();
  const { token, recordingIds } = await fillLibrary(service, root, transcripts);
  const running = await service.start(root, { MITSCHRIFT_LOG_LEVEL: 'info' });
  const ours: Asked = { ...running, headers: { authorization: `Bearer ${token}` } };
  try {
    await untilAnswered(running.url, '/transcripts', token);
    for (const path of ['/status', '/transcripts']) {
      const body = await textOf(ours, path);
      child.send({ path, body });
      await messageWith(child, 'set');
      const size = `${(body.length / 1024).toFixed(1)} KB`;
      yield* kept(ours, bare, path, size);
      yield* afterChanges(ours, bare, path, size, recordingIds);
    }
  } finally {
    child.kill();
    await running.end();
    await rm(root, { recursive: true, force: true });
  }
}

/** Nothing happens between the requests: all but the first are answered from what is kept in memory. */
async function* kept(ours: Asked, bare: Asked, path: string, size: string) {
  const cost = (server: Asked) => () => cpuOf(server.pid, () => askMany(server, path));
  // To warm up.
  await bestOf(1, cost(ours), cost(bare));
  const best = await bestOf(rounds, cost(ours), cost(bare));
  yield {
    what: `\`GET ${path}\`, ${size}, kept answers, against bare Koa answering a constant`,
    ours: perCpuSecond(best.ours / requests),
    bare: perCpuSecond(best.bare / requests),
    ratio: best.bare / best.ours,
    aim,
  } satisfies Measured;
}

/**
 * Each request follows a change of one recording's title and all that comes of it, so that what was kept
 * is of no use. Both servers are at rest before; the median counts.
 */
async function* afterChanges(
  ours: Asked,
  bare: Asked,
  path: string,
  size: string,
  recordingIds: string[],
) {
  let change = 0;
  const cost = async (server: Asked) => {
    await atRest(server.pid);
    return await cpuOf(server.pid, async () => void (await textOf(server, path)));
  };
  const all = await inTurns(
    changes,
    async () => {
      change += 1;
      const id = recordingIds.at(-1 - (change % 20))!;
      await rename(ours, id, `${path} ${change}`);
      return await cost(ours);
    },
    () => cost(bare),
  );
  const { ours: mine, bare: theirs } = medians(all);
  yield {
    what: `\`GET ${path}\`, ${size}, each after a change, against bare Koa as seldom`,
    ours: perCpuSecond(mine),
    bare: perCpuSecond(theirs),
    ratio: theirs / mine,
    aim: '',
  } satisfies Measured;
}

async function askMany({ url, headers }: Asked, path: string): Promise<void> {
  const pool = new Pool(url, { connections });
  let left = requests;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left > 0) {
        left -= 1;
        const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
        await body.dump({ limit: 10_000_000 });
        if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
      }
    }),
  );
  await pool.close();
}

async function textOf({ url, headers }: Asked, path: string): Promise<string> {
  const answer = await fetch(url + path, { headers });
  const body = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${body}`);
  return body;
}

async function rename({ url, headers }: Asked, id: string, title: string): Promise<void> {
  const answer = await fetch(`${url}/recordings/${id}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  });
  if (!answer.ok) throw new Error(`rename: ${answer.status} ${await answer.text()}`);
  await answer.body?.cancel();
}

const restLookMs = 20;
const restMicroseconds = 500;
const restWithinMs = 10_000;

/** Waits until a process does next to nothing, twice in succession. */
async function atRest(pid: number): Promise<void> {
  const deadline = performance.now() + restWithinMs;
  let before = await cpuTime(pid);
  let rests = 0;
  while (rests < 2) {
    await sleep(restLookMs);
    const now = await cpuTime(pid);
    rests = now - before < restMicroseconds ? rests + 1 : 0;
    before = now;
    if (performance.now() > deadline) throw new Error('the server does not come to rest');
  }
}

/** @param microseconds of processor time an answer takes */
const perCpuSecond = (microseconds: number): string =>
  `${Math.round(1e6 / microseconds).toLocaleString('en')}/CPU s`;
