import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { seed, seeded, times } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { durableCalls, type DurableCall } from './calls.ts';
import { runWriter } from './run-writer.ts';
import { checkKept, type Told } from './told.ts';

const rounds = times({ short: 8, long: 200 });
/** Lives on the same files; the last one of each is not disturbed. */
const livesMax = 5;

test(
  `${rounds} times SIGKILL at the n-th fsync or fdatasync of a writer (SEED=${seed})`,
  { timeout: 3_600_000 },
  async (t) => {
    const random = seeded(seed);
    const calls = await durableCalls(t);
    let killed = 0;
    let life = 0;
    let root = '';
    let told: Told = { lines: [] };
    for (let round = 1; round <= rounds; round += 1) {
      life = (life % livesMax) + 1;
      if (life === 1) {
        root = join(await tempDir(t), 'data');
        told = { lines: [] };
      }
      // fsync: keys, erasures, documents, directories; fdatasync: LevelDB.
      const call = random.pick<DurableCall>(['fsync', 'fdatasync']);
      const nth = 1 + random.below(random.chance(0.3) ? 8 : 25);
      const bytes = random.chance(0.2) ? 40_000 : 200;
      const { how } = await runWriter(
        told,
        { root, life, seed, writers: 3, appends: 24, bytes },
        { env: calls.dieAt(call, nth) },
      );
      assert.ok(how === 'killed' || how === 'done', how);
      if (how === 'killed') killed += 1;
      await checkKept(root, told);
    }
    assert.ok(killed > rounds / 2, `only ${killed} of ${rounds} kills hit`);
    const undisturbed = { root, life: livesMax + 1, seed, writers: 3, appends: 24, bytes: 200 };
    const { how } = await runWriter(told, undisturbed);
    assert.equal(how, 'done', 'and it goes on');
    await checkKept(root, told);
    t.diagnostic(`${killed} of ${rounds} kills hit`);
  },
);
