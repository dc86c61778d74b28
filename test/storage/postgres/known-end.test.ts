import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type AskDatabase, knownEnd } from '../../../src/storage/postgres/known-end.ts';
import { openPostgresLog } from '../../../src/storage/postgres/postgres-log.ts';
import { rejects } from '../../events/store-contract.ts';
import { eventually } from '../../support/eventually.ts';
import { memoryKeys } from '../../support/memory-store.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';
import { plainFact } from '../../support/sample-facts.ts';

/** A database that ends at a position and has this fact wherever it is asked. */
const database = (head: number, id: string | null = null): AskDatabase =>
  (async () => [{ head: String(head), id, log: 'L' }]) as AskDatabase;

test('a log that has grown, or is as it was, is the one that is known', async () => {
  const end = knownEnd(() => {}, 'L');
  await end.look(database(5));
  end.seen({ position: 7, id: 'seven' });
  await end.look(database(7, 'seven'));
  await end.look(database(9, 'seven'));
  assert.equal(end.position(), 9);
  assert.equal(end.lost.aborted, false);
});

test('one that ends before what was heard of is said to be shorter, by how much', async () => {
  const end = knownEnd(() => {}, 'L');
  end.reached(62);
  const { message } = await rejects(end.look(database(61)), 'CLOSED');
  assert.match(message, /^The database came back without its last event: /);
  assert.ok(end.lost.aborted);
  await rejects(end.look(database(62)), 'CLOSED');
});

test('one to which others have appended since is noticed by the last fact that is known', async () => {
  const end = knownEnd(() => {}, 'L');
  end.seen({ position: 62, id: 'acknowledged' });
  const { message } = await rejects(end.look(database(80, 'another')), 'CLOSED');
  assert.match(message, /^The database came back without the last events that this node knew: /);
});

test('what becomes known while it is asked is not missing', async () => {
  const end = knownEnd(() => {}, 'L');
  await end.look((async () => {
    end.seen({ position: 3, id: 'three' });
    return [{ head: '2', id: null, log: 'L' }];
  }) as AskDatabase);
  assert.equal(end.lost.aborted, false);
});

test('another log in the database, of which nothing was known yet, is no damage: it is opened again', async (t) => {
  const cluster = await postgresCluster({ after });
  const log = openPostgresLog({ db: await openedDatabase(t, cluster.url), keys: memoryKeys() });
  t.after(() => log.close());
  await ask(cluster.url, "update mitschrift.log set id = '01ANOTHERLOG00000000000000'");
  const append = () => log.append('recording-1', [plainFact('a')], 0);
  const refusal = await append().catch((error: unknown) => error as { code: string });
  assert.ok('code' in refusal && ['BUSY', 'CLOSED'].includes(refusal.code), 'nothing is damaged');
  await eventually('it is noticed', () => log.outdated.aborted);
  assert.match(
    (log.outdated.reason as Error).message,
    /^The database contains a different event log/,
  );
  await rejects(append(), 'CLOSED');
});
