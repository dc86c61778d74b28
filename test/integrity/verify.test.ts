import assert from 'node:assert/strict';
import { appendFile, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { logKey, streamsRange } from '../../events/log/records.ts';
import type { Finding } from '../../src/integrity/findings.ts';
import type { VerifyReport } from '../../src/integrity/verify.ts';
import {
  flipped,
  mitschrift,
  recordedData,
  tamper,
  verifyAlone,
} from '../support/recorded-data.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import { finding } from '../../src/words/findings.ts';

const binary = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;
const flips = times({ short: 20, long: 400 });

test(`what verify notices (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  const { data, recordings } = await recordedData(t);
  const sound = await verifyAlone(data);

  await t.test('nothing is wrong with a data directory the service has left', () => {
    assert.deepEqual([sound.sound, sound.findings, sound.advice], [true, [], []]);
    const { records, facts, streams, audio, documents, keys } = sound.checked;
    assert.equal(facts, records);
    assert.deepEqual([audio, documents, keys.erased], [2, 6, 0]);
    // One key a recording and one of the user.
    assert.equal(keys.sound, 3);
    assert.ok(streams >= 3);
  });

  await t.test(`a bit flipped in a record, ${flips} times`, async () => {
    for (let count = 0; count < flips; count += 1) {
      const position = 1 + random.below(sound.checked.records);
      let original: Buffer = Buffer.alloc(0);
      await tamper(data, async (db) => {
        original = await db.get<Buffer, Buffer>(logKey(position), binary);
        const changed = flipped(original, random.below(original.length), random.below(8));
        await db.put(logKey(position), changed, binary);
      });
      const report = await verifyAlone(data);
      assert.equal(report.sound, false, `flip ${count} at ${position}`);
      assert.ok(damages(report).some((one) => one.kind === 'record' && one.position === position));
      assert.equal(report.advice[0]!.code, 'restore-or-salvage');
      await tamper(data, (db) => db.put(logKey(position), original, binary));
    }
    assert.equal((await verifyAlone(data)).sound, true);
  });

  await t.test('a record that is gone, and one that is another one’s', async () => {
    const middle = Math.floor(sound.checked.records / 2);
    let original: Buffer = Buffer.alloc(0);
    let other: Buffer = Buffer.alloc(0);
    await tamper(data, async (db) => {
      original = await db.get<Buffer, Buffer>(logKey(middle), binary);
      other = await db.get<Buffer, Buffer>(logKey(middle + 1), binary);
      await db.del(logKey(middle), binary);
    });
    assert.ok(damages(await verifyAlone(data)).some(({ position }) => position === middle));
    await tamper(data, (db) => db.put(logKey(middle), other, binary));
    assert.ok(damages(await verifyAlone(data)).some(({ position }) => position === middle));
    await tamper(data, (db) => db.put(logKey(middle), original, binary));
  });

  await t.test('an entry of the index that is wrong, missing or too much', async () => {
    let entries: [string, string][] = [];
    await tamper(data, async (db) => {
      entries = await db.iterator(streamsRange).all();
    });
    const [key, value] = random.pick(entries);
    for (const change of [() => [key, `${value}1`], () => [`${key.slice(0, -1)}x`, value]]) {
      const [wrongKey, wrongValue] = change() as [string, string];
      await tamper(data, (db) => db.put(wrongKey, wrongValue));
      assert.ok(damages(await verifyAlone(data)).some(({ kind }) => kind === 'index'));
      await tamper(data, async (db) => {
        await db.del(wrongKey);
        await db.put(key, value);
      });
    }
    await tamper(data, (db) => db.del(key));
    assert.ok(damages(await verifyAlone(data)).some(({ kind }) => kind === 'index'));
    await tamper(data, (db) => db.put(key, value));
    assert.equal((await verifyAlone(data)).sound, true);
  });

  await t.test('every kind of change to audio', async () => {
    const [id] = recordings as [string];
    const path = join(data.recordings, id, 'audio.wav');
    const original = await readFile(path);
    const changed = flipped(original, random.below(original.length), random.below(8));
    for (const bytes of [changed, original.subarray(1), Buffer.concat([original, original])]) {
      await writeFile(path, bytes);
      const [damage, ...others] = damages(await verifyAlone(data));
      assert.equal(others.length, 0);
      assert.deepEqual(
        [damage?.kind, damage?.path],
        ['audio', join('recordings', id, 'audio.wav')],
      );
    }
    await rm(path);
    assert.deepEqual(damages(await verifyAlone(data))[0]!.said, finding('audio-missing'));
    await writeFile(path, original);
  });

  await t.test('a document that somebody changed or removed: a note, no damage', async () => {
    const [owner] = (await readdir(data.spaces)) as [string];
    const index = (await readdir(join(data.spaces, owner))).find((name) => name.endsWith('.md'))!;
    const path = join(data.spaces, owner, index);
    const original = await readFile(path);
    await writeFile(path, flipped(original, random.below(original.length), random.below(8)));
    const changed = await verifyAlone(data);
    assert.equal(changed.sound, true);
    assert.deepEqual(
      changed.findings.map(({ kind, severity, said }) => [kind, severity, said]),
      [['document', 'note', finding('document-changed', { document: 'index' })]],
    );
    await rm(path);
    assert.equal((await verifyAlone(data)).findings[0]!.said.code, 'document-missing');
    await writeFile(path, original);
  });

  await t.test('a flipped bit in a key: damage of that key, never an erasure', async () => {
    for (const subject of recordings) {
      const path = join(data.keys, subject);
      const original = await readFile(path);
      for (let byte = 0; byte < original.length; byte += 1) {
        if (byte % 9 !== 0 && !process.env['MITSCHRIFT_LONG']) continue;
        await writeFile(path, flipped(original, byte, random.below(8)));
        const report = await verifyAlone(data);
        assert.equal(report.checked.keys.erased, 0);
        assert.equal(report.checked.keys.sound, 2);
        const key = damages(report).find((one) => one.path === join('keys', subject));
        assert.deepEqual(key!.said, finding('key-altered'));
      }
      await writeFile(path, original);
    }
    const path = join(data.keys, recordings[0]!);
    const original = await readFile(path);
    await rm(path);
    const missing = damages(await verifyAlone(data)).find((one) => one.path !== undefined);
    assert.deepEqual(missing!.said, finding('key-missing'));
    await writeFile(path, original);
  });

  await t.test('a user whose key was destroyed, and whom nobody deleted', async () => {
    const list = join(data.keys, 'erased.jsonl');
    const [subject = ''] = (await readdir(data.keys)).filter((name) => name.startsWith('user-'));
    const key = await readFile(join(data.keys, subject));
    await (await openFileKeys(data.keys)).forget(subject);
    const report = await verifyAlone(data);
    assert.deepEqual(
      damages(report).map(({ kind, path }) => [kind, path]),
      [['user', join('keys', subject)]],
    );
    const user = subject.replace('user-', '');
    assert.deepEqual(damages(report)[0]!.said, finding('user-nameless', { user }));
    assert.deepEqual(
      report.advice.map(({ code }) => code),
      ['recreate-users'],
    );
    await rm(list);
    await writeFile(join(data.keys, subject), key);
  });

  await t.test(
    'a list of erasures that cannot be read, and a log without its beginning',
    async () => {
      const list = join(data.keys, 'erased.jsonl');
      await appendFile(list, 'nonsense\n');
      const answer = await mitschrift(data.root, 'verify', '--json');
      assert.equal(answer.code, 1);
      const { findings } = JSON.parse(answer.stdout) as { findings: object[] };
      assert.deepEqual(findings[0], {
        severity: 'damage',
        kind: 'key',
        path: 'keys/erased.jsonl',
        what: 'line 1 of the list of erasures can’t be read',
        code: 'erasures-unreadable',
        params: { line: 1 },
      });
      await rm(list);
      const current = join(data.log, 'CURRENT');
      const original = await readFile(current);
      await rm(current);
      const unopened = await mitschrift(data.root, 'verify');
      assert.deepEqual([unopened.code, /CURRENT/.test(unopened.stdout)], [1, true]);
      await writeFile(current, original);
    },
  );

  await t.test('what was erased is told as erased', async () => {
    const keys = await openFileKeys(data.keys);
    await keys.forget(recordings[0]!);
    const { sound, checked } = await verifyAlone(data);
    assert.deepEqual([sound, checked.keys, checked.audio], [true, { sound: 2, erased: 1 }, 1]);
  });

  await t.test('the command: nothing to say and 0, or the places and 1', async () => {
    const well = await mitschrift(data.root, 'verify');
    assert.deepEqual([well.code, /no damage/.test(well.stdout)], [0, true]);
    await rm(join(data.recordings, recordings[1]!, 'audio.wav'));
    const ill = await mitschrift(data.root, 'verify');
    assert.equal(ill.code, 1);
    assert.match(ill.stdout, new RegExp(`audio, .*${recordings[1]}.*missing`));
    assert.match(ill.stdout, /→ Put these audio files back from a backup/);
  });
});

const damages = ({ findings }: VerifyReport): Finding[] =>
  findings.filter(({ severity }) => severity === 'damage');
