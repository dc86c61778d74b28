import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTurns, type Turn, type Waiting } from '../../src/recordings/turns.ts';

/** A job at the recordingService of turns: what it was told, and its turn once it has it. */
function job(turns: ReturnType<typeof openTurns>, owner: string, options: object = {}) {
  const stop = new AbortController();
  const told: (Waiting | null)[] = [];
  let turn: Turn | undefined;
  const taken = turns
    .take({
      queue: 'engine',
      places: 1,
      owner,
      alone: false,
      signal: stop.signal,
      onWaiting: (waiting) => told.push(waiting),
      ...options,
    })
    .then((given) => (turn = given));
  return { taken, told, stop, has: () => turn !== undefined, end: () => turn?.release() };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('one job at a time has its turn at an engine, other engines are free', async () => {
  const turns = openTurns();
  const [first, second] = [job(turns, 'anna'), job(turns, 'anna')];
  const elsewhere = job(turns, 'anna', { queue: 'another engine' });
  await settled();
  assert.deepEqual([first.has(), second.has(), elsewhere.has()], [true, false, true]);
  first.end();
  await settled();
  assert.equal(second.has(), true);
});

test('a user with one job does not wait for all of a user with many', async () => {
  const turns = openTurns();
  const many = Array.from({ length: 5 }, () => job(turns, 'anna'));
  await settled();
  const one = job(turns, 'ben');
  await settled();
  many[0]!.end();
  await settled();
  assert.equal(one.has(), true, 'ben is next, though four of anna came before him');
  assert.equal(many[1]!.has(), false);
});

test('a waiting job is told what it waits for, and how many are ahead of it', async () => {
  const turns = openTurns(() => new Date('2026-01-01T00:00:00Z'));
  job(turns, 'anna');
  const second = job(turns, 'anna');
  const third = job(turns, 'anna');
  await settled();
  const since = '2026-01-01T00:00:00.000Z';
  assert.deepEqual(second.told.at(-1), { for: 'engine', ahead: 1, since });
  assert.deepEqual(third.told.at(-1), { for: 'engine', ahead: 2, since });
  second.stop.abort();
  await assert.rejects(second.taken);
  assert.deepEqual(third.told.at(-1), { for: 'engine', ahead: 1, since });
});

test('a job that has to run alone waits for all others and holds up the rest', async () => {
  const turns = openTurns();
  const running = job(turns, 'anna', { queue: 'another engine' });
  const alone = job(turns, 'ben', { alone: true });
  const later = job(turns, 'cora');
  await settled();
  assert.deepEqual([running.has(), alone.has(), later.has()], [true, false, false]);
  running.end();
  await settled();
  assert.deepEqual([alone.has(), later.has()], [true, false]);
  alone.end();
  await settled();
  assert.equal(later.has(), true);
});

test('two places let two jobs run, and a turn given back twice counts once', async () => {
  const turns = openTurns();
  const jobs = Array.from({ length: 4 }, () => job(turns, 'anna', { places: 2 }));
  await settled();
  assert.deepEqual(
    jobs.map((one) => one.has()),
    [true, true, false, false],
  );
  jobs[0]!.end();
  jobs[0]!.end();
  await settled();
  assert.deepEqual(
    jobs.map((one) => one.has()),
    [true, true, true, false],
  );
});

test('a job that is aborted while it waits leaves the queue', async () => {
  const turns = openTurns();
  const first = job(turns, 'anna');
  const gone = job(turns, 'anna');
  await settled();
  gone.stop.abort(new Error('cancelled'));
  await assert.rejects(gone.taken, /cancelled/);
  first.end();
  const next = job(turns, 'anna');
  await settled();
  assert.equal(next.has(), true);
});
