import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { bestOf, countFrom, inTurns, medians, type Measured } from './measure.ts';
import { cpuOf, cpuTime } from './processor-time.ts';

const requests = countFrom('BENCH_REQUESTS', 10_000);
const changes = countFrom('BENCH_CHANGES', 100);
const connections = 20;
const rounds = 3;

/** A server that is asked, and its process. */
export type Asked = {
  url: string;
  pid: number;
  headers: Record<string, string>;
  /** Recordings of which one's title is changed before a request; without them nothing changes. */
  recordingIds?: readonly string[];
};

/** Two servers that give the same answer. */
type Compared = { ours: Asked; bare: Asked; path: string; what: string; aim: string };

/** Nothing happens between the requests: all but the first are answered from what is kept in memory. */
export async function kept({ ours, bare, path, what, aim }: Compared): Promise<Measured> {
  const cost = (server: Asked) => () => cpuOf(server.pid, () => askMany(server, path));
  // To warm up.
  await bestOf(1, cost(ours), cost(bare));
  const best = await bestOf(rounds, cost(ours), cost(bare));
  return {
    what,
    ours: perCpuSecond(best.ours / requests),
    bare: perCpuSecond(best.bare / requests),
    ratio: best.bare / best.ours,
    aim,
  };
}

/**
 * Each request follows a change of one recording's title and all that comes of it, so that what was kept
 * is of no use. Both servers are at rest before; the median counts.
 */
export async function afterChanges({ ours, bare, path, what, aim }: Compared): Promise<Measured> {
  let change = 0;
  const cost = (server: Asked) => async () => {
    change += 1;
    const id = server.recordingIds?.at(-1 - (change % 20));
    if (id !== undefined) await rename(server, id, `${path} ${change}`);
    await atRest(server.pid);
    return await cpuOf(server.pid, async () => void (await textOf(server, path)));
  };
  const { ours: mine, bare: theirs } = medians(await inTurns(changes, cost(ours), cost(bare)));
  return {
    what,
    ours: perCpuSecond(mine),
    bare: perCpuSecond(theirs),
    ratio: theirs / mine,
    aim,
  };
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

/** @throws when it is not answered by 2xx */
export async function textOf({ url, headers }: Asked, path: string): Promise<string> {
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
