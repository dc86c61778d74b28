import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed, seeded, times } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { powered } from './power-loss.ts';
import { trial } from './trial.ts';

const rounds = times({ short: 2, long: 30 });
const roundsMax = rounds + 10;

test(
  `${rounds} power cuts of the whole service (SEED=${seed})`,
  { timeout: 3_600_000 },
  async (t) => {
    const random = seeded(seed);
    const place = await powered(await tempDir(t));
    const { start, upload, check, acknowledged, held } = await trial(t, place.folder);
    const took = { cuts: 0, names: 0, bytes: 0 };
    const isEmpty = () => acknowledged() === 0 || took.names + took.bytes === 0;
    // A cut may come before anything was uploaded, or take nothing: then there are more of them.
    for (let round = 0; round < rounds || (isEmpty() && round < roundsMax); round += 1) {
      const doomed = await start(await place.env(25 + random.below(120))).catch(() => undefined);
      for (let n = 0; doomed && n < 2; n += 1) await upload(doomed, 'solo').catch(() => undefined);
      // The rest happens while it works; what it was not killed in is cut where it has come to.
      if (doomed) await Promise.race([check(doomed).catch(() => undefined), doomed.ended]);
      await doomed?.end('SIGKILL');
      const lost = await place.cut(random.chance(0.5) ? undefined : random);
      took.cuts += 1;
      took.names += lost.names;
      took.bytes += lost.bytes;
      const service = await start();
      await check(service);
      await service.end('SIGTERM');
    }
    assert.ok(!isEmpty(), JSON.stringify(took));
    t.diagnostic(`${JSON.stringify(took)}; ${acknowledged()} uploads were acknowledged`);
    t.diagnostic(JSON.stringify(held()));
  },
);
