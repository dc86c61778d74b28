import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { seed, seeded, times } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { specimen, type Verdict } from './damaged-files.ts';

const flips = times({ short: 30, long: 300 });

for (const ending of ['.log', '.ldb']) {
  test(
    `${flips} flipped bits in ${ending} files are noticed, or change nothing (SEED=${seed})`,
    { timeout: 3_600_000 },
    async (t) => {
      const random = seeded(seed);
      const { files, harm } = await specimen(await tempDir(t), 150, seed);
      const verdicts: Record<Verdict, number> = {
        refused: 0,
        damaged: 0,
        aborted: 0,
        harmless: 0,
        unnoticed: 0,
      };
      const unnoticed: string[] = [];
      const names = await files(ending);
      for (let flip = 0; flip < flips; flip += 1) {
        const name = random.pick(names);
        const [where, bit] = [random.next(), random.below(8)];
        let at = 0;
        const verdict = await harm(async (directory) => {
          at = await flipBit(join(directory, name), where, bit);
        });
        verdicts[verdict] += 1;
        if (verdict === 'unnoticed') unnoticed.push(`bit ${bit} of byte ${at} of ${name}`);
      }
      t.diagnostic(JSON.stringify(verdicts));
      assert.deepEqual(unnoticed, []);
      assert.equal(verdicts.aborted, 0, 'LevelDB ended the process, and nobody had foreseen it');
      assert.ok(verdicts.damaged + verdicts.refused > flips / 5, 'many bits matter');
    },
  );
}

/** @param where 0 to 1 */
async function flipBit(path: string, where: number, bit: number): Promise<number> {
  const file = await open(path, 'r+');
  try {
    const at = Math.floor(where * (await file.stat()).size);
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    byte[0]! ^= 1 << bit;
    await file.write(byte, 0, 1, at);
    return at;
  } finally {
    await file.close();
  }
}
