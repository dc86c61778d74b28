import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { wav } from '../support/http-client.ts';
import { eventually } from '../support/eventually.ts';
import { setUp, startServiceProcess, uploadForm } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { smallDisk } from './small-disk.ts';

type Problem = { type: string; detail: string; free_bytes?: number };

/** So many writes do not fit into a page. */
const writesMax = 200;

/** A service without an engine on a small disk, or with its recordings there. */
async function started(t: TestContext, freeMb: number, on: 'all' | 'recordings' = 'all') {
  const disk = await smallDisk(t);
  const root = join(on === 'all' ? disk.folder : await tempDir(t), 'data');
  if (on === 'recordings') {
    await mkdir(root, { mode: 0o700 });
    await symlink(disk.folder, join(root, 'recordings'));
  }
  const env = { MITSCHRIFT_LOG_LEVEL: 'error', MITSCHRIFT_LIMITS_FREE_MB: String(freeMb) };
  let service = await startServiceProcess(root, env);
  t.after(() => service.end('SIGKILL'));
  const token = await setUp(service.url, { username: 'ada' });
  const request = async (method: string, path: string, body?: object | FormData) => {
    const form = body instanceof FormData;
    const answer = await fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as object) };
  };
  const upload = () =>
    request('POST', '/recordings', uploadForm(new Uint8Array(wav()), { kind: 'solo' }));
  return {
    disk,
    request,
    upload,
    reserve: join(root, 'reserve'),
    restart: async () => void (service = await startServiceProcess(root, env)),
    end: (signal: 'SIGKILL' | 'SIGTERM') => service.end(signal),
  };
}

type Started = Awaited<ReturnType<typeof started>>;

async function recordings({ upload }: Started): Promise<[string, string]> {
  const ids: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const { status, body } = await upload();
    assert.equal(status, 202, JSON.stringify(body));
    ids.push((body as { recording_id: string }).recording_id);
  }
  return ids as [string, string];
}

async function assertReads({ request }: Started, id: string): Promise<void> {
  for (const path of [`/recordings/${id}`, '/recordings', '/status', '/search?q=word']) {
    assert.equal((await request('GET', path)).status, 200, path);
  }
}

function assertFull({ status, body }: { status: number; body: object }): void {
  const { type, detail, free_bytes: free } = body as Problem;
  assert.deepEqual([status, type], [503, '/problems/disk-full'], detail);
  assert.match(detail, /free/);
  assert.equal(typeof free, 'number');
}

test('on a full disk everything is read and deleted, and nothing else is taken, with the reason', async (t) => {
  const service = await started(t, 4);
  const { request, disk, upload, reserve } = service;
  const [kept, deleted] = await recordings(service);
  await eventually('there is a reserve', () => existsSync(reserve));
  await disk.fill(0);

  // Some more fit into what the files have; the write that meets the end does not know what became of it.
  let first = { status: 200, body: {} };
  for (let n = 0; n < writesMax && first.status === 200; n += 1) {
    const title = `${n} `.repeat(40);
    first = await request('PATCH', `/recordings/${kept}`, { title });
  }
  assert.equal(first.status, 503);
  const { type } = first.body as Problem;
  assert.match(type, /disk-full|outcome-unknown|views-behind|log-unavailable|busy/);
  assertFull(await request('PATCH', `/recordings/${kept}`, { title: 'Two' }));
  assertFull(await upload());
  await assertReads(service, kept);
  const { body } = await request('GET', '/status');
  const { health, warnings } = body as {
    health: { state: string; advice: string[] };
    warnings: { code: string }[];
  };
  assert.equal(health.state, 'recovering');
  assert.match(health.advice.join(' '), /disk is full/);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['disk-low'],
  );

  const gone = await request('DELETE', `/recordings/${deleted}`);
  assert.equal(gone.status, 204, JSON.stringify(gone.body));
  assert.equal(existsSync(reserve), false, 'what was kept for this is given up');
  assert.equal((await request('GET', `/recordings/${deleted}`)).status, 404);
  assertFull(await upload());

  await disk.free();
  const { status } = await request('PATCH', `/recordings/${kept}`, { title: 'Three' });
  assert.equal(status, 200, 'it goes on by itself');
  assert.equal((await upload()).status, 202);
  assert.equal(await service.end('SIGTERM'), 0);
});

test('a service on a full disk starts with what it had kept, so that something can be deleted', async (t) => {
  const service = await started(t, 4);
  const { request, disk, reserve } = service;
  const [kept, deleted] = await recordings(service);
  await eventually('there is a reserve', () => existsSync(reserve));
  await service.end('SIGKILL');
  await disk.fill(0);
  await service.restart();
  await assertReads(service, kept);
  assert.equal((await request('DELETE', `/recordings/${deleted}`)).status, 204);
  assert.equal((await request('GET', `/recordings/${deleted}`)).status, 404);
});

test('below limits.free_mb new work is refused, and what is there goes on', async (t) => {
  const service = await started(t, 100_000);
  const { request, upload } = service;
  const refused = await upload();
  assertFull(refused);
  assert.match((refused.body as Problem).detail, /limits\.free_mb/);
  const { body } = await request('GET', '/status');
  assert.match(JSON.stringify(body), /"code":"disk-low"/);
  assertFull(await request('POST', '/toggle', {}));
  assert.equal((await request('PUT', '/config', { ui: { language: 'en' } })).status, 200);
  assert.equal(existsSync(service.reserve), false, 'a reserve is not made of room that is missing');
});

test('the disk behind a link, or that nodes share, counts as that of the data directory', async (t) => {
  const { request, upload } = await started(t, 100, 'recordings');
  assertFull(await upload());
  const { body } = await request('GET', '/doctor');
  assert.match(JSON.stringify(body), /data\/recordings/);
});
