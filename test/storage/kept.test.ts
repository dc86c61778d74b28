import { Level } from 'level';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sessionRows } from '../../src/accounts/sessions.ts';
import { loginLimits } from '../../src/accounts/login-limits.ts';
import { openSecretStore } from '../../src/config/secret-store.ts';
import { openSecretsFile } from '../../src/config/secrets-file.ts';
import { levelKept, levelProjectionStorage } from '../../src/storage/level-rows.ts';
import { memoryKept } from '../support/memory-kept.ts';
import { pendingJobs } from '../../src/storage/pending-jobs.ts';
import { tempDir } from '../support/temp-dir.ts';
import { keptContract } from './kept-contract.ts';
import { secretStoreContract } from './secret-store-contract.ts';

const clock = () => new Date();

keptContract('LevelDB', async (t) => levelKept(await open(t), clock));
keptContract('Memory', async () => memoryKept(clock));
secretStoreContract(
  'a file',
  async (t) => {
    const path = join(await tempDir(t), 'secrets.json');
    const again = async () => openSecretStore(await openSecretsFile(path));
    return { store: await again(), again };
  },
  { isShared: false },
);

test('pending jobs are there once each, until they are completed', async () => {
  const jobs = pendingJobs(memoryKept(clock));
  assert.deepEqual(await jobs.list(), []);
  await jobs.add('r2', 'erase');
  await jobs.add('r1', 'keep-audio');
  await jobs.add('r1', 'erase');
  await jobs.add('r1', 'erase');
  await jobs.complete('r2', 'import');
  assert.deepEqual(await jobs.list(), [
    { recordingId: 'r1', job: 'erase' },
    { recordingId: 'r1', job: 'keep-audio' },
    { recordingId: 'r2', job: 'erase' },
  ]);
  await jobs.complete('r1', 'erase');
  assert.deepEqual(await jobs.list(), [
    { recordingId: 'r1', job: 'keep-audio' },
    { recordingId: 'r2', job: 'erase' },
  ]);
});

test('rows in LevelDB are read and written as every release does', async (t) => {
  const db = await open(t);
  const [id, account] = ['a'.repeat(64), '01J0000000000000000000000A'];
  const session = { user_id: account, created_at: 1, expires_at: Date.now() + 60_000 };
  // SHA-256 of the account.
  const place = '!known-places!5a32ca13ae123c4f803fac13ccad115ef32a8a300507f1ee818fe09d7def5474';
  await db.put(`!sessions!${id}`, JSON.stringify(session));
  await db.put('!chores!r/erase', '1');
  const kept = levelKept(db, clock);
  assert.deepEqual(await kept.of(sessionRows).get(id), session);
  assert.deepEqual(await pendingJobs(kept).list(), [{ recordingId: 'r', job: 'erase' }]);
  const limits = loginLimits(kept);
  await limits.attempt(account, '192.0.2.1');
  await limits.succeeded(account, '192.0.2.1');
  assert.equal(await loginLimits(levelKept(db, clock)).isKnown(account, '192.0.2.1'), true);
  assert.equal(await limits.isKnown(account, '192.0.2.2'), false);
  const keys = await db.keys().all();
  assert.deepEqual(keys, ['!chores!r/erase', place, `!sessions!${id}`], 'nothing of the attempt');
  assert.ok(Array.isArray(JSON.parse((await db.get(place)) ?? '')));
});

test('a sweep takes nothing else in the database', async (t) => {
  const db = await open(t);
  const storage = levelProjectionStorage(db);
  await storage.commit('a', { version: 1, position: 1 }, new Map([['k', { expires_at: 0 }]]));
  const kept = levelKept(db, clock);
  await pendingJobs(kept).add('r', 'erase');
  const ended = { user_id: 'u', created_at: 0, expires_at: 1 };
  await db.put('!sessions!s', JSON.stringify(ended));
  kept.of(sessionRows);
  await kept.sweep();
  assert.equal(await db.get('!sessions!s'), undefined);
  assert.deepEqual(await storage.get('a', 'k'), { expires_at: 0 });
  assert.equal((await pendingJobs(kept).list()).length, 1);
});

async function open(t: TestContext): Promise<Level> {
  // Hooks run in the order they are given: closed first, then removed.
  t.after(() => db.close());
  const db: Level = new Level(await tempDir(t));
  await db.open();
  return db;
}
