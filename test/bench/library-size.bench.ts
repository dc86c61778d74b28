import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiOf, firstAdmin } from '../support/service-process.ts';
import { type BuiltService, builtService, untilAnswered, untilListening } from './built-service.ts';
import { fillLibrary } from './library.ts';
import { bestOf, countFrom, type Measured, milliseconds, seconds } from './measure.ts';
import { talk } from './talks.ts';

export const about = 'starting, and the first search after it, with 10,000 recordings';
export const throughBuild = true;

const recordings = countFrom('BENCH_RECORDINGS', 10_000);
const few = 10;
const starts = countFrom('BENCH_STARTS', 10);
const searched = [Math.ceil(recordings / 10), recordings];
/** A search that is not whole by then never will be. */
const wholeWithinMs = 600_000;

/** Notes of a library whose pages are read, against so many. */
const [whole, part] = [countFrom('BENCH_LIBRARY', 50_000), 500];
const asks = 30;
/** Half of them in a folder; each has a word that is in no other, and begins none. */
const filed = { isHalfFiled: true, textOf: (number: number) => `Besprechung ${number}x` };

type Library = { data: string; token: string; folder: string | null };

export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    const service = await builtService();
    const many = await library(service, join(root, 'many'), recordings);
    const small = await library(service, join(root, 'few'), few);
    yield await startRow(service, { many, small, signal: 'SIGTERM', aim: '≤ 1.5' });
    yield await startRow(service, { many, small, signal: 'SIGKILL', aim: '≤ 2' });
    await rm(many.data, { recursive: true, force: true });
    for (const size of searched) {
      const talks = await library(service, join(root, `talks-${size}`), size, { textOf: talk });
      yield* await searchRows(service, talks, size);
      await rm(talks.data, { recursive: true, force: true });
    }
    yield* pageRows(
      service,
      await library(service, join(root, 'whole'), whole, filed),
      await library(service, join(root, 'part'), part, filed),
    );
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** From the command to the answer of `GET /status`, after an end of that kind. */
async function startRow(
  service: BuiltService,
  {
    many,
    small,
    signal,
    aim,
  }: { many: Library; small: Library; signal: 'SIGTERM' | 'SIGKILL'; aim: string },
): Promise<Measured> {
  const start = async ({ data, token }: Library): Promise<number> => {
    const began = performance.now();
    const running = await untilListening([service.main, 'serve'], { MITSCHRIFT_DATA: data });
    await untilAnswered(running.url, '/status', token);
    const ms = performance.now() - began;
    await running.end(signal);
    return ms;
  };
  // What the end before this row left is not this row's.
  await start(many);
  await start(small);
  const best = await bestOf(
    starts,
    () => start(many),
    () => start(small),
  );
  return {
    what: `start with ${recordings.toLocaleString('en')} recordings after ${signal === 'SIGKILL' ? 'kill -9' : 'a clean end'}, against ${few}`,
    ours: milliseconds(best.ours),
    bare: milliseconds(best.bare),
    ratio: best.ours / best.bare,
    aim,
  };
}

/** What people do in a library, in a large one against a small one; best of several, each with another answer. */
async function* pageRows(
  service: BuiltService,
  large: Library,
  small: Library,
): AsyncIterable<Measured> {
  const running = await service.start(large.data);
  const beside = await service.start(small.data);
  try {
    const began = new Date(1.7e12 + 250 * 60_000).toISOString();
    await untilSearched(running.url, large.token);
    await untilSearched(beside.url, small.token);
    for (const [what, path] of [
      ['a page', (at: number) => `/transcripts?limit=${50 + at}`],
      [
        'a page of one kind up to a time',
        (at: number) => `/transcripts?kind=solo&to=${began}&limit=${50 + at}`,
      ],
      ['a page of one speaker', (at: number) => `/transcripts?speaker=SPEAKER_1&limit=${50 + at}`],
      [
        'a page of a folder',
        (at: number, { folder }: Library) => `/transcripts?folder=${folder}&limit=${50 + at}`,
      ],
      ['notes found by a word that is in one', (at: number) => `/search?q=${300 + at}x&group=note`],
    ] as const) {
      const ask = async ({ url }: { url: string }, of: Library, at: number): Promise<number> => {
        const start = performance.now();
        const answer = await fetch(url + path(at, of), { headers: bearer(of.token) });
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`${path(at, of)} was answered ${answer.status}`);
        return performance.now() - start;
      };
      let asked = 0;
      const best = await bestOf(
        asks,
        () => ask(running, large, (asked += 1)),
        () => ask(beside, small, asked),
      );
      yield {
        what: `${what} of ${whole.toLocaleString('en')} notes, against ${part}`,
        ours: milliseconds(best.ours),
        bare: milliseconds(best.bare),
        ratio: best.ours / best.bare,
        aim: '≤ 1.5',
      };
    }
    yield await withdrawalRow([running, large], [beside, small]);
  } finally {
    await running.end('SIGTERM');
    await beside.end('SIGTERM');
  }
}

type Served = [{ url: string }, Library];

/** What it costs to take a note back from somebody who has looked at it. */
async function withdrawalRow(large: Served, small: Served): Promise<Measured> {
  const ready = async ([{ url }, { token }]: Served) => {
    const api = apiOf(url, token);
    // The session is older than the five minutes in which no password is asked for.
    await api.post('/users/me/confirm', { current_password: firstAdmin.password });
    await api.post('/users', { username: 'ben', password: 'Sesam-öffne-1', is_admin: false });
    const { transcripts } = await api.get<{ transcripts: { recording_id: string }[] }>(
      '/transcripts?limit=50',
    );
    return transcripts.map(({ recording_id: id }) => `/recordings/${id}/access`);
  };
  const [here, there] = [await ready(large), await ready(small)];
  const withdraw = async ([{ url }, { token }]: Served, path: string): Promise<number> => {
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    const body = JSON.stringify({ user: 'ben', role: 'read', audio: false });
    const given = await fetch(url + path, { method: 'PUT', headers, body });
    if (!given.ok) throw new Error(`${path} was answered ${given.status}: ${await given.text()}`);
    const { grants } = (await given.json()) as { grants: { to: string }[] };
    const start = performance.now();
    const answer = await fetch(`${url}${path}/${grants[0]?.to}`, { method: 'DELETE', headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`the withdrawal was answered ${answer.status}`);
    return performance.now() - start;
  };
  let asked = 0;
  const best = await bestOf(
    asks,
    () => withdraw(large, here[(asked += 1)]!),
    () => withdraw(small, there[asked]!),
  );
  return {
    what: `a note of ${whole.toLocaleString('en')} taken back, against ${part}`,
    ours: milliseconds(best.ours),
    bare: milliseconds(best.bare),
    ratio: best.ours / best.bare,
    aim: '≤ 1.2',
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function untilSearched(url: string, token: string): Promise<void> {
  const began = performance.now();
  while (!(await search(url, token)).complete) {
    if (performance.now() - began > wholeWithinMs) throw new Error('the search is never whole');
    await sleep(50);
  }
}

/** The first search after a start: until it has a hit, and until it has looked at all. */
async function searchRows(
  service: BuiltService,
  { data, token }: Library,
  size: number,
): Promise<Measured[]> {
  const running = await service.start(data);
  try {
    const before = await residentMiB(running.pid);
    const began = performance.now();
    let firstHitMs = 0;
    for (;;) {
      const answer = await search(running.url, token);
      if (firstHitMs === 0 && answer.hits > 0) firstHitMs = performance.now() - began;
      if (answer.complete) break;
      if (performance.now() - began > wholeWithinMs) throw new Error('the search is never whole');
      await sleep(5);
    }
    const wholeMs = performance.now() - began;
    const memory = (await residentMiB(running.pid)) - before;
    return [
      {
        what: `first search of ${size.toLocaleString('en')} talks of 1,500 words: first hit, against the whole`,
        ours: milliseconds(firstHitMs),
        bare: seconds(wholeMs),
        ratio: firstHitMs / wholeMs,
        aim: '',
      },
      {
        what: 'resident memory that it adds to the service, against what it had',
        ours: `${Math.round(memory)} MiB`,
        bare: `${Math.round(before)} MiB`,
        ratio: memory / before,
        aim: '',
      },
    ];
  } finally {
    await running.end('SIGTERM');
  }
}

async function search(url: string, token: string): Promise<{ hits: number; complete: boolean }> {
  const headers = bearer(token);
  const answer = await fetch(`${url}/search?q=Besprechung`, { headers });
  if (!answer.ok) throw new Error(`/search was answered ${answer.status}`);
  const found = (await answer.json()) as { complete: boolean; hits: unknown[] };
  return { complete: found.complete, hits: found.hits.length };
}

/** A data directory of so many recordings, whose rows are made. */
async function library(
  service: BuiltService,
  data: string,
  size: number,
  of: Parameters<typeof fillLibrary>[3] = {},
): Promise<Library> {
  const { token, folder } = await fillLibrary(service, data, size, of);
  const running = await service.start(data);
  await untilAnswered(running.url, '/recordings', token);
  await running.end('SIGTERM');
  return { data, token, folder };
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
