import assert from 'node:assert/strict';
import { type TestContext, after, it } from 'node:test';
import { type ProjectionStorage, RowsTaken } from '../../../projections/runner/projection.ts';
import type { KeptKind, KeptRows } from '../../../src/storage/kept.ts';
import type { Postgres } from '../../../src/storage/postgres/connection.ts';
import { openSecretStore } from '../../../src/config/secret-store.ts';
import { postgresKept } from '../../../src/storage/postgres/kept.ts';
import { postgresPassageCells } from '../../../src/storage/postgres/passage-cells.ts';
import { postgresProjectionStorage } from '../../../src/storage/postgres/projection-storage.ts';
import { openSealedTexts } from '../../../src/storage/sealed-texts.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';
import { keptContract } from '../kept-contract.ts';
import { passageRowsContract } from '../passage-rows-contract.ts';
import { projectionStorageContract } from '../projection-storage-contract.ts';
import { secretStoreContract } from '../secret-store-contract.ts';

const cluster = await postgresCluster({ after });
const key = Buffer.alloc(32, 7);

const database = async (t: TestContext) => {
  await cluster.empty();
  return await openedDatabase(t, cluster.url);
};

projectionStorageContract('The storage in PostgreSQL', async (t) =>
  postgresProjectionStorage(await database(t)),
);
passageRowsContract('PostgreSQL', async (t) => postgresPassageCells(await database(t)));
keptContract('PostgreSQL', async (t) => postgresKept(await database(t), key));
secretStoreContract(
  'PostgreSQL',
  async (t) => {
    const db = await database(t);
    const again = async () =>
      await openSecretStore(await openSealedTexts(postgresKept(db, key), db, key));
    return { store: await again(), again };
  },
  { isShared: true },
);

it('rows and checkpoint that another projector has written since are not written over', async (t) => {
  const db = await database(t);
  const [old, present] = [1, 2].map(() => postgresProjectionStorage(db, { fenced: true }));
  const at = (position: number) => ({ version: 1, position });
  const write = async (by: ProjectionStorage, position: number) =>
    await by.commit('a', at(position), new Map([['k', position]]));
  await write(old!, 10);
  await present!.checkpoint('a');
  // What the old one had sent before it heard that it is it no more.
  await write(old!, 20);
  await assert.rejects(write(present!, 15), RowsTaken);
  await assert.rejects(present!.clear('a'), RowsTaken);
  assert.deepEqual(await present!.checkpoint('a'), at(20));
  await write(present!, 25);
  await assert.rejects(old!.clear('a'), RowsTaken);
  await assert.rejects(write(old!, 30), RowsTaken);
  assert.equal(await present!.get('a', 'k'), 25);
  await present!.clear('a');
  assert.equal(await present!.checkpoint('a'), undefined);
  await write(present!, 5);
});

it('rows are cleared some at a time, and another projector may come in between', async (t) => {
  const db = await database(t);
  const asked: string[] = [];
  let between = async (): Promise<void> => {};
  const clearing: Postgres = {
    ...db,
    async ask(question) {
      const answer = await db.ask<never>(question);
      if (!question.text.includes('clear_rows')) return answer;
      asked.push(question.text);
      await between();
      return answer;
    },
  };
  const storage = postgresProjectionStorage(clearing, { fenced: true, clearedAtOnce: 10 });
  const other = postgresProjectionStorage(db, { fenced: true });
  const rows = new Map(Array.from({ length: 25 }, (_, at) => [`k${at}`, at]));
  const at = (position: number) => ({ version: 1, position });
  const left = async () => (await ask<{ count: number }>(cluster.url, counting('a')))[0]!.count;
  for (const name of ['a', 'b']) await storage.commit(name, at(1), rows);
  await storage.clear('a');
  assert.deepEqual([asked.length, await left(), await storage.checkpoint('a')], [3, 0, undefined]);
  assert.equal((await storage.getMany('b', ['k3', 'k24'])).filter(Boolean).length, 2);

  await storage.commit('a', at(1), rows);
  between = async () => {
    between = async () => {};
    assert.deepEqual([await other.checkpoint('a'), await left()], [undefined, 15]);
    await other.commit('a', at(2), new Map([['theirs', 1]]));
  };
  await assert.rejects(storage.clear('a'), RowsTaken);
  assert.equal(await other.get('a', 'theirs'), 1);
});

const counting = (projection: string): string =>
  `select count(*)::int from mitschrift.rows where projection = '${projection}'`;

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

it('a node whose clock is an hour ahead or behind is told so, and what nodes share goes by one clock', async (t) => {
  const kind: KeptKind<{ ends: number }> = {
    name: 'ending',
    endsAt: ({ ends }) => ends,
    volatileMax: null,
    keys: 'plain',
  };
  const right = postgresKept(await database(t), key).of(kind);
  const put = (rows: KeptRows<{ ends: number }>, name: string, forMs: number) =>
    rows.change([name], (_, now) => ({ keep: [{ ends: now + forMs }], result: 0 }));
  for (const [off, how] of [
    [3_600_000, 'ahead of'],
    [-3_600_000, 'behind'],
  ] as const) {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + off });
    const reports: string[] = [];
    const report = (message: string): void => void reports.push(message);
    const wrong = postgresKept(await openedDatabase(t, cluster.url, report), key).of(kind);
    await put(wrong, how, 60_000);
    assert.ok(
      reports.some((text) => new RegExp(`is 3(600|599|601) s ${how} the database`).test(text)),
      reports.join(),
    );
    t.mock.timers.reset();
    await put(right, 'right', 60_000);
    for (const one of [right, wrong]) {
      assert.ok(await one.get(how));
      assert.ok(await one.get('right'));
    }
    await put(wrong, how, -1);
    assert.equal(await right.get(how), undefined, 'over is over');
  }
});
