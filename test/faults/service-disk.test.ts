import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { seed, seeded, times } from '../support/seeded.ts';
import { durableCalls, type DurableCall } from './calls.ts';
import { strace } from './strace.ts';
import { trial, type Trial } from './trial.ts';

const rounds = times({ short: 1, long: 30 });
/** A seed whose kills all come before the first answer goes on to one that comes behind it. */
const furtherMax = 6;
const uploads = 2;
const one = { UV_THREADPOOL_SIZE: '1' };
/** All these tests harm one data directory after the other's harm: it is whole again after each. */
const place = await trial({ after });
const calls = await durableCalls({ after });

test(
  `${rounds} times SIGKILL at the n-th sync of the service (SEED=${seed})`,
  { timeout: 3_600_000 },
  async (t) => {
    const random = seeded(seed);
    const acknowledgedBefore = place.acknowledged();
    let killed = 0;
    const isShown = () => killed > 0 && place.acknowledged() > acknowledgedBefore;
    let round = 0;
    for (; round < rounds || (!isShown() && round < rounds + furtherMax); round += 1) {
      const call = random.pick<DurableCall>(['fdatasync', 'fsync']);
      const nth = (call === 'fsync' ? 4 : 10) + random.below(call === 'fsync' ? 20 : 40);
      const kinds = Array.from({ length: uploads }, () =>
        random.chance(0.3) ? 'meeting' : 'solo',
      );
      if (await diesOf(place, calls.dieAt(call, nth), kinds)) killed += 1;
      const service = await place.start();
      await place.check(service);
      await service.end('SIGTERM');
    }
    const acknowledged = place.acknowledged() - acknowledgedBefore;
    t.diagnostic(`${killed} of ${round} kills hit, ${acknowledged} were acknowledged`);
    t.diagnostic(JSON.stringify(place.held()));
    assert.ok(isShown());
  },
);

test('a kill that cannot happen is not counted as one', { timeout: 600_000 }, async () => {
  assert.equal(await diesOf(place, calls.dieAt('fsync', 60_000), ['solo']), false);
});

for (const error of ['EIO', 'ENOSPC']) {
  test(
    `${rounds} times ${error} at some syncs of the running service (SEED=${seed})`,
    { timeout: 3_600_000 },
    async (t) => {
      const random = seeded(seed);
      const { start, upload, check, acknowledged, held } = place;
      const before = acknowledged();
      const isShown = () => acknowledged() > before;
      for (let round = 0; round < rounds || (!isShown() && round < furtherMax); round += 1) {
        const from = 12 + random.below(30);
        const fault = `fdatasync:error=${error}:when=${from}..${from + random.below(3)}`;
        const service = await start(one, strace(fault));
        for (let n = 0; n < uploads; n += 1) {
          // Refused with a reason, or acknowledged.
          await upload(service, 'solo').catch((refused: Error) =>
            assert.match(refused.message, /: (503|507) .*\/problems\//),
          );
        }
        // It comes back by itself: nobody starts it again.
        await check(service);
        assert.equal(await service.end('SIGTERM'), 0);
      }
      assert.ok(isShown());
      t.diagnostic(JSON.stringify(held()));
    },
  );
}

test(`a disk that takes 5 ms for each sync (SEED=${seed})`, { timeout: 600_000 }, async () => {
  const { start, uploadMany, check } = place;
  const service = await start(calls.slow(5));
  await uploadMany(service, times({ short: 2, long: 40 }));
  await check(service);
  assert.equal(await service.end('SIGTERM'), 0);
});

/**
 * Runs the service under a fault that kills it, through uploads and all that follows of them; ends
 * it in order when it is still there.
 * @returns whether the fault killed it. @throws what is wrong with a service that lives on
 */
async function diesOf(
  { start, upload, check }: Trial,
  fault: Record<string, string>,
  kinds: readonly ('solo' | 'meeting')[],
): Promise<boolean> {
  // Dead before it said where it listens: the next one is to start all the same.
  const service = await start({ ...one, ...fault }).catch((error: Error) => {
    if (/ended with null/.test(error.message)) return undefined;
    throw error;
  });
  if (!service) return true;
  const work = (async () => {
    for (const kind of kinds) await upload(service, kind);
    await check(service);
  })().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const failure = await Promise.race([work, service.ended.then(() => undefined)]);
  // A service that lives ends with 0; null: a signal ended it, and this one does not.
  const code = await service.end('SIGTERM');
  if (code === null) return true;
  assert.equal(code, 0);
  if (failure) throw failure.error;
  return false;
}
