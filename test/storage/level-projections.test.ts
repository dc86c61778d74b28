import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type LogDatabase, type WriteHook, openDatabase } from '../../events/log/database.ts';
import { levelProjectionStorage } from '../../src/storage/level-rows.ts';
import { memoryProjectionStorage, rowsOf } from '../support/memory-projection-storage.ts';
import { tempDir } from '../support/temp-dir.ts';
import { projectionStorageContract } from './projection-storage-contract.ts';

projectionStorageContract('The storage in LevelDB', async (t) =>
  levelProjectionStorage(await open(t)),
);
projectionStorageContract('The storage in memory', async () => memoryProjectionStorage());

test('rows and checkpoint are there together, also after a restart', async (t) => {
  const directory = await tempDir(t);
  const first = await openIn(directory);
  const storage = levelProjectionStorage(first);
  await storage.commit(
    'a',
    { version: 2, position: 7 },
    new Map<string, unknown>([
      ['k', { text: 'Grüße' }],
      ['gone', 1],
    ]),
  );
  await storage.commit(
    'a',
    { version: 2, position: 8 },
    new Map<string, unknown>([
      ['gone', undefined],
      ['null', null],
    ]),
  );
  await first.close();
  const second = await openIn(directory);
  const again = levelProjectionStorage(second);
  assert.deepEqual(await again.checkpoint('a'), { version: 2, position: 8 });
  assert.deepEqual(await again.getMany('a', ['k', 'gone', 'null', 'never']), [
    { text: 'Grüße' },
    undefined,
    null,
    undefined,
  ]);
  assert.deepEqual(await again.getMany('a', []), []);
  await second.close();
});

test('a commit that fails leaves neither rows nor checkpoint', async (t) => {
  let failing = false;
  const db = await open(t, async (write) => {
    if (failing) throw new Error('the disk says no');
    await write();
  });
  const storage = levelProjectionStorage(db);
  await storage.commit('a', { version: 1, position: 1 }, new Map([['k', 1]]));
  failing = true;
  await assert.rejects(
    storage.commit(
      'a',
      { version: 1, position: 2 },
      new Map([
        ['k', 2],
        ['new', 2],
      ]),
    ),
  );
  failing = false;
  await db.reopen();
  assert.deepEqual(await storage.checkpoint('a'), { version: 1, position: 1 });
  assert.deepEqual(await rowsOf(storage, 'a'), { k: 1 });
});

test('the same storage goes on when the database was closed and opened again', async (t) => {
  const db = await open(t);
  const storage = levelProjectionStorage(db);
  const many = new Map(
    Array.from({ length: 450 }, (_, index) => [`k/${String(index).padStart(3, '0')}`, index]),
  );
  await storage.commit('a', { version: 1, position: 1 }, many);
  const range = storage.range<number>('a', { gte: 'k/', lt: 'k0' })[Symbol.asyncIterator]();
  const seen = [(await range.next()).value?.[1]];
  // What is read meanwhile waits; an iteration that was under way goes on where it was.
  const [row] = await Promise.all([storage.get('a', 'k/007'), db.reopen()]);
  for (let next = await range.next(); !next.done; next = await range.next())
    seen.push(next.value[1]);
  assert.equal(row, 7);
  assert.deepEqual(seen, [...many.values()]);
  await storage.commit('a', { version: 1, position: 2 }, new Map([['k/007', 8]]));
  assert.equal(await storage.get('a', 'k/007'), 8);
  await db.close();
  const refused = storage.commit('a', { version: 1, position: 3 }, new Map());
  await assert.rejects(refused, { code: 'LEVEL_DATABASE_NOT_OPEN' });
  const [late] = await Promise.all([storage.get('a', 'k/008'), db.open()]);
  assert.equal(late, 8);
});

test('a name that would reach into the rows of another is refused', async (t) => {
  const storage = levelProjectionStorage(await open(t));
  await assert.rejects(storage.get('a/../b', 'k'), TypeError);
});

/** A database in a directory of its own. */
async function open(t: TestContext, write?: WriteHook): Promise<LogDatabase> {
  // Hooks run in the order they are given: closed first, then removed.
  let db: LogDatabase | undefined;
  t.after(() => db?.close());
  db = await openIn(await tempDir(t), write);
  return db;
}

const openIn = (directory: string, write?: WriteHook): Promise<LogDatabase> =>
  openDatabase(`${directory}/log`, { createIfMissing: true, hook: write });
