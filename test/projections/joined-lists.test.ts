import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReadEntries, entriesInAll, newestFirst } from '../../projections/list-page.ts';
import { seeded, seeds } from '../support/seeded.ts';

const placeOf = (n: number) =>
  `2026-01-01T00:00:00.${String(n % 1000).padStart(3, '0')}Z/${String(n).padStart(6, '0')}`;

/** A list in memory that counts what is read of it. */
function listOf(entries: readonly string[]) {
  const sorted = entries.toSorted();
  const counted = { read: 0 };
  const read: ReadEntries = async ({ gte, lt, reverse, limit }) => {
    const within = sorted.filter((one) => one >= gte && one < lt);
    const found = (reverse ? within.toReversed() : within).slice(0, limit);
    counted.read += found.length;
    return found;
  };
  return { read, counted };
}

for (const seed of seeds({ short: 20, long: 500 })) {
  test(`what several lists have is paged as one list that has only that (SEED=${seed})`, async () => {
    const random = seeded(seed);
    const all = Array.from({ length: 1 + random.below(900) }, (_, n) => placeOf(n));
    const lists = Array.from({ length: 1 + random.below(3) }, () => {
      const every = 1 + random.below(random.pick([2, 8, 60]));
      return all.filter(() => random.below(every) === 0);
    });
    const common = all.filter((one) => lists.every((list) => list.includes(one)));
    const [first = [], ...others] = lists;
    const joined = entriesInAll([listOf(first).read, ...others.map((one) => listOf(one).read)]);
    const plain = listOf(common).read;
    const limit = 1 + random.below(40);
    let cursor: string | undefined;
    for (;;) {
      const [ours, bare] = [
        await newestFirst(joined, { limit, cursor }),
        await newestFirst(plain, { limit, cursor }),
      ];
      assert.deepEqual(ours, bare);
      if (bare.previousCursor !== null) {
        const before = { limit, before: bare.previousCursor };
        assert.deepEqual(await newestFirst(joined, before), await newestFirst(plain, before));
      }
      if (bare.nextCursor === null) break;
      cursor = bare.nextCursor;
    }
  });
}

test('the shortest list decides how much of the others is read', async () => {
  const all = Array.from({ length: 50_000 }, (_, n) => placeOf(n));
  const [long, short] = [listOf(all), listOf([all[7]!, all[30_000]!])];
  const joined = entriesInAll([long.read, short.read]);
  const { entries } = await newestFirst(joined, { limit: 50 });
  assert.equal(entries.length, 2);
  assert.ok(long.counted.read < 500, `${long.counted.read} of the long list`);
});
