import { setImmediate } from 'node:timers/promises';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WriteHook } from '../../events/log/database.ts';
import { plainFact } from '../support/sample-facts.ts';
import { tempLog } from '../support/temp-log.ts';
import { all, rejects, upTo } from './store-contract.ts';
import { subscribed } from '../support/subscribed.ts';

/** A disk that can be told to fail: before anything reached it, or after everything had. */
function fragileDisk(): {
  write: WriteHook;
  failNext(when: 'before' | 'after'): void;
  writes(): number;
} {
  let failing: 'before' | 'after' | undefined;
  let writes = 0;
  return {
    writes: () => writes,
    failNext(when) {
      failing = when;
    },
    async write(write) {
      writes += 1;
      const now = failing;
      failing = undefined;
      if (now === 'before') throw new Error('EIO: the disk refused');
      await write();
      if (now === 'after') throw new Error('EIO: the sync failed');
    },
  };
}

describe('After a failed write the log', () => {
  for (const when of ['before', 'after'] as const) {
    it(`leaves the outcome open and finds out by itself (failure ${when} the data was there)`, async (test) => {
      const disk = fragileDisk();
      const log = await (await tempLog(test)).open({ write: disk.write });
      await log.append('recording-1', [plainFact('1')], 0);
      // Streams that have begun, and whose heads are known, let all of them reach the same write.
      for (const n of upTo(5)) await log.append(`recording-x${n}`, [plainFact('0')], 0);
      disk.failNext(when);
      const failed = upTo(5).map((n) => log.append(`recording-x${n}`, [plainFact('2')], 1));
      for (const append of failed) {
        const error = await rejects(append, 'OUTCOME_UNKNOWN');
        assert.equal(error.retriable, true);
        assert.match(String(error.cause), /EIO/);
      }
      assert.equal(log.health().state, 'recovering');
      await rejects(log.append('recording-1', [plainFact('3')], 1), 'BUSY');
      await log.usable();
      assert.equal(log.health().state, 'ok');
      const version = await log.version('recording-x1');
      assert.equal(version, when === 'after' ? 2 : 1);
      await log.append('recording-x1', [plainFact('4')], version);
      const positions = (await all(log.readAll())).map(({ position }) => position);
      assert.deepEqual(positions, upTo(when === 'after' ? 12 : 7));
      assert.deepEqual((await log.verify()).damages, 0);
    });
  }

  it('answers whoever was just looking for the end of a stream', async (test) => {
    const files = await tempLog(test);
    const before = await files.open();
    for (const n of upTo(2)) await before.append(`recording-x${n}`, [plainFact('1')], 0);
    await before.close();
    const disk = fragileDisk();
    const { db, ...log } = await files.open({ write: disk.write });
    // Their heads are on the disk alone, and what is asked of it comes to be answered too late.
    const get = db.get.bind(db);
    const closed = new Promise<void>((resolve) => db.once('closed', resolve));
    db.get = async (...question: [string]) => {
      await closed;
      return await get(...question);
    };
    const looks = [log.version('recording-x1'), all(log.read('recording-x2'))] as const;
    disk.failNext('before');
    await rejects(log.append('recording-new', [plainFact('2')], 0), 'OUTCOME_UNKNOWN');
    const [version, facts] = await Promise.all(looks);
    assert.deepEqual([version, facts.length], [1, 1]);
  });

  it('refuses what waited, since it may rest on what failed', async (test) => {
    const disk = fragileDisk();
    const log = await (await tempLog(test)).open({ write: disk.write });
    await log.append('recording-1', [plainFact('1')], 0);
    disk.failNext('before');
    const first = rejects(log.append('recording-1', [plainFact('2')], 1), 'OUTCOME_UNKNOWN');
    while (disk.writes() < 3) await setImmediate();
    const code = await log.append('recording-1', [plainFact('3')], 2).then(
      () => 'stored',
      (error: { code: string }) => error.code,
    );
    await first;
    assert.ok(code === 'BUSY', code);
    await log.usable();
    assert.deepEqual(
      (await all(log.readAll())).map(({ command }) => command),
      ['1'],
    );
  });

  it('gives the places of what waited to what is offered next', async (test) => {
    const disk = fragileDisk();
    const log = await (await tempLog(test)).open({ write: disk.write });
    for (const n of upTo(300)) await log.version(`recording-${n}`);
    disk.failNext('before');
    const first = rejects(log.append('recording-0', [plainFact('first')], 0), 'OUTCOME_UNKNOWN');
    // At once: what is offered after the log is open again is taken.
    while (disk.writes() < 2) await setImmediate();
    // Enough for several groups, whose records are made while the write fails.
    const waited = await Promise.allSettled(
      upTo(300).map((n) => log.append(`recording-${n}`, [plainFact('waited'), plainFact('w')], 0)),
    );
    await first;
    for (const { status, reason } of waited as PromiseRejectedResult[]) {
      assert.equal(status, 'rejected');
      assert.equal((reason as { code: string }).code, 'BUSY');
    }
    await log.usable();
    await Promise.all(upTo(300).map((n) => log.append(`recording-${n}`, [plainFact('again')], 0)));
    const facts = await all(log.readAll());
    assert.deepEqual(
      facts.map(({ position, version, command }) => [position, version, command]),
      upTo(300).map((position) => [position, 1, 'again']),
    );
    assert.equal((await log.verify()).damages, 0);
  });

  it('does not let readers and subscribers notice', async (test) => {
    const disk = fragileDisk();
    const log = await (await tempLog(test)).open({ write: disk.write });
    await log.append(
      'recording-1',
      upTo(900).map((n) => plainFact(`${n}`)),
      0,
    );
    await log.append(
      'recording-1',
      upTo(900).map((n) => plainFact(`${n}`)),
      900,
    );
    const stop = new AbortController();
    const seen: number[] = [];
    const subscriber = (async () => {
      for await (const { position } of subscribed(log, { afterPosition: 0, signal: stop.signal })) {
        seen.push(position);
        if (position === 1_801) stop.abort();
      }
    })();
    const reader = log.readAll()[Symbol.asyncIterator]();
    assert.equal((await reader.next()).value?.position, 1);
    disk.failNext('before');
    await rejects(log.append('recording-2', [plainFact('lost')], 0), 'OUTCOME_UNKNOWN');
    let last = 1;
    for (let next = await reader.next(); !next.done; next = await reader.next()) {
      assert.equal(next.value.position, last + 1);
      last += 1;
    }
    assert.equal(last, 1_800);
    await log.usable();
    await log.append('recording-2', [plainFact('1')], 0);
    await subscriber;
    assert.deepEqual(seen, upTo(1_801));
  });

  it('opens what else is kept in the database again, and stops that from writing on as well', async (test) => {
    const disk = fragileDisk();
    const log = await (await tempLog(test)).open({ write: disk.write });
    const key = '!projections!recordings/a';
    await log.db.put(key, '1');
    disk.failNext('before');
    await assert.rejects(log.db.put(key, '2'), /EIO/);
    // The failure was another's, but what is written behind it would be lost as well.
    await rejects(log.append('recording-1', [plainFact('1')], 0), 'BUSY');
    await log.usable();
    assert.equal(await log.db.get(key), '1');
    await log.db.put(key, '3');
    assert.equal(await log.db.get(key), '3');
    await log.append('recording-1', [plainFact('1')], 0);
  });

  it('opens it once more where the next write fails while it is looked through', async (test) => {
    const disk = fragileDisk();
    const log = await (await tempLog(test)).open({ write: disk.write });
    await log.append('recording-1', [plainFact('1')], 0);
    const key = '!kept!session';
    const get = log.db.get.bind(log.db);
    let looks = 0;
    test.mock.method(log.db, 'get', async (...question: [string]) => {
      if ((looks += 1) === 1) {
        disk.failNext('before');
        await assert.rejects(log.db.put(key, '1'), /EIO/);
      }
      return await get(...question);
    });
    disk.failNext('before');
    await rejects(log.append('recording-1', [plainFact('2')], 1), 'OUTCOME_UNKNOWN');
    await log.usable();
    assert.ok(looks >= 1, 'it was looked through');
    // As a login does, without a fact.
    await log.db.put(key, '2');
    assert.equal(await get(key), '2');
    await log.append('recording-1', [plainFact('2')], 1);
  });

  it('tries again until the disk is well, and says what is wrong', async (test) => {
    const temp = await tempLog(test);
    const disk = fragileDisk();
    const reports: string[] = [];
    const log = await temp.open({ write: disk.write, report: (message) => reports.push(message) });
    await log.append('recording-1', [plainFact('1')], 0);
    let refusals = 3;
    const open = log.db.open.bind(log.db);
    test.mock.method(log.db, 'open', async (...args: Parameters<typeof open>) => {
      if (refusals > 0) {
        refusals -= 1;
        throw new Error('ENOSPC');
      }
      return open(...args);
    });
    disk.failNext('before');
    await rejects(log.append('recording-1', [plainFact('2')], 1), 'OUTCOME_UNKNOWN');
    await log.usable();
    assert.equal(reports.filter((message) => /could not be reopened/.test(message)).length, 3);
    await log.append('recording-1', [plainFact('2')], 1);
  });

  it('can be closed while it is trying', async (test) => {
    const disk = fragileDisk();
    const log = await (await tempLog(test)).open({ write: disk.write });
    test.mock.method(log.db, 'open', async () => {
      throw new Error('ENOSPC');
    });
    disk.failNext('before');
    await rejects(log.append('recording-1', [plainFact('1')], 0), 'OUTCOME_UNKNOWN');
    const reading = rejects(all(log.readAll()), 'CLOSED');
    await log.close();
    await reading;
    assert.equal(log.db.status, 'closed');
  });
});
