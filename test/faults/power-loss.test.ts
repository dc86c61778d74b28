import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed, seeded, times } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { powered, type Powered } from './power-loss.ts';
import { runWriter } from './run-writer.ts';
import { checkKept, type Told } from './told.ts';

const rounds = times({ short: 6, long: 300 });
/** Lives on the same files; the first one's creation of everything is cut as well. */
const livesMax = 4;

test(
  `${rounds} power cuts at the n-th operation of a writer (SEED=${seed})`,
  { timeout: 3_600_000 },
  async (t) => {
    const random = seeded(seed);
    let place: Powered | undefined;
    let told: Told = { lines: [] };
    let life = 0;
    const took = { cuts: 0, names: 0, bytes: 0 };
    // Whether a cut takes a name depends on the moment: until one has.
    for (let round = 1; round <= rounds || (took.names === 0 && round <= 5 * rounds); round += 1) {
      life = (life % livesMax) + 1;
      if (!place || life === 1) {
        place = await powered(await tempDir(t));
        told = { lines: [] };
      }
      const { root } = place;
      const dieAt = 1 + random.below(life === 1 ? 60 : 250);
      const options = { root, life, seed, writers: 3, appends: 24 };
      const bytes = random.chance(0.2) ? 40_000 : 200;
      const env = await place.env(dieAt);
      const { how, lines } = await runWriter(told, { ...options, bytes }, { env });
      assert.notEqual(how, 'refused', JSON.stringify(lines.at(-1)));
      const lost = await place.cut(random.chance(0.5) ? undefined : random);
      if (how === 'killed') took.cuts += 1;
      took.names += lost.names;
      took.bytes += lost.bytes;
      await checkKept(root, told);
    }
    t.diagnostic(`${took.cuts} cuts took ${took.names} names and ${took.bytes} bytes back`);
    assert.ok(took.cuts > rounds / 2 && took.names > 0, 'a run without losses shows nothing');
  },
);

test('a log that was just made, and closed, is there after a power cut', async (t) => {
  const place = await powered(await tempDir(t));
  const told: Told = { lines: [] };
  const options = { root: place.root, life: 1, seed, writers: 2, appends: 10, bytes: 200 };
  assert.equal((await runWriter(told, options, { env: await place.env(0) })).how, 'done');
  await place.cut();
  await checkKept(place.root, told);
});

test('this harness notices a disk that says it has synced and has not', async (t) => {
  const place = await powered(await tempDir(t));
  const told: Told = { lines: [] };
  const options = { root: place.root, seed, writers: 2, appends: 10, bytes: 200 };
  await runWriter(told, { ...options, life: 1 }, { env: await place.env(0) });
  await checkKept(place.root, told);
  const env = { ...(await place.env(0)), POWER_LIES: '1' };
  assert.equal((await runWriter(told, { ...options, life: 2 }, { env })).how, 'done');
  await place.cut();
  await assert.rejects(checkKept(place.root, told), { name: 'AssertionError' });
});
