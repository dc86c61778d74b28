import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AskDatabase, knownEnd } from '../../../src/storage/postgres/known-end.ts';
import { rejects } from '../../events/store-contract.ts';

/** A database that ends at a position and has this fact wherever it is asked. */
const database = (head: number, id: string | null = null): AskDatabase =>
  (async () => [{ head: String(head), id }]) as AskDatabase;

test('a log that has grown, or is as it was, is the one that is known', async () => {
  const end = knownEnd(() => {});
  await end.look(database(5));
  end.seen({ position: 7, id: 'seven' });
  await end.look(database(7, 'seven'));
  await end.look(database(9, 'seven'));
  assert.equal(end.position(), 9);
  assert.equal(end.lost.aborted, false);
});

test('one that ends before what was heard of is said to be shorter, by how much', async () => {
  const end = knownEnd(() => {});
  end.reached(62);
  const { message } = await rejects(end.look(database(61)), 'CLOSED');
  assert.match(message, /^The database came back 1 fact shorter: /);
  assert.ok(end.lost.aborted);
  await rejects(end.look(database(62)), 'CLOSED');
});

test('one to which others have appended since is noticed by the last fact that is known', async () => {
  const end = knownEnd(() => {});
  end.seen({ position: 62, id: 'acknowledged' });
  const { message } = await rejects(end.look(database(80, 'another')), 'CLOSED');
  assert.match(message, /^The database came back without the last facts that this node knew: /);
});

test('what becomes known while it is asked is not missing', async () => {
  const end = knownEnd(() => {});
  await end.look((async () => {
    end.seen({ position: 3, id: 'three' });
    return [{ head: '2', id: null }];
  }) as AskDatabase);
  assert.equal(end.lost.aborted, false);
});
