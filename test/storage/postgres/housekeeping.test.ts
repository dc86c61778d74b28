import assert from 'node:assert/strict';
import { type TestContext, after, it } from 'node:test';
import { openByOne } from '../../../src/storage/by-one.ts';
import { postgresKept } from '../../../src/storage/postgres/kept.ts';
import { postgresOwnership } from '../../../src/storage/postgres/ownership.ts';
import { postgresPuts } from '../../../src/storage/postgres/puts.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';

const cluster = await postgresCluster({ after });

it('has one node do what is asked for at each, and gives the others what came of it', async (t) => {
  const [one, other] = await Promise.all([node(t), node(t)]);
  const how = { withinMs: 3_600_000, signal: new AbortController().signal };
  let go = (): void => {};
  let begun = (): void => {};
  const isAtIt = new Promise<void>((resolve) => (begun = resolve));
  const atIt = one('count', how, async () => {
    begun();
    await new Promise<void>((resolve) => (go = resolve));
    return { bytes: 2 ** 40, of: [['anna', 1]] };
  });
  await isAtIt;
  const never = async (): Promise<never> => assert.fail('another one does it');
  assert.equal(await other('count', how, never), null);
  assert.equal((await other('else', how, async () => 7))!.value, 7);
  go();
  const mine = (await atIt)!;
  const theirs = (await other('count', how, never))!;
  assert.deepEqual([mine.isMine, theirs.isMine], [true, false]);
  assert.deepEqual(theirs.value, { bytes: 2 ** 40, of: [['anna', 1]] });
  assert.equal(theirs.tookMs, mine.tookMs);
  assert.ok(theirs.agoMs >= theirs.tookMs && theirs.agoMs < 60_000);

  await assert.rejects(
    other('count', { ...how, withinMs: 0 }, async () => {
      throw new Error('it failed');
    }),
    /it failed/,
  );
  assert.equal((await one('count', how, never))!.tookMs, mine.tookMs, 'that changes nothing');
  await ask(
    cluster.url,
    `update mitschrift.kept set value = jsonb_set(value::jsonb, '{doneAt}',
      to_jsonb((value::jsonb ->> 'doneAt')::bigint - 7200000))::text where kind = 'done-by-one'`,
  );
  assert.equal((await one('count', how, async () => 3))!.value, 3);
});

/** A node's part in it. */
async function node(t: TestContext) {
  const db = await openedDatabase(t, cluster.url);
  const ownership = postgresOwnership(db, { leaseMs: 60_000 });
  t.after(() => ownership.close());
  return openByOne(postgresKept(db, Buffer.alloc(32, 7)), ownership);
}

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
