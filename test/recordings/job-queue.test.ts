import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openJobQueue, type Slot, type QueueWait } from '../../src/recordings/stages/job-queue.ts';

/** A job in the queue: what it waits for, and its slot once it has one. */
function job(jobQueue: ReturnType<typeof openJobQueue>, owner: string, options: object = {}) {
  const stop = new AbortController();
  const told: (QueueWait | null)[] = [];
  let turn: Slot | undefined;
  const taken = jobQueue
    .acquire({
      queue: 'engine',
      concurrency: 1,
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
  const jobQueue = openJobQueue();
  const [first, second] = [job(jobQueue, 'anna'), job(jobQueue, 'anna')];
  const elsewhere = job(jobQueue, 'anna', { queue: 'another engine' });
  await settled();
  assert.deepEqual([first.has(), second.has(), elsewhere.has()], [true, false, true]);
  first.end();
  await settled();
  assert.equal(second.has(), true);
});

test('a user with one job does not wait for all of a user with many', async () => {
  const jobQueue = openJobQueue();
  const many = Array.from({ length: 5 }, () => job(jobQueue, 'anna'));
  await settled();
  const one = job(jobQueue, 'ben');
  await settled();
  many[0]!.end();
  await settled();
  assert.equal(one.has(), true, 'ben is next, though four of anna came before him');
  assert.equal(many[1]!.has(), false);
});

test('a waiting job is told what it waits for, and how many are ahead of it', async () => {
  const jobQueue = openJobQueue(() => new Date('2026-01-01T00:00:00Z'));
  job(jobQueue, 'anna');
  const second = job(jobQueue, 'anna');
  const third = job(jobQueue, 'anna');
  await settled();
  const since = '2026-01-01T00:00:00.000Z';
  assert.deepEqual(second.told.at(-1), { for: 'turn', ahead: 1, since });
  assert.deepEqual(third.told.at(-1), { for: 'turn', ahead: 2, since });
  second.stop.abort();
  await assert.rejects(second.taken);
  await settled();
  assert.deepEqual(third.told.at(-1), { for: 'turn', ahead: 1, since });
});

test('a job that has to run alone waits for all others and holds up the rest', async () => {
  const jobQueue = openJobQueue();
  const running = job(jobQueue, 'anna', { queue: 'another engine' });
  const alone = job(jobQueue, 'ben', { alone: true });
  const later = job(jobQueue, 'cora');
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
  const jobQueue = openJobQueue();
  const jobs = Array.from({ length: 4 }, () => job(jobQueue, 'anna', { concurrency: 2 }));
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
  const jobQueue = openJobQueue();
  const first = job(jobQueue, 'anna');
  const gone = job(jobQueue, 'anna');
  await settled();
  gone.stop.abort(new Error('cancelled'));
  await assert.rejects(gone.taken, /cancelled/);
  first.end();
  const next = job(jobQueue, 'anna');
  await settled();
  assert.equal(next.has(), true);
});

test('what a job that comes or goes costs does not grow with the square of what waits', async () => {
  const costOf = async (waiting: number): Promise<number> => {
    const jobQueue = openJobQueue();
    const begun = process.cpuUsage();
    const jobs = Array.from({ length: waiting }, (_, at) => job(jobQueue, `user ${at % 7}`));
    await settled();
    jobs[0]!.end();
    await settled();
    return process.cpuUsage(begun).user;
  };
  await costOf(1000);
  const [some, many] = [await costOf(1000), await costOf(8000)];
  assert.ok(
    many < some * 32,
    `${many} against ${some} µs: not 64 times as much for eight times as many`,
  );
});
