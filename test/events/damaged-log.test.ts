import assert from 'node:assert/strict';
import {
  chmod,
  cp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, describe, it } from 'node:test';
import { encodeRecord, logKey, predecessorCrcOf, streamKey } from '../../events/log/records.ts';
import { plainFact } from '../support/sample-facts.ts';
import { type TempLog, tempLog } from '../support/temp-log.ts';
import { all, rejects, upTo } from './store-contract.ts';
import { finding } from '../../src/words/findings.ts';
import { inEnglish } from '../../src/words/say.ts';

const binary = { keyEncoding: 'buffer' } as const;

/** A closed log of 30 facts in three streams. */
async function someLog(test: TestContext): Promise<TempLog> {
  const temp = await tempLog(test);
  const log = await temp.open();
  for (const n of upTo(10)) {
    for (const stream of ['recording-a', 'recording-b', 'recording-c']) {
      await log.append(stream, [plainFact(`${n}`)], n - 1);
    }
  }
  await log.close();
  return temp;
}

describe('A damaged record', () => {
  it('is noticed at open, named, and keeps the log from being written', async (test) => {
    const temp = await someLog(test);
    await changeRecord(temp, 14, (record) => record.replace('"5"', '"6"'));
    const log = await temp.open();
    const { state, damage } = log.health();
    assert.equal(state, 'damaged');
    assert.deepEqual(
      damage.map(({ kind, position }) => [kind, position]),
      [['record', 14]],
    );
    const refused = await rejects(log.append('recording-d', [plainFact('1')], 0), 'DAMAGED');
    assert.match(refused.message, /position 14.*mitschrift verify.*backup/);
    assert.equal(refused.retriable, false);
  });

  it('lets everything else be read', async (test) => {
    const temp = await someLog(test);
    await changeRecord(temp, 14, (record) => record.replace('"5"', '"6"'));
    const log = await temp.open();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { position } of log.readAll()) seen.push(position);
    })();
    assert.match((await rejects(reading, 'DAMAGED')).message, /position 14/);
    assert.deepEqual(seen, upTo(13));
    assert.equal((await all(log.readAll({ afterPosition: 14 }))).length, 16);
    assert.equal((await all(log.read('recording-a'))).length, 10);
    const versions: number[] = [];
    const streamReading = (async () => {
      for await (const { version } of log.read('recording-b')) versions.push(version);
    })();
    assert.match((await rejects(streamReading, 'DAMAGED')).message, /recording-b.*version 5/);
    assert.deepEqual(versions, upTo(4));
  });

  it('is noticed when it is read, although it was not looked at when the log was opened', async (test) => {
    const temp = await someLog(test);
    await changeRecord(temp, 14, (record) => record.replace('"5"', '"6"'));
    const log = await temp.open({ verifiedPosition: 20 });
    assert.equal(log.health().state, 'ok');
    await rejects(all(log.read('recording-b')), 'DAMAGED');
    assert.equal(log.health().state, 'damaged');
    await rejects(log.append('recording-d', [plainFact('1')], 0), 'DAMAGED');
  });

  it('shows whichever bit was flipped', async (test) => {
    const temp = await someLog(test);
    const original = await recordAt(temp, 30);
    // Every bit of what is plain ASCII: 8 flips for each of a spread of places in the record.
    for (let at = 0; at < original.length; at += 17) {
      const bytes = Buffer.from(original);
      bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
      await temp.tamper((db) => db.put(logKey(30), bytes, { ...binary, valueEncoding: 'buffer' }));
      const log = await temp.open();
      assert.equal(log.health().state, 'damaged', `bit ${at % 8} of byte ${at}`);
      await log.close();
    }
    await temp.tamper((db) => db.put(logKey(30), original, binary));
    assert.equal((await temp.open()).health().state, 'ok');
  });

  it('is found when it is whole but not the one that was there', async (test) => {
    const temp = await someLog(test);
    await changeRecord(temp, 14, (record) =>
      encodeRecord(record.slice(16).replace('"5"', '"6"'), predecessorCrcOf(record)),
    );
    const log = await temp.open();
    assert.deepEqual(
      log.health().damage.map(({ position }) => position),
      [15],
    );
    await rejects(all(log.readAll()), 'DAMAGED');
  });

  it('is found when it is missing, also several together and the first', async (test) => {
    const temp = await someLog(test);
    await temp.tamper(async (db) => {
      for (const position of [1, 14, 15, 16]) await db.del(logKey(position), binary);
    });
    const log = await temp.open();
    const found = log.health().damage.map(({ position, said }) => [position, inEnglish(said)]);
    assert.deepEqual(found, [
      [1, 'the event is missing'],
      [14, 'events up to 16 are missing'],
      [undefined, 'the index has 30 entries for 26 events'],
    ]);
    assert.match((await rejects(all(log.readAll()), 'DAMAGED')).message, /at position 1:/);
    await rejects(all(log.read('recording-b')), 'DAMAGED');
  });

  it('is missed when another fact lies in its place', async (test) => {
    const temp = await someLog(test);
    const aside = join(temp.root, 'aside');
    await cp(temp.directory, aside, { recursive: true });
    const append = async (command: string) => {
      const log = await temp.open();
      await log.append('recording-a', [plainFact(command)], 10);
      await log.close();
    };
    await append('acknowledged');
    const head = await readFile(join(temp.directory, 'head'));
    // Older files went on by themselves, as after LevelDB lost the end of its newest file.
    await rm(temp.directory, { recursive: true });
    await rename(aside, temp.directory);
    await append('another');
    await writeFile(join(temp.directory, 'head'), head);
    const log = await temp.open();
    assert.deepEqual(
      log.health().damage.map(({ kind, position }) => [kind, position]),
      [['record', 31]],
    );
    await rejects(log.append('recording-d', [plainFact('1')], 0), 'DAMAGED');
  });

  it('is missed at the end by whoever had seen it', async (test) => {
    const temp = await someLog(test);
    await temp.tamper(async (db) => {
      await db.del(logKey(30), binary);
      await db.del(streamKey('recording-c', 10));
    });
    const log = await temp.open({ verifiedPosition: 30 });
    assert.deepEqual(
      log.health().damage[0]?.said,
      finding('tail-missing', { count: 1, last: 29, reached: 30 }),
    );
    await rejects(log.append('recording-d', [plainFact('1')], 0), 'DAMAGED');
  });
});

describe('A damaged index', () => {
  const harm: [string, (temp: TempLog) => Promise<void>][] = [
    ['lacks an entry', (temp) => temp.tamper((db) => db.del(streamKey('recording-b', 5)))],
    ['lacks its last entry', (temp) => temp.tamper((db) => db.del(streamKey('recording-b', 10)))],
    ['points elsewhere', (temp) => temp.tamper((db) => db.put(streamKey('recording-b', 5), '15'))],
    ['points nowhere', (temp) => temp.tamper((db) => db.put(streamKey('recording-b', 5), '1e1'))],
  ];
  for (const [what, change] of harm) {
    it(`is found when it ${what}`, async (test) => {
      const temp = await someLog(test);
      await change(temp);
      const log = await temp.open();
      assert.equal(log.health().state, 'damaged');
      assert.ok(log.health().damage.every(({ kind }) => kind === 'index'));
      await rejects(log.append('recording-b', [plainFact('1')], 9), 'DAMAGED');
    });
  }

  it('is found when it promises more than there is', async (test) => {
    const temp = await someLog(test);
    await temp.tamper((db) => db.put(streamKey('recording-b', 11), '29'));
    const log = await temp.open({ verifiedPosition: 30 });
    await rejects(log.append('recording-b', [plainFact('1')], 11), 'DAMAGED');
    assert.equal(log.health().state, 'damaged');
  });

  it('is found when a reader is sent to another fact', async (test) => {
    const temp = await someLog(test);
    await temp.tamper((db) => db.put(streamKey('recording-b', 5), '15'));
    const log = await temp.open({ verifiedPosition: 30 });
    await rejects(all(log.read('recording-b')), 'DAMAGED');
    assert.equal((await all(log.readAll())).length, 30);
  });
});

describe('Verifying', () => {
  it('lists all damage, not only the first, and counts what is sound', async (test) => {
    const temp = await someLog(test);
    const log = await temp.open();
    const progress: number[] = [];
    const sound = await log.verify({ contents: true, onProgress: (at) => progress.push(at) });
    assert.deepEqual(sound, { position: 30, records: 30, damages: 0 });
    assert.equal(progress.at(-1), 30);
    await log.close();
    for (const n of [3, 14, 29]) await changeRecord(temp, n, (record) => `${record} `);
    const damaged = await temp.open({ verifiedPosition: 30 });
    assert.equal((await damaged.verify()).damages, 3);
    assert.deepEqual(
      damaged.health().damage.map(({ position }) => position),
      [3, 14, 29],
    );
  });

  it('looks at a part only when asked to', async (test) => {
    const temp = await someLog(test);
    await changeRecord(temp, 14, (record) => `${record} `);
    const log = await temp.open({ verifiedPosition: 30 });
    assert.equal((await log.verify({ afterPosition: 14 })).damages, 0);
    assert.equal((await log.verify({ upToPosition: 13 })).damages, 0);
    assert.equal((await log.verify({ afterPosition: 13, upToPosition: 14 })).damages, 1);
  });
});

describe('A log that is not there as it should be', () => {
  it('is not made anew when CURRENT is missing, and nothing is touched', async (test) => {
    const temp = await someLog(test);
    await rm(join(temp.directory, 'CURRENT'));
    const before = await listing(temp.directory);
    assert.match((await rejects(temp.open(), 'DAMAGED')).message, /CURRENT/);
    await rm(`${temp.directory}.json`);
    assert.match((await rejects(temp.open(), 'DAMAGED')).message, /CURRENT/);
    assert.deepEqual(await listing(temp.directory), before);
  });

  it('is not made anew when the whole directory is missing', async (test) => {
    const temp = await someLog(test);
    await rename(temp.directory, join(temp.root, 'elsewhere'));
    await rejects(temp.open(), 'DAMAGED');
    await assert.rejects(stat(temp.directory), { code: 'ENOENT' });
  });

  it('is not opened without its manifest or a table', async (test) => {
    const temp = await someLog(test);
    const manifest = (await readdir(temp.directory)).find((file) => file.startsWith('MANIFEST'));
    await rm(join(temp.directory, manifest ?? ''));
    await rejects(temp.open(), 'DAMAGED');
  });

  it('gets its marker again when only that was lost', async (test) => {
    const temp = await someLog(test);
    const marker = await readFile(`${temp.directory}.json`, 'utf8');
    await rm(`${temp.directory}.json`);
    const log = await temp.open();
    assert.equal(await log.head(), 30);
    assert.equal(await readFile(`${temp.directory}.json`, 'utf8'), marker);
  });

  it('is not taken for another', async (test) => {
    const temp = await someLog(test);
    const other = await tempLog(test);
    await (await other.open()).close();
    await writeFile(`${temp.directory}.json`, await readFile(`${other.directory}.json`));
    assert.match((await rejects(temp.open(), 'DAMAGED')).message, /belongs to another event log/);
    await writeFile(`${temp.directory}.json`, '{"format":1,');
    assert.match((await rejects(temp.open(), 'DAMAGED')).message, /can’t be read/);
  });

  it('loses only what was not acknowledged when its end is torn', async (test) => {
    const temp = await tempLog(test);
    const log = await temp.open();
    for (const n of upTo(20)) await log.append('recording-a', [plainFact(`${n}`)], n - 1);
    await log.close();
    const file = (await readdir(temp.directory)).find((name) => name.endsWith('.log')) ?? '';
    const path = join(temp.directory, file);
    await truncate(path, (await stat(path)).size - 40);
    // As when the process died while it wrote: nobody had noted that the log reaches this far.
    await rm(join(temp.directory, 'head'));
    const after = await temp.open();
    assert.equal(after.health().state, 'ok');
    assert.equal((await all(after.readAll())).length, 19);
    await after.append('recording-a', [plainFact('20')], 19);
  });

  it('is not shared', async (test) => {
    const temp = await someLog(test);
    await temp.open();
    assert.match((await rejects(temp.open(), 'LOCKED')).message, /Another Mitschrift/);
  });

  it('lies in directories that only its owner can enter', async (test) => {
    const temp = await someLog(test);
    await chmod(temp.directory, 0o755);
    await temp.open();
    assert.equal(await mode(temp.directory), 0o700);
    assert.equal(await mode(temp.keysDirectory), 0o700);
    assert.equal(await mode(`${temp.directory}.json`), 0o600);
  });
});

describe('A log of a newer release', () => {
  it('is told by its format', async (test) => {
    const temp = await someLog(test);
    const marker = JSON.parse(await readFile(`${temp.directory}.json`, 'utf8')) as object;
    await writeFile(`${temp.directory}.json`, JSON.stringify({ ...marker, format: 2 }));
    assert.match((await rejects(temp.open(), 'NEWER_LOG')).message, /format 2/);
  });

  const changes: [string, (json: string) => string, RegExp][] = [
    ['a type', (json) => json.replace('recording.paused', 'recording.danced'), /recording\.danced/],
    [
      'a shape',
      (json) => json.replace('"at":', '"schema":7,"at":'),
      /recording\.paused in version 7/,
    ],
  ];
  for (const [what, change, message] of changes) {
    it(`is told by ${what} it does not know, at open or when it is read`, async (test) => {
      const temp = await someLog(test);
      await changeRecord(temp, 30, (record) =>
        encodeRecord(change(record.slice(16)), predecessorCrcOf(record)),
      );
      assert.match((await rejects(temp.open(), 'NEWER_LOG')).message, message);
      const log = await temp.open({ verifiedPosition: 30 });
      await rejects(all(log.readAll()), 'NEWER_LOG');
      await rejects(all(log.read('recording-c')), 'NEWER_LOG');
    });
  }
});

async function recordAt(temp: TempLog, position: number): Promise<string> {
  let record = '';
  await temp.tamper(async (db) => {
    record = await db.get<Buffer, string>(logKey(position), binary);
  });
  return record;
}

async function changeRecord(
  temp: TempLog,
  position: number,
  change: (record: string) => string,
): Promise<void> {
  const before = await recordAt(temp, position);
  const after = change(before);
  assert.notEqual(after, before);
  await temp.tamper((db) => db.put(logKey(position), after, binary));
}

/** Names and sizes of files; LevelDB's own journal and lock do not count. */
async function listing(directory: string): Promise<[string, number][]> {
  const files = (await readdir(directory)).filter((file) => !file.startsWith('LO')).sort();
  return Promise.all(
    files.map(async (file): Promise<[string, number]> => [
      file,
      (await stat(join(directory, file))).size,
    ]),
  );
}

const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
