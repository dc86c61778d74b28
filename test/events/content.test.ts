import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { OfferedFact } from '../../events/facts/catalogue.ts';
import { openContent, sealContent } from '../../events/log/sealing.ts';
import { encodeRecord, logKey } from '../../events/log/records.ts';
import { sampleFact } from '../support/sample-facts.ts';
import { tempLog } from '../support/temp-log.ts';
import { all, rejects, upTo } from './store-contract.ts';

const summary = (subject: string, text: string): OfferedFact =>
  ({ ...sampleFact('summary.completed', subject), content: { text } }) as OfferedFact;

describe('Sealed content', () => {
  const key = randomBytes(32);
  const place = { stream: 'recording-1', version: 7 };

  it('comes back, small and large', async () => {
    for (const text of ['', 'Grüße 👋', randomBytes(200_000).toString('base64')]) {
      const sealed = await sealContent(key, place, JSON.stringify({ text }));
      assert.deepEqual(await openContent(key, place, sealed), { text });
    }
  });

  it('never looks the same twice', async () => {
    const json = JSON.stringify({ text: 'the same' });
    const sealed = await Promise.all(upTo(100).map(() => sealContent(key, place, json)));
    assert.equal(new Set(sealed).size, 100);
  });

  it('opens with its own key only, at its own place only, and unchanged only', async () => {
    const sealed = await sealContent(key, place, '{"text":"x"}');
    assert.throws(() => openContent(randomBytes(32), place, sealed));
    assert.throws(() => openContent(key, { ...place, version: 8 }, sealed));
    assert.throws(() => openContent(key, { ...place, stream: 'recording-2' }, sealed));
    for (const [index] of [...Buffer.from(sealed, 'base64')].entries()) {
      const changed = Buffer.from(sealed, 'base64');
      changed[index] = (changed[index] as number) ^ 1;
      assert.throws(() => openContent(key, place, changed.toString('base64')), `byte ${index}`);
    }
    assert.throws(() => openContent(key, place, ''));
    assert.throws(() => openContent(key, place, sealed.slice(0, 20)));
  });
});

describe('The log', () => {
  it('holds no word of a content', async (test) => {
    const temp = await tempLog(test);
    const log = await temp.open();
    await log.append('recording-1', [summary('R1', 'Donaudampfschiff')], 0);
    await log.close();
    for (const file of await readdir(temp.directory)) {
      const bytes = await readFile(join(temp.directory, file));
      assert.ok(!bytes.includes('Donaudampf'), file);
      assert.ok(!bytes.includes(Buffer.from('Donaudampf').toString('base64').slice(0, 12)), file);
    }
  });

  it('forgets a subject without forgetting that something happened', async (test) => {
    const temp = await tempLog(test);
    const keys = await temp.keys();
    const log = await temp.open({ keys });
    const [first] = await log.append('recording-1', [summary('R1', 'mine')], 0);
    await log.append('recording-2', [summary('R2', 'yours')], 0);
    await keys.forget('R1');
    const { content: _, ...skeleton } = first as { content?: unknown };
    const check = async (read: typeof log): Promise<void> => {
      const [mine] = await all(read.read('recording-1'));
      assert.deepEqual(mine, { ...skeleton, erased: true });
      const [again, yours] = await all(read.readAll());
      assert.deepEqual(again, mine);
      assert.deepEqual(yours?.content, { text: 'yours' });
      assert.equal(yours?.erased, undefined);
    };
    await check(log);
    const late = await rejects(
      log.append('recording-1', [summary('R1', 'late')], 1),
      'INVALID_FACT',
    );
    assert.match(late.message, /deleted/);
    await log.append('recording-1', [sampleFact('recording.erased', 'R1')], 1);
    await log.close();
    const reopened = await temp.open();
    await check(reopened);
    assert.equal((await reopened.verify({ contents: true })).damages, 0);
  });

  it('tells a lost or damaged key from an erased one, and goes on for others', async (test) => {
    const temp = await tempLog(test);
    const before = await temp.open();
    await before.append('recording-1', [summary('R1', 'one')], 0);
    await before.append('recording-2', [summary('R2', 'two')], 0);
    await before.append('recording-3', [summary('R3', 'three')], 0);
    await before.close();
    const path = join(temp.keysDirectory, 'R1');
    const bytes = await readFile(path);
    bytes[20] = (bytes[20] as number) ^ 4;
    await writeFile(path, bytes);
    await rm(join(temp.keysDirectory, 'R2'));
    const log = await temp.open();
    const read = await all(log.readAll());
    assert.deepEqual(
      read.map(({ content, erased, unreadable }) => ({ content, erased, unreadable })),
      [
        { content: undefined, erased: undefined, unreadable: true },
        { content: undefined, erased: undefined, unreadable: true },
        { content: { text: 'three' }, erased: undefined, unreadable: undefined },
      ],
    );
    assert.deepEqual(await all(log.read('recording-1')), [read[0]]);
    assert.deepEqual(
      log.health().damage.map(({ kind, stream, subject }) => [kind, stream, subject]),
      [
        ['key', 'recording-1', 'R1'],
        ['key', 'recording-2', 'R2'],
      ],
    );
    assert.deepEqual(
      log.health().damage.map(({ said }) => said.code),
      ['key-altered', 'key-missing'],
    );
    assert.equal(log.health().state, 'ok');
    await log.append('recording-3', [summary('R3', 'more')], 1);
    await rejects(log.append('recording-1', [summary('R1', 'more')], 1), 'UNREADABLE');
    // No second key is made where one is lost: with the first one back, all would be readable but for that.
    await rejects(log.append('recording-2', [summary('R2', 'more')], 1), 'UNREADABLE');
    await log.append('recording-2', [sampleFact('recording.erased', 'R2')], 1);
    assert.equal((await log.verify({ contents: true })).damages, 2);
    bytes[20] ^= 4;
    await writeFile(path, bytes);
    assert.deepEqual((await all(log.read('recording-1')))[0]?.content, { text: 'one' });
    assert.equal(log.health().damage.length, 1, 'a key that was put back is not missed any more');
  });

  it('says that it is busy, not that something is wrong, when keys cannot be had for now', async (test) => {
    const temp = await tempLog(test);
    const keys = await temp.keys();
    const log = await temp.open({ keys });
    await log.append('recording-1', [summary('R1', 'one')], 0);
    test.mock.method(keys, 'obtain', noSpace);
    test.mock.method(keys, 'find', noSpace);
    await rejects(log.append('recording-1', [summary('R1', 'two')], 1), 'DISK_FULL');
    await rejects(all(log.read('recording-1')), 'BUSY');
    assert.deepEqual(log.health(), { state: 'ok', damage: [], more: 0 });
    test.mock.restoreAll();
    await log.append('recording-1', [summary('R1', 'two')], 1);
    assert.equal((await all(log.read('recording-1'))).length, 2);
  });

  it('does not take content from another place', async (test) => {
    const temp = await tempLog(test);
    const before = await temp.open();
    await before.append('recording-1', [summary('R1', 'one'), summary('R1', 'two')], 0);
    await before.close();
    await temp.tamper(async (db) => {
      const get = (n: number) => db.get<Buffer, string>(logKey(n), { keyEncoding: 'buffer' });
      const [one, two] = [await get(1), await get(2)];
      const forged = two.slice(16).replace(contentOf(two), contentOf(one));
      await db.put(logKey(2), encodeRecord(forged, two.slice(8, 16)), { keyEncoding: 'buffer' });
    });
    const log = await temp.open();
    const [moved] = await all(log.read('recording-1', { afterVersion: 1 }));
    assert.deepEqual([moved?.content, moved?.unreadable], [undefined, true]);
    assert.deepEqual(
      log.health().damage.flatMap(({ kind, position }) => (kind === 'key' ? [position] : [])),
      [2],
    );
  });

  it('reads facts of many subjects with many sizes in order', async (test) => {
    const log = await (await tempLog(test)).open();
    const texts = upTo(120).map((n) => 'x'.repeat(n % 10 === 0 ? 60_000 : n));
    for (const [index, text] of texts.entries()) {
      await log.append('recording-1', [summary(`R${index % 7}`, text)], index);
    }
    const read = (await all(log.read('recording-1'))).map((fact) => fact.content);
    assert.deepEqual(
      read,
      texts.map((text) => ({ text })),
    );
  });
});

const contentOf = (record: string): string => /"content":"[^"]+"/.exec(record)?.[0] ?? '';

const noSpace = (): Promise<never> =>
  Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
