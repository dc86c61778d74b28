import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands } from '../../projections/commands.ts';
import type { Projection } from '../../projections/runner/projection.ts';
import { recordings } from '../../projections/recordings.ts';
import { startProjections } from '../../projections/runner/runner.ts';
import { levelProjectionStorage } from '../../src/storage/level-rows.ts';
import { factTeller, tellImport } from '../support/fact-teller.ts';
import { rowsOf } from '../support/memory-projection-storage.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import { tempLog } from '../support/temp-log.ts';

const rounds = times({ short: 3, long: 100 });
const facts = 40;

test(`${rounds} times a projection throws: it alone stops, says so, and loses nothing (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  for (let round = 0; round < rounds; round += 1) {
    const store = await (await tempLog(t)).open();
    const storage = levelProjectionStorage(store.db);
    const fatal = 1 + random.below(facts);
    const broken: Projection = {
      ...recordings,
      apply(rows, fact) {
        if (fact.position === fatal) throw new TypeError('not as I expected');
        recordings.apply(rows, fact);
      },
    };
    const stopped: string[] = [];
    const first = startProjections({
      store,
      storage,
      projections: [broken, commands],
      onStopped: ({ name }) => stopped.push(name),
    });
    const teller = factTeller(store);
    // Some before it follows, some while it does.
    for (let n = 1; n <= facts; n += 1) await tellImport(teller, `r${n}`);
    await first.applied(commands.name, facts);
    await assert.rejects(first.applied(recordings.name, facts), { code: 'PROJECTION_STOPPED' });
    assert.deepEqual(stopped, [recordings.name]);
    // Who wants to append something that could not be read is told before.
    assert.throws(() => first.assertRunning([recordings.name]), { code: 'PROJECTION_STOPPED' });
    first.assertRunning([commands.name]);
    assert.equal(first.states().find(({ name }) => name === recordings.name)?.position, fatal - 1);
    await first.stop();

    // The next release can do it: it goes on where the other one stopped.
    const second = startProjections({ store, storage, projections: [recordings, commands] });
    await second.ready();
    await second.stop();
    const anew = levelProjectionStorage((await (await tempLog(t)).open()).db);
    const whole = startProjections({ store, storage: anew, projections: [recordings] });
    await whole.ready();
    await whole.stop();
    const rows = await rowsOf(storage, recordings.name);
    assert.deepEqual(rows, await rowsOf(anew, recordings.name));
    assert.ok(Object.keys(rows).length >= facts);
    await store.close();
  }
});
