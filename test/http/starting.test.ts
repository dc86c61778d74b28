import pino from 'pino';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import type { Projection } from '../../projections/runner/projection.ts';
import { commands } from '../../projections/commands.ts';
import { recordings } from '../../projections/recordings.ts';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { type Service, startService } from '../../src/main.ts';
import { openRows } from '../../src/storage/open-rows.ts';
import { fillLog } from '../bench/fill-log.ts';
import { setUp } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Folding them takes half a second or less; of as many again, and again, as long as it ends before it is looked at. */
const facts = 30_000;
const timesMoreMax = 5;

const running = new WeakMap<TestContext, Service[]>();

/** The service as `main.ts` puts it together; resolves when the port answers. */
async function start(t: TestContext, root: string) {
  const host = hostFrom({ ...process.env, MITSCHRIFT_DATA: root, MITSCHRIFT_PORT: '0' });
  const service = await startService({ host, env: {}, log: pino({ level: 'silent' }) });
  running.get(t)!.push(service);
  const ask = async (path: string, token?: string, init: RequestInit = {}) => {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    const answer = await fetch(`${service.url}${path}`, { ...init, headers });
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      body: (await answer.json().catch(() => ({}))) as Record<string, unknown>,
    };
  };
  return { service, ask };
}

/** A data directory with a user, a recording of theirs and a long log; and the user's token. */
async function filled(t: TestContext): Promise<{ root: string; token: string }> {
  // Hooks run in the order they are given in: services end before their directory is removed.
  running.set(t, []);
  t.after(async () => {
    for (const service of running.get(t)!) await service.close();
  });
  const root = await tempDir(t);
  const { service } = await start(t, root);
  await service.ready;
  const token = await setUp(service.url, { username: 'ada' });
  await service.close();
  await withLog(root, (log) => fillLog(log, facts, { settled: true }));
  return { root, token };
}

/** As after an update that changed how these are folded: they are rebuilt at the next start. */
async function outdate(root: string, projections: readonly Projection[]): Promise<void> {
  const keys = await openFileKeys(join(root, 'keys'));
  const log = pino({ level: 'silent' });
  const rows = await openRows({ directory: join(root, 'rows'), keys, projections, log });
  for (const { name } of projections) {
    await rows.storage.commit(name, { version: 0, position: 1 }, new Map());
  }
  await rows.close();
}

async function withLog(
  root: string,
  work: (log: Awaited<ReturnType<typeof openLog>>) => Promise<void>,
): Promise<void> {
  const keys = await openFileKeys(join(root, 'keys'));
  const log = await openLog({ directory: join(root, 'log'), keys });
  await work(log);
  await log.close();
}

test('the port answers while the log is folded; what needs the fold is 503 starting with how far it is', async (t) => {
  const { root, token } = await filled(t);
  // All asked at once: none of these waits for the fold.
  const { service, ask, answers } = await whileFolding(t, root, [recordings, commands], (early) =>
    Promise.all([
      early('/health'),
      early('/health?ready'),
      early('/'),
      early('/recordings', token),
      early('/recordings'),
      early('/users/me/sessions', token),
      early('/search?q=plan', token),
    ]),
  );
  const [health, ready, page, list, stranger, users, search] = answers;
  assert.deepEqual([health.status, health.body['status']], [200, 'starting']);
  assert.deepEqual([ready.status, ready.body['status']], [503, 'starting']);
  assert.equal(page.status, 200);
  assert.equal(list.status, 503);
  assert.equal(list.body['type'], '/problems/starting');
  const fraction = list.body['fraction'] as number;
  assert.ok(fraction >= 0 && fraction < 1, `fraction ${fraction}`);
  assert.match(list.retryAfter ?? '', /^[1-9]\d*$/);
  // Who may call is decided first, and what needs no fold is answered.
  assert.equal(stranger.status, 401);
  assert.equal(users.status, 200);
  assert.deepEqual(search.body, { hits: [], complete: false, fraction: 0, meaning: null });

  await service.ready;
  assert.equal((await ask('/recordings', token)).status, 200);
  assert.equal((await ask('/health?ready')).status, 200);
  assert.equal((await ask('/health')).body['status'], 'ok');
});

type Ask = Awaited<ReturnType<typeof start>>['ask'];

/**
 * A start after an update that changed how `outdated` are folded, and what is answered while they are. On a machine that
 * has folded them by then the log grows.
 */
async function whileFolding<Answers>(
  t: TestContext,
  root: string,
  outdated: readonly Projection[],
  askAll: (ask: Ask) => Promise<Answers>,
) {
  for (let more = 1; ; more *= 2) {
    await outdate(root, outdated);
    const started = await start(t, root);
    // The settings and users are read before anything is folded.
    await openLogAnswered(started.ask);
    const answers = await askAll(started.ask);
    if ((await started.ask('/health?ready')).status === 503) return { ...started, answers };
    assert.ok(more < 2 ** timesMoreMax, `${facts * more} facts are folded too fast to be seen`);
    await started.service.close();
    await withLog(root, (log) => fillLog(log, facts * more, { settled: true, from: facts * more }));
    const grown = await start(t, root);
    await grown.service.ready;
    await grown.service.close();
  }
}

/** Until then a request waits a second, and is told that the log is opened. */
async function openLogAnswered(ask: Ask): Promise<void> {
  while ((await ask('/setup/state')).status === 503);
}

test('a rebuild of one projection delays only who needs it', async (t) => {
  const { root, token } = await filled(t);
  const first = await start(t, root);
  await first.service.ready;
  await first.service.close();

  const toggled = { method: 'POST', body: '{"action":"reset"}' };
  const { service, ask, answers } = await whileFolding(t, root, [commands], (early) =>
    Promise.all([
      early('/toggle', token, toggled),
      early('/recordings', token),
      early('/status', token),
      early('/transcripts', token),
    ]),
  );
  const [command, list, status, library] = answers;
  assert.deepEqual([list.status, status.status, library.status], [200, 200, 200]);
  assert.deepEqual([command.status, command.body['type']], [503, '/problems/starting']);
  assert.ok((command.body['waits_for'] as string[]).includes(commands.name));

  await service.ready;
  assert.equal((await ask('/toggle', token, toggled)).status, 200);
});

test('stopping while it starts ends it, and the next start is as if it had not been', async (t) => {
  const { root, token } = await filled(t);
  await outdate(root, [recordings, commands]);
  const early = await start(t, root);
  await early.service.close();
  await assert.rejects(early.service.ready);

  const folding = await start(t, root);
  await openLogAnswered(folding.ask);
  await folding.service.close();
  await assert.rejects(folding.service.ready);

  const last = await start(t, root);
  await last.service.ready;
  assert.equal((await last.ask('/recordings', token)).status, 200);
});
