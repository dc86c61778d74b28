import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { WebSocket } from 'ws';
import { builtService, untilListening, type RunningService } from './built-service.ts';
import type { Measured } from './measure.ts';

export const about = 'what an answer and a frame cost the server, against bare Koa and ws';
export const throughBuild = false;

const requests = Number(process.env['BENCH_REQUESTS'] ?? 10_000);
const connections = 20;
const rounds = 3;
/** E.g. `--cpu-prof`. */
const nodeArgs = process.env['BENCH_ARGS']?.split(' ') ?? [];

/**
 * What an answer costs the server, against bare Koa with its router answering a constant of the same
 * size. By the server's own processor time: it does not depend on who else keeps the machine busy.
 */
export async function* bench(): AsyncIterable<Measured> {
  yield* answering();
  yield await broadcasting();
}

async function* answering(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  const bare = start('bare', root);
  let ours: RunningService | undefined;
  try {
    const constant = (await told(bare, 'url')) as { url: string };
    const { token } = (await told(start('fill', root), 'token')) as { token: string };
    const { main } = await builtService();
    const service = await untilListening([...nodeArgs, main, 'serve'], {
      MITSCHRIFT_DATA: join(root, 'data'),
      MITSCHRIFT_LOG_LEVEL: 'info',
    });
    ours = service;
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ['/status', '/transcripts']) {
      const answer = await fetch(service.url + path, { headers });
      const body = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${body}`);
      bare.send({ path, body });
      await told(bare, 'set');
      let best = { ours: Infinity, bare: Infinity };
      // One round to warm up.
      for (let round = 0; round <= rounds; round += 1) {
        const now = {
          ours: await cpuOf(service.pid, () => ask(service.url, path, headers)),
          bare: await cpuOf(bare.pid!, () => ask(constant.url, path, headers)),
        };
        if (round === 0) continue;
        best = { ours: Math.min(best.ours, now.ours), bare: Math.min(best.bare, now.bare) };
      }
      yield {
        what: `GET ${path}, ${(body.length / 1024).toFixed(1)} KB, against bare Koa + router answering a constant`,
        ours: perCpuSecond(best.ours),
        bare: perCpuSecond(best.bare),
        ratio: best.bare / best.ours,
        aim: '≥ 0.6',
      };
    }
  } finally {
    bare.send({ ask: 'exit' });
    await ours?.end();
    await rm(root, { recursive: true, force: true });
  }
}

const clients = 1000;
const broadcasts = 100;

/** Moves to 1 000 WebSockets, 32 a user, against bare `ws` that stringifies each frame once. */
async function broadcasting(): Promise<Measured> {
  const bare = start('bare-sockets', '');
  const ours = start('our-sockets', '');
  const [{ url: theirUrl }, { url: ourUrl }] = (await Promise.all([
    told(bare, 'url'),
    told(ours, 'url'),
  ])) as [{ url: string }, { url: string }];
  const all = Array.from({ length: clients }, (_, index) => index);
  const mine = await connectAll(all.map((index) => `${ourUrl}/ws?token=${index}&scope=all`));
  const theirs = await connectAll(all.map(() => theirUrl));
  const move = {
    type: 'transition',
    recording_id: '01M7YB8DQZG1E7K5Q61TP77TYM',
    event: 'stage.started',
    from: 'transcribing.writing',
    to: 'transcribing.writing',
    at: '2026-11-21T06:03:51.000Z',
    position: 1,
  };
  let best = { ours: Infinity, bare: Infinity };
  for (let round = 0; round <= rounds; round += 1) {
    const now = {
      bare: await cpuOf(bare.pid!, async () => {
        const received = theirs.received(clients * broadcasts);
        bare.send({ broadcast: move, times: broadcasts });
        await received;
      }),
      ours: await cpuOf(ours.pid!, async () => {
        const received = mine.received(clients * broadcasts);
        ours.send({ broadcast: move, times: broadcasts });
        await received;
      }),
    };
    if (round > 0) {
      best = { ours: Math.min(best.ours, now.ours), bare: Math.min(best.bare, now.bare) };
    }
  }
  mine.close();
  theirs.close();
  for (const child of [ours, bare]) child.send({ ask: 'exit' });
  const frames = (microseconds: number) =>
    `${Math.round((clients * broadcasts * 1e6) / microseconds).toLocaleString('en')} frames/CPU s`;
  return {
    what: `${broadcasts} moves to ${clients} WebSockets, against bare ws stringifying once`,
    ours: frames(best.ours),
    bare: frames(best.bare),
    ratio: best.bare / best.ours,
    aim: '≥ 0.8',
  };
}

/** Clients that count the moves they get. */
async function connectAll(addresses: string[]) {
  let count = 0;
  let wake = (): void => {};
  const sockets = await Promise.all(
    addresses.map(async (address) => {
      const socket = new WebSocket(address.replace('http', 'ws'));
      socket.on('message', (data: Buffer) => {
        if (!data.includes('"transition"')) return;
        count += 1;
        wake();
      });
      await once(socket, 'open');
      return socket;
    }),
  );
  return {
    async received(more: number): Promise<void> {
      const wanted = count + more;
      await new Promise<void>((resolve) => {
        wake = () => {
          if (count >= wanted) resolve();
        };
      });
    },
    close: () => sockets.forEach((socket) => socket.terminate()),
  };
}

function start(what: string, root: string): ChildProcess {
  const script = join(import.meta.dirname, 'http-server.ts');
  return fork(script, [what], {
    execArgv: ['--import', 'tsx', ...nodeArgs],
    env: { ...process.env, MITSCHRIFT_DATA: join(root, 'data') },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** The next message of a child that has a member. */
async function told(child: ChildProcess, member: string): Promise<object> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [object];
    if (member in message) return message;
  }
}

/** Microseconds of processor time that a process spends on some work, in all its threads. */
async function cpuOf(pid: number, work: () => Promise<void>): Promise<number> {
  const before = await cpuTime(pid);
  await work();
  return (await cpuTime(pid)) - before;
}

/** From `/proc`: nanoseconds are the first number of each thread's `schedstat`. */
async function cpuTime(pid: number): Promise<number> {
  const tasks = `/proc/${pid}/task`;
  const threads = await Promise.all(
    (await readdir(tasks)).map((id) => readFile(join(tasks, id, 'schedstat'), 'utf8')),
  );
  return threads.reduce((sum, text) => sum + parseInt(text, 10), 0) / 1000;
}

async function ask(url: string, path: string, headers: Record<string, string>): Promise<void> {
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

const perCpuSecond = (microseconds: number): string =>
  `${Math.round((requests * 1e6) / microseconds).toLocaleString('en')}/CPU s`;
