import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type PassageCells, type PassageRow, passageRows } from '../../src/storage/passage-rows.ts';
import { memoryKeys } from '../support/memory-store.ts';

const row = (model: string, count = 2): PassageRow => ({
  model,
  version: 3,
  count,
  dimensions: 4,
  texts: 'a hash of texts',
  passages: Array.from({ length: count }, (_, at) => ({
    block: `t-${at}`,
    from: 0,
    last: `t-${at}`,
    to: 90,
  })),
  vectors: Int8Array.from({ length: count * 4 }, (_, at) => at - 4),
});

/** What passages of recordings promise, whoever keeps them. */
export function passageRowsContract(
  name: string,
  open: (t: TestContext) => Promise<PassageCells>,
): void {
  test(`${name}: passages are read as they were written, one row a recording, in the order of ids`, async (t) => {
    const keys = memoryKeys();
    for (const id of ['a', 'b', 'c']) await keys.obtain(id);
    const rows = passageRows(await open(t), keys);
    assert.deepEqual(await rows.read([]), []);
    assert.deepEqual(await rows.heads(['a']), [undefined]);
    for (const id of ['c', 'a', 'b']) assert.equal(await rows.write(id, row('one')), true);
    assert.equal(await rows.write('b', row('two', 3)), true);
    assert.deepEqual(await rows.read(['b', 'none', 'a']), [row('two', 3), undefined, row('one')]);
    assert.deepEqual(await rows.heads(['b', 'none']), [
      { model: 'two', version: 3, count: 3 },
      undefined,
    ]);
    assert.deepEqual(await rows.ids('', 2), ['a', 'b']);
    assert.deepEqual(await rows.ids('b', 2), ['c']);
    await rows.remove(['a', 'none']);
    assert.deepEqual(await rows.ids('', 10), ['b', 'c']);
    assert.deepEqual(await rows.read(['a']), [undefined]);
  });

  test(`${name}: passages open with their recording's key alone; without it none are written`, async (t) => {
    const keys = memoryKeys();
    for (const id of ['a', 'b']) await keys.obtain(id);
    const cells = await open(t);
    const rows = passageRows(cells, keys);
    await rows.write('a', row('one'));
    await rows.write('b', row('one'));
    const [sealed] = await cells.sealed(['a']);
    assert.doesNotMatch(sealed!, /t-0|hash of texts/u);
    await cells.put('b', { head: '{}', sealed: sealed! });
    assert.deepEqual(await rows.read(['b']), [undefined], 'a row that was moved');
    await keys.forget('a');
    assert.deepEqual(await rows.read(['a']), [undefined]);
    assert.equal(await rows.write('a', row('one')), false);
    assert.equal(await rows.write('unknown', row('one')), false);
    assert.deepEqual(await cells.heads(['unknown']), [undefined]);
  });
}
