import pino from 'pino';
import { Level } from 'level';
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { readTable } from '../../src/integrity/tables/table-file.ts';
import { startService } from '../../src/main.ts';
import { filesBelow } from '../support/files-below.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { durableCalls, type DurableCall } from './calls.ts';

/*
 * `test/fixtures/first-release` is the data directory of a service of the first release (commit
 * 6b2a808), which kept what people said in rows that were not encrypted.
 */
const fixture = join(import.meta.dirname, '../fixtures/first-release');
/** Words that were said, titles, a speaker's name, a user's name, and what every password's hash begins with. */
const secrets = ['Zwetschgenkuchen', 'Blaubeermarmelade', 'Kirschmichel', 'Zwiebelmann'];
const ofUsers = ['uastelhuber', '$argon2'];
const password = 'correct horse battery';
const rounds = times({ short: 3, long: 30 });

test('after the upgrade nothing that people said is readable but documents; after an erasure nothing at all', async (t) => {
  const root = await firstRelease(t);
  const before = await places(root, [...secrets, ...ofUsers]);
  for (const secret of [...secrets, ...ofUsers]) assert.ok(before.has(secret), secret);
  await serve(root, async (url) => {
    const api = await loggedIn(url);
    const { recordings } = await api.get<Recordings>('/recordings');
    assert.deepEqual(
      recordings.map(({ title }) => title?.split(' ')[0]),
      ['Kirschmichel', 'Haselnussschnitte', 'Blaubeermarmelade'],
    );
  });
  assert.deepEqual(await places(root, [...secrets, ...ofUsers]), new Map());

  await serve(root, async (url) => {
    const api = await loggedIn(url);
    const { recordings } = await api.get<Recordings>('/recordings');
    const erased = recordings.find(({ title }) => title?.startsWith('Kirschmichel'))!;
    await api.delete(`/recordings/${erased.recording_id}`);
    assert.deepEqual(await places(root, ['Kirschmichel'], { documents: true }), new Map());
  });
  assert.deepEqual(await places(root, [...secrets, ...ofUsers]), new Map());
  const left = await places(root, ['Kirschmichel', 'Blaubeermarmelade'], { documents: true });
  assert.deepEqual([...left.keys()], ['Blaubeermarmelade'], 'other recordings stay');
});

test('after going back to the first release and forward again nothing of what it kept is readable', async (t) => {
  const root = await firstRelease(t);
  await serve(root, async () => {});
  await goneBack(t, root);
  const there = await places(root, [...secrets, ...ofUsers]);
  for (const secret of [...secrets, ...ofUsers]) assert.ok(there.has(secret), secret);
  await serve(root, async (url) => {
    const api = await loggedIn(url);
    const { recordings } = await api.get<Recordings>('/recordings');
    assert.equal(recordings.length, 3);
    const erased = recordings.find(({ title }) => title?.startsWith('Kirschmichel'))!;
    await api.delete(`/recordings/${erased.recording_id}`);
  });
  assert.deepEqual(await places(root, [...secrets, ...ofUsers]), new Map());
  assert.deepEqual(await places(root, ['Kirschmichel'], { documents: true }), new Map());
});

test(`${rounds} kills during the upgrade: the next start finishes it (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  const calls = await durableCalls(t);
  let hit = 0;
  for (let round = 0; round < rounds; round += 1) {
    const root = await firstRelease(t);
    if (random.chance(0.5)) {
      await serve(root, async () => {});
      await goneBack(t, root);
    }
    const call = random.pick<DurableCall>(['fdatasync', 'unlink', 'rename']);
    const kill = calls.dieAt(call, 1 + random.below(4));
    const doomed = await startServiceProcess(root, { UV_THREADPOOL_SIZE: '1', ...kill }).catch(
      () => undefined,
    );
    // What is removed after the start may still reach the call.
    const within = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), 1000));
    const died = doomed ? await Promise.race([doomed.ended, within]) : null;
    if (died === null) hit += 1;
    await doomed?.end('SIGKILL');
    await serve(root, async (url) => {
      const { recordings } = await (await loggedIn(url)).get<Recordings>('/recordings');
      assert.equal(recordings.length, 3);
    });
    assert.deepEqual(await places(root, [...secrets, ...ofUsers]), new Map());
  }
  t.diagnostic(`${hit} of ${rounds} kills hit`);
  assert.ok(hit > 0);
});

type Recordings = { recordings: { recording_id: string; title: string | null }[] };

async function firstRelease(t: TestContext): Promise<string> {
  const root = await tempDir(t);
  await cp(fixture, root, { recursive: true });
  return root;
}

/**
 * As the first release leaves a directory that it was started on once more: it makes its rows of the log there, some of
 * them more than once.
 */
async function goneBack(t: TestContext, root: string): Promise<void> {
  const from = await tempDir(t);
  await cp(join(fixture, 'log'), from, { recursive: true });
  const [old, log] = [new Level(from), new Level(join(root, 'log'))];
  const rows: [string, string][] = [];
  for (const name of ['projections', 'search'])
    rows.push(...(await old.iterator({ gte: `!${name}!`, lt: `!${name}"` }).all()));
  assert.ok(rows.length > 20, `${rows.length} rows`);
  await log.batch(rows.map(([key, value]) => ({ type: 'put', key, value: `${value} ` })));
  await log.batch(rows.map(([key, value]) => ({ type: 'put', key, value })));
  await Promise.all([old.close(), log.close()]);
}

/** The service as `main.ts` puts it together, until `use` is done. */
async function serve(root: string, use: (url: string) => Promise<void>): Promise<void> {
  const host = hostFrom({ ...process.env, MITSCHRIFT_DATA: root, MITSCHRIFT_PORT: '0' });
  const service = await startService({ host, env: {}, log: pino({ level: 'silent' }) });
  try {
    await service.ready;
    await use(service.url);
  } finally {
    await service.close();
  }
}

async function loggedIn(url: string) {
  const credentials = { username: 'quastelhuber', password };
  const { token } = await apiOf(url).post<{ token: string }>('/login', credentials);
  return {
    ...apiOf(url, token),
    async delete(path: string): Promise<void> {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}${path}`, { method: 'DELETE', headers });
      assert.ok(answer.ok, `${answer.status}`);
    },
  };
}

/** Where each secret is found: in names and bytes of files, and in LevelDB's tables, which are compressed. */
async function places(
  root: string,
  wanted: readonly string[],
  { documents = false } = {},
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { name, bytes } of await filesBelow(root)) {
    if (name.startsWith('spaces/') && !documents) continue;
    const held = [Buffer.from(name), bytes, ...(name.endsWith('.ldb') ? unpacked(bytes) : [])];
    for (const secret of wanted) {
      if (!held.some((one) => one.includes(secret))) continue;
      found.set(secret, [...(found.get(secret) ?? []), name]);
    }
  }
  return found;
}

const unpacked = (table: Buffer): Buffer[] =>
  readTable(table).blocks.flatMap(({ content }) => (content ? [content] : []));
