import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { seed, seeded, times } from '../support/seeded.ts';
import { preloadable } from './power-loss.ts';
import { strace } from './strace.ts';
import { trial } from './trial.ts';

const rounds = times({ short: 2, long: 30 });
const uploads = 2;
const one = { UV_THREADPOOL_SIZE: '1' };

test(
  `${rounds} times SIGKILL at the n-th sync of the service (SEED=${seed})`,
  { timeout: 3_600_000 },
  async (t) => {
    const random = seeded(seed);
    const { start, upload, check, acknowledged, held } = await trial(t);
    let killed = 0;
    for (let round = 0; round < rounds; round += 1) {
      const call = random.pick(['fdatasync', 'fsync']);
      const nth = (call === 'fsync' ? 4 : 10) + random.below(call === 'fsync' ? 20 : 40);
      const kill = strace(`${call}:signal=SIGKILL:when=${nth}`);
      // Dead before it said where it listens: the next one is to start all the same.
      const doomed = await start(one, kill).catch(() => undefined);
      for (let n = 0; doomed && n < uploads; n += 1) {
        await upload(doomed, random.chance(0.3) ? 'meeting' : 'solo').catch(() => undefined);
      }
      if (doomed) await Promise.race([check(doomed).catch(() => undefined), doomed.ended]);
      if (!doomed || (await doomed.end('SIGKILL')) === null) killed += 1;
      const service = await start();
      await check(service);
      await service.end('SIGTERM');
    }
    assert.ok(acknowledged() > 0 && killed > 0);
    t.diagnostic(`${killed} of ${rounds} kills hit, ${acknowledged()} uploads were acknowledged`);
    t.diagnostic(JSON.stringify(held()));
  },
);

for (const error of ['EIO', 'ENOSPC']) {
  test(
    `${rounds} times ${error} at some syncs of the running service (SEED=${seed})`,
    { timeout: 3_600_000 },
    async (t) => {
      const random = seeded(seed);
      const { start, upload, check, acknowledged, held } = await trial(t);
      for (let round = 0; round < rounds; round += 1) {
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
      assert.ok(acknowledged() > 0);
      t.diagnostic(JSON.stringify(held()));
    },
  );
}

test(`a disk that takes 5 ms for each sync (SEED=${seed})`, { timeout: 600_000 }, async (t) => {
  const { start, uploadMany, check, dataDir } = await trial(t);
  const library = await preloadable('slow.c', dirname(dataDir));
  const service = await start({ LD_PRELOAD: library, SLOW_SYNC_MS: '5' });
  await uploadMany(service, times({ short: 4, long: 40 }));
  await check(service);
  assert.equal(await service.end('SIGTERM'), 0);
});
