import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leased } from '../../src/shared/shared-resource.ts';

/** Things with a name that say when they are closed. */
function shelf() {
  const closed: string[] = [];
  const opened: string[] = [];
  let key = 'first';
  let failing = false;
  const things = leased({
    key: () => key,
    async open() {
      if (failing) throw new Error('cannot be opened');
      opened.push(key);
      const name = key;
      return { name, close: async () => void closed.push(name) };
    },
    onCloseError: (error) => assert.fail(String(error)),
  });
  return {
    ...things,
    opened,
    closed,
    change: (to: string) => (key = to),
    fail: (to: boolean) => (failing = to),
  };
}

test('those who come at once share one thing', async () => {
  const things = shelf();
  const [one, two] = await Promise.all([things.lease(), things.lease()]);
  assert.equal(one.value, two.value);
  assert.deepEqual(things.opened, ['first']);
});

test('what was replaced is closed when its last user is done, and not before', async () => {
  const things = shelf();
  const one = await things.lease();
  const two = await things.lease();
  things.change('second');
  const three = await things.lease();
  assert.equal(three.value.name, 'second');
  one.release();
  one.release();
  assert.deepEqual(things.closed, [], 'a lease that is given back twice counts once');
  two.release();
  assert.deepEqual(things.closed, ['first']);
  three.release();
  assert.deepEqual(things.closed, ['first'], 'what still holds is kept for the next');
  await things.close();
  assert.deepEqual(things.closed, ['first', 'second']);
});

test('a failure to open is not kept, and takes nothing from those who have something', async () => {
  const things = shelf();
  const one = await things.lease();
  things.change('second');
  things.fail(true);
  await assert.rejects(things.lease(), /cannot be opened/);
  assert.deepEqual(things.closed, []);
  things.fail(false);
  assert.equal((await things.lease()).value.name, 'second');
  one.release();
  assert.deepEqual(things.closed, ['first']);
});
