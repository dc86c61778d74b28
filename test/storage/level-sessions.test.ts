import { Level } from 'level';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { levelProjectionStorage } from '../../src/storage/level-rows.ts';
import { levelPendingJobs } from '../../src/storage/pending-jobs.ts';
import { levelSessionRows } from '../../src/storage/session-rows.ts';
import { tempDir } from '../support/temp-dir.ts';
import { pendingJobsContract } from './pending-jobs-contract.ts';
import { sessionRowsContract } from './session-rows-contract.ts';

sessionRowsContract('LevelDB', async (t) => levelSessionRows(await open(t)));
pendingJobsContract('LevelDB', async (t) => levelPendingJobs(await open(t)));

test('a sweep takes nothing else in the database', async (t) => {
  const db = await open(t);
  const storage = levelProjectionStorage(db);
  await storage.commit('a', { version: 1, position: 1 }, new Map([['k', { expires_at: 0 }]]));
  await levelPendingJobs(db).add('r', 'erase');
  await levelSessionRows(db).sweep(10);
  assert.deepEqual(await storage.get('a', 'k'), { expires_at: 0 });
  assert.equal((await levelPendingJobs(db).list()).length, 1);
});

async function open(t: TestContext): Promise<Level> {
  // Hooks run in the order they are given: closed first, then removed.
  t.after(() => db.close());
  const db: Level = new Level(await tempDir(t));
  await db.open();
  return db;
}
