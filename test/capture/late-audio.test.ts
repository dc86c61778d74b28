import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elapsedClock } from '../../src/shared/time.ts';
import { lateAudio } from '../../src/capture/process/recorder.ts';
import { seeded, seeds } from '../support/seeded.ts';

/** So many milliseconds of 16 kHz in two channels of 16 bits. */
const block = (ms: number) => Buffer.alloc(ms * 64);

/** Takes blocks that come at the given moments; what was written with which silence before it. */
function played(arrivals: readonly (readonly [at: number, ms: number])[]) {
  let time = 0;
  const late = lateAudio(() => time);
  const told: { missingMs: number; blocks: number; at: number }[] = [];
  const note = ({ missingMs, arrivals: settled }: ReturnType<typeof late.take>) => {
    if (settled.length > 0) told.push({ missingMs, blocks: settled.length, at: time });
  };
  for (const [at, ms] of arrivals) {
    time = at;
    note(late.take(block(ms)));
  }
  note(late.rest());
  return told;
}

const steady = (from: number, to: number) =>
  Array.from({ length: (to - from) / 100 + 1 }, (_, at) => [from + at * 100, 100] as const);

test('what comes steadily is written as it comes', () => {
  const told = played(steady(0, 1000));
  assert.deepEqual(
    told,
    steady(0, 1000).map(([at]) => ({ missingMs: 0, blocks: 1, at })),
  );
});

test('what was queued during a pause is late and nothing is missing', () => {
  const queued = Array.from({ length: 51 }, (_, at) => [5100 + at, 100] as const);
  const told = played([...steady(0, 0), ...queued, ...steady(5200, 5400)]);
  assert.ok(told.every(({ missingMs }) => missingMs === 0));
  // Held back for no longer than it takes to come.
  assert.ok(told.every(({ at }) => at <= 5400) && told.some(({ at }) => at === 5150));
});

test('what was not queued is missing, before what comes after it', () => {
  const told = played([...steady(0, 100), ...steady(3100, 5000)]);
  const [gap] = told.filter(({ missingMs }) => missingMs > 0);
  assert.equal(gap!.missingMs, 2900);
  assert.ok(gap!.at <= 3100 + 1000, 'known a second later');
  assert.equal(
    told.reduce((sum, { blocks }) => sum + blocks, 0),
    22,
  );
});

test('a queue that held a part is waited for until it is empty', () => {
  // 2 s of 5 s were queued, and come at three times the pace they were said at.
  const queued = Array.from({ length: 31 }, (_, at) => [5100 + at * 33, 100] as const);
  const told = played([...steady(0, 0), ...queued, ...steady(6200, 8000)]);
  const gaps = told.filter(({ missingMs }) => missingMs > 0);
  assert.equal(gaps.length, 1);
  assert.ok(Math.abs(gaps[0]!.missingMs - 3000) <= 150, String(gaps[0]!.missingMs));
});

test('a loss that is counted elsewhere is not counted twice', () => {
  let time = 0;
  const late = lateAudio(() => time);
  late.take(block(100));
  time = 1100;
  assert.deepEqual(late.take(block(100)), { missingMs: 0, arrivals: [] });
  late.stopCounting();
  time = 9000;
  const { missingMs, arrivals } = late.take(block(100));
  assert.deepEqual([missingMs, arrivals.map(({ at }) => at)], [1000, [1100, 9000]]);
  assert.deepEqual(late.rest(), { missingMs: 0, arrivals: [] });
});

for (const seed of seeds({ short: 50, long: 5000 })) {
  test(`whatever comes when, what is written and what is marked are as long as it took (SEED=${seed})`, () => {
    const random = seeded(seed);
    const arrivals: [number, number][] = [[0, 100]];
    let clock = 0;
    let lost = 0;
    for (let second = 0; second < 60; second += 1) {
      if (random.chance(0.1)) {
        // A pause, of which the queue held some, all, or none.
        const queued = random.below(50);
        const missing = random.chance(0.5) ? 0 : 400 + random.below(5000);
        clock += queued * 100 + missing;
        lost += missing;
        for (let at = 0; at < queued; at += 1) arrivals.push([clock + at / 100, 100]);
      }
      for (let at = 0; at < 30; at += 1) {
        clock += 100;
        arrivals.push([clock + random.below(50), 100]);
      }
    }
    const told = played(arrivals);
    const missing = told.reduce((sum, { missingMs }) => sum + missingMs, 0);
    const losses = told.filter(({ missingMs }) => missingMs > 0).length;
    assert.equal(
      told.reduce((sum, { blocks }) => sum + blocks, 0),
      arrivals.length,
    );
    assert.ok(Math.abs(missing - lost) <= 110 * Math.max(1, losses), `${missing} for ${lost}`);
  });
}

test('the clock counts the sleep of the machine, and no change of anything else', () => {
  let [awake, up] = [50_000, 1_000_000];
  const now = elapsedClock({ awake: () => awake, uptimeMs: () => up });
  const pass = (ms: number, slept = 0) => {
    awake += ms;
    up += ms + slept;
  };
  const start = now();
  pass(1000);
  assert.equal(now() - start, 1000);
  up -= 900; // whole seconds, as some systems count
  assert.equal(now() - start, 1000);
  up += 900;
  pass(500, 3_600_000);
  assert.equal(now() - start, 3_601_500);
  pass(100);
  assert.equal(now() - start, 3_601_600);
  pass(0, 60_000);
  assert.equal(now() - start, 3_661_600);
});
