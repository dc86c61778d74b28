import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { OfferedFact } from '../../events/facts/catalogue.ts';
import type { WriteHook } from '../../events/log/database.ts';
import { EventStoreError } from '../../events/store.ts';
import { plainFact, sampleFact } from '../support/sample-facts.ts';
import { eventually } from '../support/eventually.ts';
import { tempLog } from '../support/temp-log.ts';
import { all, rejects, upTo } from './store-contract.ts';
import { subscribed } from '../support/subscribed.ts';

it('writes together what was offered while a write was under way', async (test) => {
  const temp = await tempLog(test);
  const disk = heldDisk(2);
  const log = await temp.open({ write: disk.write });
  assert.equal(disk.writes(), 1, 'the id of the new log');
  const early = log.append('recording-0', [plainFact('early')], 0);
  await disk.reached;
  const appends = upTo(300).map((n) => log.append(`recording-${n}`, [plainFact(`${n}`)], 0));
  let acknowledged = 0;
  for (const append of appends) void append.then(() => (acknowledged += 1));
  // All of them have looked at the disk for their stream's head when one more has.
  await log.version('recording-elsewhere');
  assert.equal(acknowledged, 0);
  disk.release();
  await Promise.all([early, ...appends]);
  assert.ok(disk.writes() <= 5, `${disk.writes()} writes`);
  const positions = (await all(log.readAll())).map(({ position }) => position);
  assert.deepEqual(positions, upTo(301));
});

it('acknowledges nothing that was not synced', async (test) => {
  const log = await (await tempLog(test)).open();
  const batch = log.db.batch.bind(log.db) as () => ReturnType<typeof log.db.batch>;
  const options: unknown[] = [];
  test.mock.method(log.db, 'batch', () => {
    const operations = batch();
    const write = operations.write.bind(operations);
    operations.write = (given?: object) => {
      options.push(given);
      return write(given ?? {});
    };
    return operations;
  });
  await log.append('recording-1', [plainFact('1')], 0);
  assert.deepEqual(options, [{ sync: true }]);
});

it('stores what it had taken before it closes', async (test) => {
  const temp = await tempLog(test);
  const disk = heldDisk(2);
  const log = await temp.open({ write: disk.write });
  const appending = log.append('recording-1', [plainFact('1')], 0);
  await disk.reached;
  const closing = log.close();
  disk.release();
  await closing;
  assert.equal((await appending).length, 1);
  assert.equal(await (await temp.open()).head(), 1);
});

it('refuses what it cannot queue, and takes it later', async (test) => {
  const temp = await tempLog(test);
  const disk = heldDisk(2);
  const log = await temp.open({ write: disk.write });
  const thousand = upTo(1_000).map((n) => plainFact(`${n}`));
  const taken = upTo(10).map((n) => log.append(`recording-${n}`, thousand, 0));
  const refused = await rejects(log.append('recording-late', [plainFact('1')], 0), 'BUSY');
  assert.equal(refused.retriable, true);
  disk.release();
  await Promise.all(taken);
  assert.equal(await log.head(), 10_000);
  await log.append('recording-late', [plainFact('1')], 0);
});

it('refuses what would keep more than 64 MiB waiting for the disk, and takes it later', async (test) => {
  const temp = await tempLog(test);
  const disk = heldDisk(2);
  const log = await temp.open({ write: disk.write });
  const long = {
    ...sampleFact('capture.interrupted', 'R1', 'long'),
    data: { path: 'audio.wav', bytes: 1, sha256: '', duration: 1, reason: 'x'.repeat(1024 * 1024) },
  } as OfferedFact;
  const taken = [log.append('recording-R1', [plainFact('first')], 0)];
  await disk.reached;
  let refused: unknown;
  while (refused === undefined && taken.length < 100) {
    const append = log.append('recording-R1', [long], taken.length);
    append.catch((error: unknown) => (refused ??= error));
    await setImmediate();
    if (refused === undefined) taken.push(append);
  }
  assert.ok(refused instanceof EventStoreError, `${taken.length} were taken`);
  assert.deepEqual([refused.code, refused.retriable], ['BUSY', true]);
  assert.ok(taken.length > 56 && taken.length <= 65, `${taken.length} were waiting`);
  disk.release();
  await Promise.all(taken);
  // As much as that is taken again, and several at once.
  const again = [0, 1, 2].map((n) => log.append('recording-R1', [long], taken.length + n));
  await Promise.all(again);
  assert.equal(await log.head(), taken.length + 3);
});

it('never acknowledges more in one write than a batch may hold', async (test) => {
  const temp = await tempLog(test);
  let writes = 0;
  const log = await temp.open({
    write: async (write) => {
      writes += 1;
      await write();
    },
  });
  const five = upTo(500).map((n) => plainFact(`${n}`));
  await Promise.all(upTo(16).map((n) => log.append(`recording-${n}`, five, 0)));
  assert.ok(writes - 1 >= 4, `${writes - 1} writes for 8000 facts`);
  assert.equal(await log.head(), 8_000);
});

it('answers each of many writers with what it stored, in the order of the log', async (test) => {
  const log = await (await tempLog(test)).open();
  const writers = 64;
  const rounds = 20;
  const told = await Promise.all(
    upTo(writers).map(async (writer) => {
      const own = [];
      for (let version = 0; version < rounds * 2; version += 2) {
        const facts = [plainFact(`${writer}-${version}`), plainFact(`${writer}-${version + 1}`)];
        own.push(...(await log.append(`recording-${writer}`, facts, version)));
      }
      return own;
    }),
  );
  const stored = await all(log.readAll());
  assert.deepEqual(
    told.flat().toSorted((a, b) => a.position - b.position),
    stored,
  );
  assert.deepEqual(
    stored.map(({ position }) => position),
    upTo(writers * rounds * 2),
  );
  for (const [index, { id }] of stored.entries())
    assert.ok(index === 0 || id > stored[index - 1]!.id);
  assert.deepEqual(await log.verify(), { position: 2560, records: 2560, damages: 0 });
});

it('notes how far it reaches: at once, soon after more, and when it is closed', async (test) => {
  const temp = await tempLog(test);
  const log = await temp.open();
  const noted = async (position: number): Promise<void> => {
    const path = join(temp.directory, 'head');
    const said = `{"position":${position}}`;
    await eventually(said, async () => (await readFile(path, 'utf8')).includes(said));
  };
  await log.append('recording-1', [plainFact('1')], 0);
  await noted(1);
  for (const n of upTo(20)) await log.append('recording-1', [plainFact(`${n}`)], n);
  await noted(21);
  for (const n of upTo(20)) await log.append('recording-1', [plainFact(`${n}`)], n + 20);
  await log.close();
  await noted(41);
});

it('knows where streams ended when it is opened again', async (test) => {
  const temp = await tempLog(test);
  const before = await temp.open();
  await before.append('recording-1', [plainFact('1'), plainFact('2')], 0);
  await before.close();
  const log = await temp.open();
  assert.equal(log.id, before.id);
  assert.equal(await log.version('recording-1'), 2);
  await rejects(log.append('recording-1', [plainFact('3')], 0), 'VERSION_CONFLICT');
  const [fact] = await log.append('recording-1', [plainFact('3')], 2);
  assert.equal(fact?.position, 3);
});

it('keeps ids in order when the clock goes back', async (test) => {
  const temp = await tempLog(test);
  let now = new Date('2026-01-01T00:00:00Z');
  const clock = (): Date => now;
  const before = await temp.open({ clock });
  const [first] = await before.append('recording-1', [plainFact('1')], 0);
  await before.close();
  now = new Date('2025-01-01T00:00:00Z');
  const log = await temp.open({ clock });
  const [second] = await log.append('recording-1', [plainFact('2')], 1);
  assert.ok(first && second && first.id < second.id, `${first?.id} ${second?.id}`);
  assert.equal(second.at, '2025-01-01T00:00:00.000Z');
});

it('holds many facts and reads them in little memory', async (test) => {
  const count = process.env['MITSCHRIFT_LONG'] === '1' ? 1_000_000 : 50_000;
  const temp = await tempLog(test);
  const log = await temp.open();
  const writers = 100;
  const page = upTo(count / writers / 10);
  await Promise.all(
    upTo(writers).map(async (writer) => {
      for (let round = 0; round < 10; round += 1) {
        const facts = page.map((n) => plainFact(`${round}-${n}`));
        await append(round * page.length, facts);
      }
      async function append(version: number, facts: ReturnType<typeof plainFact>[]) {
        for (let from = 0; from < facts.length; from += 50) {
          const part = facts.slice(from, from + 50);
          await log.append(`recording-${writer}`, part, version + from);
        }
      }
    }),
  );
  assert.equal(await log.head(), count);
  // Facts a slow subscriber has not asked for must stay on the disk.
  const stop = new AbortController();
  const idle = subscribed(log, { afterPosition: 0, signal: stop.signal })[Symbol.asyncIterator]();
  await idle.next();
  const before = process.memoryUsage().heapUsed;
  let peak = 0;
  let seen = 0;
  for await (const fact of log.readAll()) {
    seen += 1;
    assert.equal(fact.position, seen);
    if (seen % 5_000 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed - before);
  }
  stop.abort();
  assert.equal(seen, count);
  const limit = 120 * 1024 * 1024;
  assert.ok(peak < limit, `${Math.round(peak / 1024 / 1024)} MiB more than before`);
});

/** A disk that stops at its n-th write until it is released, and counts. */
function heldDisk(n: number): {
  write: WriteHook;
  reached: Promise<unknown>;
  release(): void;
  writes(): number;
} {
  const events = new EventEmitter();
  const released = once(events, 'released');
  let writes = 0;
  return {
    reached: once(events, 'reached'),
    release: () => void events.emit('released'),
    writes: () => writes,
    async write(write) {
      writes += 1;
      if (writes === n) {
        events.emit('reached');
        await released;
      }
      await write();
    },
  };
}
