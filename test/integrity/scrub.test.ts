import pino from 'pino';
import assert from 'node:assert/strict';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { logKey } from '../../events/log/records.ts';
import { type LevelLog, openLog } from '../../events/log/level-log.ts';
import type { DataFolder } from '../../src/shared/data-directory.ts';
import { startScrub, openingCheck, readScrubState } from '../../src/integrity/scrub.ts';
import { readTable } from '../../src/integrity/tables/table-file.ts';
import { password } from '../support/http-client.ts';
import { eventually } from '../support/eventually.ts';
import { flipped, recordedData, tamper } from '../support/recorded-data.ts';
import { plainFact } from '../support/sample-facts.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { finding } from '../../src/words/findings.ts';

const binary = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;
const day = 86_400_000;
const pace = { records: 10, pauseMs: 0, idleMs: 0, everyMs: day };

/** The log opened as the service opens it, and a scrub that takes its steps when it is told to. */
async function opened(
  t: TestContext,
  data: DataFolder,
  now: { ms: number },
  beforeKeys: () => Promise<void> = async () => {},
) {
  const keys = await openFileKeys(data.keys);
  const store = await openLog({
    directory: data.log,
    keys,
    ...openingCheck(await readScrubState(data.root), { cleanEnd: false }),
  });
  t.after(() => store.close());
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const clock = () => new Date(now.ms);
  const scrub = await startScrub({
    store: {
      ...store,
      async *soundRecords() {
        await beforeKeys();
        yield* store.soundRecords();
      },
    },
    keys,
    data,
    log,
    clock,
    pace,
    notTakenUp: () => [],
    manual: true,
  });
  return { store, scrub, logged };
}

/** Steps until there is nothing more to do, and how many those were. */
async function untilDone(scrub: { step(): Promise<boolean> }): Promise<number> {
  for (let steps = 1; ; steps += 1) {
    if (!(await scrub.step())) return steps;
    assert.ok(steps < 1000, 'it does not come to an end');
  }
}

const appendSome = (store: LevelLog, count: number) =>
  store.append(
    'config',
    Array.from({ length: count }, (_, index) => plainFact(`${index}`)),
    0,
  );

async function flipRecord(data: DataFolder, position: number): Promise<void> {
  await tamper(data, async (db) => {
    const original = await db.get<Buffer, Buffer>(logKey(position), binary);
    await db.put(logKey(position), flipped(original, 40, 1), binary);
  });
}

test('the scrub comes round, goes on after a restart, and keeps up with what is new', async (t) => {
  const { data } = await recordedData(t);
  const now = { ms: Date.parse('2026-11-21T00:00:00Z') };
  const first = await opened(t, data, now);
  const head = await first.store.head();
  await first.scrub.step();
  const { verified } = first.scrub.progress();
  assert.ok(verified >= 9 && verified < head);
  await first.store.close();

  const second = await opened(t, data, now);
  assert.equal(second.scrub.progress().verified, verified);
  assert.ok((await untilDone(second.scrub)) > 5);
  const done = second.scrub.progress();
  assert.deepEqual([done.verified, done.completedAt], [head, '2026-11-21T00:00:00.000Z']);
  assert.equal(second.scrub.health().state, 'ok');
  assert.equal(await untilDone(second.scrub), 1, 'nothing is due before a day is over');
  await appendSome(second.store, 25);
  assert.equal(await untilDone(second.scrub), 4);
  assert.equal(second.scrub.progress().verified, head + 25);
  now.ms += day;
  assert.ok((await untilDone(second.scrub)) > 5, 'and then it comes round again');
  assert.deepEqual(second.logged, []);
});

test('damage in old records is found, told once, and known at the next start', async (t) => {
  const { data } = await recordedData(t);
  const now = { ms: Date.parse('2026-11-21T00:00:00Z') };
  const before = await opened(t, data, now);
  await untilDone(before.scrub);
  await before.store.close();
  await flipRecord(data, 7);
  now.ms += day;

  const service = await opened(t, data, now);
  assert.equal(service.store.health().state, 'ok', 'it was not looked at when the log was opened');
  await untilDone(service.scrub);
  await untilDone(service.scrub);
  const { state, writable, damage, advice } = service.scrub.health();
  assert.deepEqual([state, writable, damage[0]?.position], ['damaged', false, 7]);
  assert.equal(advice[0]!.code, 'restore-or-salvage');
  await assert.rejects(appendSome(service.store, 1), { code: 'DAMAGED' });
  const told = service.logged.length;
  assert.ok(service.logged.some((line) => line.includes('"position":7')));
  now.ms += day;
  await untilDone(service.scrub);
  assert.equal(service.logged.length, told, 'once');
  await service.store.close();

  const next = await opened(t, data, now);
  assert.equal(next.store.health().state, 'damaged', 'known at once');
  await next.store.close();
  await flipRecord(data, 7);
  const mended = await opened(t, data, now);
  assert.deepEqual([mended.store.health().state, mended.scrub.health().state], ['ok', 'ok']);
  await appendSome(mended.store, 1);
  await untilDone(mended.scrub);
  assert.equal(mended.scrub.progress().damagedAt, null);
});

test('a damaged key or audio file is told, and everything else goes on', async (t) => {
  const { data, recordings } = await recordedData(t);
  const [first, second] = recordings as [string, string];
  const key = join(data.keys, first);
  await writeFile(key, flipped(await readFile(key), 20, 0));
  await rm(join(data.recordings, second, 'audio.wav'));
  const { store, scrub, logged } = await opened(t, data, { ms: Date.now() });
  await untilDone(scrub);
  const { state, writable, damage, advice } = scrub.health();
  assert.deepEqual([state, writable, advice.length], ['damaged', true, 2]);
  const paths = damage.map(({ path }) => path);
  assert.ok(paths.includes(join('keys', first)));
  assert.ok(paths.includes(join('recordings', second, 'audio.wav')));
  assert.ok(logged.length > 0);
  assert.ok(
    logged.every((line) => !line.includes('plan')),
    'no title in the log',
  );
  await appendSome(store, 1);
});

test('damage in files is known at the next start, looked at again there, and gone once it is mended', async (t) => {
  const { data, recordings } = await recordedData(t);
  const audio = join(data.recordings, recordings.toSorted()[0]!, 'audio.wav');
  const whole = await readFile(audio);
  const now = { ms: Date.parse('2026-11-21T00:00:00Z') };
  await rm(audio);
  const first = await opened(t, data, now);
  while (first.scrub.health().state === 'ok') await first.scrub.step();
  assert.equal(first.scrub.progress().completedAt, null);
  await first.store.close();

  const second = await opened(t, data, now);
  assert.equal(second.scrub.health().state, 'damaged', 'in the midst of a pass');
  await untilDone(second.scrub);
  assert.equal(second.scrub.health().state, 'damaged', 'at the end of the pass');
  await second.store.close();

  const third = await opened(t, data, now);
  assert.equal(third.scrub.health().state, 'damaged', 'after a pass');
  await writeFile(audio, whole);
  await untilDone(third.scrub);
  assert.equal(third.scrub.health().state, 'ok', 'no day has to pass');
  assert.equal(await untilDone(third.scrub), 1);
});

test('a verify that finds nothing forgets what the pass under way had found', async (t) => {
  const { data, recordings } = await recordedData(t);
  const audio = join(data.recordings, recordings.toSorted()[0]!, 'audio.wav');
  const whole = await readFile(audio);
  await rm(audio);
  const { scrub } = await opened(t, data, { ms: Date.now() });
  while (scrub.health().state === 'ok') await scrub.step();
  await writeFile(audio, whole);
  assert.equal((await scrub.verify()).sound, true);
  assert.equal(scrub.health().state, 'ok');
});

test('damage that a verify found while the pass was at its end stays known', async (t) => {
  const { data, recordings } = await recordedData(t);
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  let reached = () => {};
  const atEnd = new Promise<void>((resolve) => (reached = resolve));
  let times = 0;
  const { scrub } = await opened(t, data, { ms: Date.now() }, async () => {
    times += 1;
    if (times > 1) return;
    reached();
    await held;
  });
  const passed = untilDone(scrub);
  await atEnd;
  await rm(join(data.recordings, recordings[0]!, 'audio.wav'));
  assert.equal((await scrub.verify()).sound, false);
  goOn();
  await passed;
  assert.equal(scrub.health().state, 'damaged');
});

test('a log that ends before what was looked at has lost its end', async (t) => {
  const { data } = await recordedData(t);
  const now = { ms: Date.now() };
  const before = await opened(t, data, now);
  await untilDone(before.scrub);
  const head = await before.store.head();
  await before.store.close();
  await tamper(data, (db) => db.del(logKey(head), binary));
  const after = await opened(t, data, now);
  assert.equal(after.store.health().state, 'damaged');
  assert.deepEqual(
    after.scrub.health().damage[0]!.said,
    finding('tail-missing', { count: 1, last: head - 1, reached: head }),
  );
});

test('a table with a flipped bit that no record shows is told all the same', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  // What is in the .log goes into a table when the database is opened.
  await tamper(data, async () => undefined);
  const names = (await readdir(data.log)).filter((name) => name.endsWith('.ldb'));
  const path = join(data.log, names.at(-1)!);
  const original = await readFile(path);
  const filter = readTable(original).blocks.find(({ part }) => part === 'filter')!;
  // Of its checksum: nothing that is read changes.
  await writeFile(path, flipped(original, filter.offset + filter.bytes - 1, 0));
  const { scrub, logged } = await opened(t, data, { ms: Date.now() });
  await untilDone(scrub);
  const { state, damage, advice } = scrub.health();
  assert.deepEqual(
    [state, damage.map(({ kind, path: at }) => [kind, at])],
    ['damaged', [['table', `log/${names.at(-1)}`]]],
  );
  assert.deepEqual(
    advice.map(({ code }) => code),
    ['table-damaged'],
  );
  assert.ok(logged.some((line) => line.includes(names.at(-1)!)));
});

test('the running service says in its metrics how far the scrub is', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const service = await startServiceProcess(data.root, { MITSCHRIFT_LOG_LEVEL: 'warn' });
  t.after(() => service.end('SIGKILL'));
  const { token } = await apiOf(service.url).post<{ token: string }>('/login', {
    username: 'ada',
    password,
  });
  const api = apiOf(service.url, token);
  const value = (text: string, name: string) =>
    Number(new RegExp(`^mitschrift_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  const told = await eventually('the scrub has been through everything', async () => {
    const metrics = await api.get<string>('/metrics');
    return value(metrics, 'scrub_completed_timestamp_seconds') > 0 && metrics;
  });
  const { events } = await api.get<{ events: { position: number }[] }>('/events?limit=200');
  assert.equal(value(told, 'scrub_position'), events.at(-1)!.position);
  assert.equal(await service.end('SIGTERM'), 0);
});
