import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { postgresLastDone } from '../../../src/storage/postgres/housekeeping.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';

const cluster = await postgresCluster({ after });

it('says at each node when a task was last done at any', async (t) => {
  const [one, other] = [await openedDatabase(t, cluster.url), await openedDatabase(t, cluster.url)];
  const hour = 3_600_000;
  assert.equal(await postgresLastDone(other, 'a').isWithin(hour), false);
  await postgresLastDone(one, 'a').note();
  assert.equal(await postgresLastDone(other, 'a').isWithin(hour), true);
  assert.equal(await postgresLastDone(other, 'b').isWithin(hour), false);
  await ask(
    cluster.url,
    "update mitschrift.housekeeping set done_at = done_at - interval '2 hours'",
  );
  assert.equal(await postgresLastDone(other, 'a').isWithin(hour), false);
  await postgresLastDone(other, 'a').note();
  assert.equal(await postgresLastDone(one, 'a').isWithin(hour), true);
});
