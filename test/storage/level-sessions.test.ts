import { Level } from 'level';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { levelProjectionStorage } from '../../src/storage/level-rows.ts';
import { levelSessionRows } from '../../src/storage/session-rows.ts';
import { tempDir } from '../support/temp-dir.ts';

test('sessions are kept by hash, replaced, and deleted', async (t) => {
  const { rows } = await openRows(t);
  await rows.put(hashOf('one'), session('anna', 10));
  await rows.put(hashOf('one'), session('anna', 20));
  assert.deepEqual(await rows.get(hashOf('one')), session('anna', 20));
  assert.equal(await rows.get(hashOf('two')), undefined);
  await rows.delete(hashOf('one'));
  await rows.delete(hashOf('one'));
  assert.equal(await rows.get(hashOf('one')), undefined);
});

test('all sessions of a user end at once, and of nobody else', async (t) => {
  const { rows } = await openRows(t);
  for (const token of ['a1', 'a2', 'a3']) await rows.put(hashOf(token), session('anna', 10));
  await rows.put(hashOf('b1'), session('bert', 10));
  const gone = await rows.deleteOf('anna');
  assert.deepEqual(gone.toSorted(), ['a1', 'a2', 'a3'].map(hashOf).toSorted());
  assert.equal(await rows.get(hashOf('a2')), undefined);
  assert.deepEqual(await rows.get(hashOf('b1')), session('bert', 10));
  assert.deepEqual(await rows.deleteOf('nobody'), []);
});

test('a sweep takes what is over, and nothing else in the database', async (t) => {
  const { rows, db } = await openRows(t);
  const storage = levelProjectionStorage(db);
  await storage.commit('a', { version: 1, position: 1 }, new Map([['k', { expires_at: 0 }]]));
  for (const expires of [9, 10, 11]) await rows.put(hashOf(`${expires}`), session('anna', expires));
  await rows.sweep(10);
  assert.equal(await rows.get(hashOf('9')), undefined);
  assert.equal(await rows.get(hashOf('10')), undefined);
  assert.deepEqual(await rows.get(hashOf('11')), session('anna', 11));
  assert.deepEqual(await storage.get('a', 'k'), { expires_at: 0 });
});

test('what is no hash is no key: a token itself never reaches the database', async (t) => {
  const { rows } = await openRows(t);
  for (const wrong of ['token', '', hashOf('x').toUpperCase(), `${hashOf('x')}0`]) {
    await assert.rejects(rows.put(wrong, session('anna', 1)), TypeError);
    await assert.rejects(rows.get(wrong), TypeError);
  }
});

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const session = (user_id: string, expires_at: number) => ({ user_id, created_at: 1, expires_at });

async function openRows(t: TestContext) {
  // Hooks run in the order they are given: closed first, then removed.
  t.after(() => db.close());
  const db: Level = new Level(await tempDir(t));
  await db.open();
  return { rows: levelSessionRows(db), db };
}
