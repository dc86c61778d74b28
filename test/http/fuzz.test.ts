import { WebSocket } from 'ws';
import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { limits } from '../../src/http/limits.ts';
import { routes } from '../../src/http/routes.ts';
import { type TestService, rawRequest, withAda } from '../support/http-client.ts';
import { type Random, seed, seeded } from '../support/seeded.ts';

const long = Boolean(process.env['MITSCHRIFT_LONG']);
const counts = long
  ? { filenames: 100_000, bodies: 20_000, sockets: 2000 }
  : { filenames: 300, bodies: 300, sockets: 30 };
/** What the service may have grown by at the end of a run, in bytes. */
const growthMax = 100 * 1024 * 1024;

test(`${counts.filenames} names of documents: no 5xx, and nothing outside the space is seen or touched (SEED=${seed})`, async (t) => {
  const { service, token, untouched } = await serviceWithSecrets(t);
  const random = seeded(seed);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const methods = ['GET', 'GET', 'DELETE', 'PUT', 'POST'];
  const flat = memoryWatch();
  await inParallel(counts.filenames, 8, async () => {
    // The test's own copy of the log is none of the service's memory.
    service.logged.length = 0;
    const method = random.pick(methods);
    const tail = method === 'POST' ? '/reprocess' : '';
    const path = `/transcripts/${filename(random, service.dataDir)}${tail}`;
    const { status, body } = await rawRequest(service.url, {
      method,
      path,
      headers,
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
    });
    assert.ok(
      status >= 400 && status < 500,
      `${method} ${JSON.stringify(path)}: ${status} ${body}`,
    );
    assert.ok(!body.includes(secret), `${path} shows what is outside`);
    assert.ok(!body.includes(service.dataDir), `${path} tells where things are`);
  });
  await untouched();
  flat();
});

test(`${counts.bodies} bodies and queries: no 5xx (SEED=${seed})`, async (t) => {
  const { service, token, untouched } = await serviceWithSecrets(t);
  const random = seeded(seed + 1);
  const targets = routes.filter(
    ({ path, method }) =>
      // What ends the session, asks servers, opens sound or is no HTTP.
      !['/logout', '/ws', '/doctor', '/config/test'].includes(path) &&
      !path.startsWith('/audio/') &&
      !(path === '/toggle' && method === 'post'),
  );
  const flat = memoryWatch();
  const statuses = new Map<number, number>();
  await inParallel(counts.bodies, 8, async () => {
    service.logged.length = 0;
    const { method, path } = random.pick(targets);
    const target = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(random.pick(identifiers)));
    const query = random.chance(0.3) ? `?${nonsenseQuery(random)}` : '';
    const sends = method !== 'get' && method !== 'delete';
    const { status, body } = await rawRequest(service.url, {
      method: method.toUpperCase(),
      path: target + query,
      headers: {
        Authorization: `Bearer ${token}`,
        'X-Forwarded-For': '203.0.113.9',
        ...(sends ? { 'Content-Type': random.pick(contentTypes) } : {}),
        ...(random.chance(0.1) ? { 'Idempotency-Key': random.pick(['k', 'k2', 'ü', '']) } : {}),
      },
      ...(sends ? { body: nonsenseBody(random) } : {}),
    });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    assert.ok(status < 500, `${method} ${target}${query}: ${status} ${body}`);
  });
  assert.ok(
    [400, 404, 415, 422].every((status) => statuses.has(status)),
    String([...statuses]),
  );
  await untouched();
  flat();
});

test(`${counts.sockets} WebSocket sessions of nonsense: the service lives on, and lets go of them (SEED=${seed})`, async (t) => {
  const { service, token, untouched } = await serviceWithSecrets(t);
  const random = seeded(seed + 2);
  const flat = memoryWatch();
  await inParallel(counts.sockets, 8, async () => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws?token=${token}`);
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    await once(socket, 'open');
    for (let message = random.below(20); message >= 0; message -= 1) {
      if (socket.readyState !== WebSocket.OPEN) break;
      sendNonsense(socket, random);
    }
    if (random.chance(0.5)) socket.terminate();
    else socket.close();
    await closed;
  });
  const { body } = await service.call<string>('GET', '/metrics', { token });
  assert.match(body, /^mitschrift_websocket_clients \d+$/m);
  assert.equal((await service.call('GET', '/status', { token })).status, 200);
  assert.ok(!service.logged.some((line) => line.includes('"level":50')), 'an error was logged');
  await untouched();
  flat();
});

const secret = 'what nobody may read';

/** A service with files beside the user's space; `untouched` looks whether all is as it was. */
async function serviceWithSecrets(t: TestContext) {
  const { service, token } = await withAda(t);
  await writeFile(join(service.dataDir, 'secret.md'), secret);
  await writeFile(join(service.dataDir, 'uploads', 'secret.md'), secret);
  const before = (await readdir(service.dataDir)).toSorted();
  return {
    service,
    token,
    async untouched() {
      const others = (list: string[]) => list.filter((name) => !owned.has(name)).toSorted();
      assert.deepEqual(others(await readdir(service.dataDir)), others(before));
      for (const path of ['secret.md', 'uploads/secret.md']) {
        assert.equal(await readFile(join(service.dataDir, path), 'utf8'), secret);
      }
      await noDocuments(service);
    },
  };
}

/** What the service keeps in its data directory. */
const owned = new Set(
  (
    'log log.json keys recordings spaces uploads resumable quarantine secrets.json setup-code ' +
    'scrub.json erasures.json combined.json'
  ).split(' '),
);

/** Nobody has uploaded anything, so nothing may be in anybody's space. */
async function noDocuments({ dataDir }: TestService): Promise<void> {
  const spaces = await readdir(join(dataDir, 'spaces'), { recursive: true }).catch(() => []);
  assert.deepEqual(
    spaces.filter((name) => name.endsWith('.md')),
    [],
  );
}

/** '' and ' ' are among them. */
const pieces = [
  '',
  ' ',
  'x'.repeat(300),
  ...(
    '.. . ... ~ %00 %2e%2e %252e%252e %c0%ae%c0%ae %5c %2f %252f %e2%80%ae %ef%bc%8f %e2%88%95 ' +
    '%EF%BC%8E%EF%BC%8E CON aux.md C: %5c%5c?%5c secret.md etc passwd log keys CURRENT spaces guest ' +
    '% %zz %f0%9f%92%a9 a%cc%88.md %c3%a4.md .hidden -rf $HOME `id` %0a %0d%0a file: transkript.md ' +
    'uploads %u002e ; *'
  ).split(' '),
];

/** A path of a document that is none, raw as it goes over the wire. */
function filename(random: Random, dataDir: string): string {
  const length = 1 + random.below(6);
  const parts = Array.from({ length }, () => random.pick(pieces));
  const separator = random.pick(['/', '/', '%2f', '%2F', '%5c', '%252f']);
  const name = parts.join(separator);
  const absolute = random.chance(0.1) ? encodeURIComponent(`${dataDir}/secret.md`) : name;
  const deep = random.chance(0.02) ? '../'.repeat(200) + name : absolute;
  // No query, and never nothing at all: `/transcripts/` is another path.
  return deep.replaceAll(/[?#\s]/g, '_') || '%2e';
}

const identifiers = [
  'x',
  '01M7YB8DQZG1E7K5Q61TP77TYM',
  '..',
  '0',
  '-1',
  'guest',
  'me',
  '%00',
  '💩',
];
const contentTypes = [
  'application/json',
  'application/json',
  'application/json',
  'text/plain',
  'text/markdown',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/json; charset=utf-16',
];
const names = (
  'username password kind speakers recording_id skip from language title action stt llm server ' +
  'is_admin __proto__ constructor text speaker '
).split(' ');

function nonsense(random: Random, depth = 0): unknown {
  const simple: (() => unknown)[] = [
    () => null,
    () => random.chance(0.5),
    () => random.pick([0, -1, 1e308, 1e-9, 2 ** 53, 1.5]),
    () =>
      random.pick(['', 'ada', 'x'.repeat(5000), '\0', '\ud800', 'SPEAKER_1', 'meeting', '../..']),
  ];
  if (depth > 4 || random.chance(0.4)) return random.pick(simple)();
  const children = Array.from({ length: random.below(5) }, () => nonsense(random, depth + 1));
  if (random.chance(0.4)) return children;
  return Object.fromEntries(children.map((child) => [random.pick(names), child]));
}

function nonsenseBody(random: Random): string {
  const text = JSON.stringify(nonsense(random)) ?? '';
  if (random.chance(0.2)) return text.slice(0, random.below(text.length + 1));
  if (random.chance(0.05)) return '['.repeat(20_000);
  if (random.chance(0.05)) {
    return `--x\r\nContent-Disposition: form-data; name="file"; filename="../${text.slice(0, 30)}"\r\n\r\n${text}\r\n--x--`;
  }
  return text;
}

const nonsenseQuery = (random: Random): string =>
  Array.from({ length: 1 + random.below(4) }, () => {
    const name = random.pick(['limit', 'cursor', 'after', 'q', 'status', 'owner', 'ticket', 'x']);
    const value = random.pick([
      '',
      '0',
      '-1',
      '1e9',
      'x',
      '%00',
      '%f0',
      '9'.repeat(400),
      '[]',
      'a&a',
    ]);
    return `${name}=${value}`;
  }).join('&');

function sendNonsense(socket: WebSocket, random: Random): void {
  const bytes = Buffer.from(Array.from({ length: random.below(2000) }, () => random.below(256)));
  const start = {
    type: 'audio.start',
    kind: 'solo',
    sample_rate: random.pick([0, -1, 16_000, 1e9]),
  };
  const actions: (() => void)[] = [
    () => socket.send(JSON.stringify(nonsense(random)) ?? ''),
    () => socket.send('{"type":'),
    () => socket.send(bytes),
    () => socket.send(bytes, { fin: false }),
    () => socket.ping(bytes.subarray(0, 100)),
    () => socket.send(JSON.stringify({ ...start, sample_rate: 'x' })),
    () => socket.send(JSON.stringify({ type: 'audio.stop' })),
    () => socket.send('x'.repeat(limits.messageBytesMax + random.below(3) - 1)),
    // Past the library: bytes that are no frame.
    () => (socket as unknown as { _socket: { write(b: Buffer): void } })._socket.write(bytes),
  ];
  random.pick(actions)();
}

/** Runs `work` so many times, some at once; the first failure ends it. */
async function inParallel(times: number, atOnce: number, work: () => Promise<void>): Promise<void> {
  let left = times;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    }),
  );
}

/** Memory that is held at the end, against now: what nobody has collected yet is not. The service runs in this process. */
function memoryWatch(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held = () => {
    collect();
    return process.memoryUsage().heapUsed + process.memoryUsage().external;
  };
  const before = held();
  return () => {
    const grown = held() - before;
    assert.ok(grown < growthMax, `memory has grown by ${Math.round(grown / 1024 / 1024)} MB`);
  };
}
