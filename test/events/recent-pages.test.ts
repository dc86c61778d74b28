import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FactOutline } from '../../events/facts/catalogue.ts';
import { recentPages } from '../../events/log/following.ts';
import { upTo } from './store-contract.ts';

/** A log that gives ten facts a page and says what was read of it; `bytes` is what each page counts for. */
function countedLog({ bytes = 1 } = {}) {
  const reads: [after: number, upTo: number][] = [];
  const hold = { back: Promise.resolve() };
  const pageAfter = recentPages(async (after, until) => {
    reads.push([after, until]);
    await hold.back;
    const count = Math.min(10, until - after);
    const facts = upTo(count).map((n) => ({ position: after + n }) as FactOutline);
    return { after, facts, bytes };
  });
  const follow = async (from: number, until: number): Promise<number[]> => {
    const seen: number[] = [];
    for (let at = from; at < until; at = seen.at(-1)!)
      seen.push(...(await pageAfter(at, until)).map(({ position }) => position));
    return seen;
  };
  return { reads, hold, follow };
}

test('what many follow is read once, also for one that comes a little later', async () => {
  const { reads, follow } = countedLog();
  const seen = await Promise.all(upTo(5).map(() => follow(0, 35)));
  for (const positions of seen) assert.deepEqual(positions, upTo(35));
  assert.deepEqual(await follow(13, 35), upTo(35).slice(13));
  assert.equal(reads.length, 4);
});

test('who is far behind reads alone up to what is held, and delays nobody', async () => {
  const { reads, hold, follow } = countedLog();
  await follow(100, 120);
  let goOn = () => {};
  hold.back = new Promise((resolve) => (goOn = resolve));
  const late = follow(75, 120);
  assert.deepEqual(await follow(100, 120), upTo(120).slice(100));
  goOn();
  assert.deepEqual(await late, upTo(120).slice(75));
  assert.deepEqual(reads.slice(2), [
    [75, 100],
    [85, 100],
    [95, 100],
  ]);
});

test('no more is held than its limit: what is older is read again', async () => {
  const { reads, follow } = countedLog({ bytes: 1024 * 1024 });
  await follow(0, 100);
  assert.equal(reads.length, 10);
  await follow(60, 100);
  assert.equal(reads.length, 10);
  assert.deepEqual(await follow(50, 100), upTo(100).slice(50));
  assert.equal(reads.length, 11);
});

test('a failure is told to each who reads, and read again after it', async () => {
  let isAway = true;
  const pageAfter = recentPages(async (after) => {
    if (isAway) throw new Error('away');
    return { after, facts: [{ position: after + 1 } as FactOutline], bytes: 1 };
  });
  const both = await Promise.allSettled([pageAfter(0, 1), pageAfter(0, 1)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isAway = false;
  assert.equal((await pageAfter(0, 1)).length, 1);
});
