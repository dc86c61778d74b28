import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { postgresLastDone } from '../../../src/storage/postgres/housekeeping.ts';
import { postgresPuts } from '../../../src/storage/postgres/puts.ts';
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

it('says of which recordings nothing was put for so long, at whichever node', async (t) => {
  const [one, other] = [await openedDatabase(t, cluster.url), await openedDatabase(t, cluster.url)];
  const hour = 3_600_000;
  const ids = Array.from({ length: 1_002 }, (_, at) => `R${at}`).toSorted();
  const older = async (ms: number): Promise<string[]> => {
    const found: string[] = [];
    for await (const id of postgresPuts(other).older(ms)) found.push(id);
    return found;
  };
  for (const id of ids) await postgresPuts(one).note(id);
  assert.deepEqual(await older(hour), []);
  await ask(cluster.url, "update mitschrift.puts set put_at = put_at - interval '2 hours'");
  assert.deepEqual(await older(hour), ids);
  await postgresPuts(one).note('R7');
  await postgresPuts(other).forget('R7', hour);
  await postgresPuts(other).forget('R8', hour);
  assert.deepEqual(
    await older(hour),
    ids.filter((id) => id !== 'R7' && id !== 'R8'),
  );
  await ask(cluster.url, "update mitschrift.puts set put_at = put_at - interval '2 hours'");
  assert.ok((await older(hour)).includes('R7'), 'put again, it is looked at again');
});
