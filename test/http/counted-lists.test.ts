import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadEntries } from '../../projections/list-page.ts';
import { countedLists } from '../../src/http/routes/order.ts';

function listsOf(sizes: readonly number[]) {
  let read = 0;
  const lists = sizes.map((size): ReadEntries => async ({ limit }) => {
    const entries = Array.from({ length: Math.min(size, limit) }, (_, at) => `${at}`);
    read += entries.length;
    return entries;
  });
  return { lists, read: () => read };
}

const counted = async (sizes: readonly number[]) => {
  const { lists, read } = listsOf(sizes);
  const counts = await countedLists(lists);
  return {
    counts: counts.map(({ recordings, more }) => `${recordings}${more ? '+' : ''}`),
    read: read(),
  };
};

test('counting many lists costs the same however much is in them', async () => {
  const { counts, read } = await counted(Array.from({ length: 500 }, () => 5_000));
  assert.deepEqual([...new Set(counts)], ['40+']);
  assert.ok(read <= 500 * 41, `${read} keys`);
  const few = await counted([3, 1_000, 1_001, 0]);
  assert.deepEqual(few.counts, ['3', '1000', '1000+', '0']);
});

test('where most lists are short, the long ones are counted as far as alone', async () => {
  const sizes = Array.from({ length: 500 }, (_, at) => (at < 5 ? 900 + at * 100 : 7));
  const { counts, read } = await counted(sizes);
  assert.deepEqual(counts.slice(0, 6), ['900', '1000', '1000+', '1000+', '1000+', '7']);
  assert.ok(read <= 41_000, `${read} keys`);
});
