import assert from 'node:assert/strict';
import { type TestContext, after, it } from 'node:test';
import { postgresPendingJobs } from '../../../src/storage/postgres/pending-jobs.ts';
import { postgresProjectionStorage } from '../../../src/storage/postgres/projection-storage.ts';
import { postgresSessionRows } from '../../../src/storage/postgres/session-rows.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';
import { pendingJobsContract } from '../pending-jobs-contract.ts';
import { projectionStorageContract } from '../projection-storage-contract.ts';
import { sessionRowsContract } from '../session-rows-contract.ts';

const cluster = await postgresCluster({ after });

const database = async (t: TestContext) => {
  await cluster.empty();
  return await openedDatabase(t, cluster.url);
};

projectionStorageContract('The storage in PostgreSQL', async (t) =>
  postgresProjectionStorage(await database(t)),
);
sessionRowsContract('PostgreSQL', async (t) => postgresSessionRows(await database(t)));
pendingJobsContract('PostgreSQL', async (t) => postgresPendingJobs(await database(t)));

it('a session waits for the disk, whatever the server is set to and after rows that do not', async (t) => {
  const db = await database(t);
  // As an administrator might have set it.
  await ask(cluster.url, 'alter role postgres set synchronous_commit = off');
  t.after(() => ask(cluster.url, 'alter role postgres reset synchronous_commit'));
  const other = await openedDatabase(t, cluster.url);
  await postgresProjectionStorage(other).commit('a', { version: 1, position: 1 }, new Map());
  const text = "select current_setting('synchronous_commit') as is";
  assert.deepEqual(await other.ask({ text }), [{ is: 'on' }]);
  assert.deepEqual(await db.ask({ text }), [{ is: 'on' }]);
});
