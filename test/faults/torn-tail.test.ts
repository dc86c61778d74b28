import assert from 'node:assert/strict';
import { cp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { type LevelLog, openLog } from '../../events/log/level-log.ts';
import { plainFact } from '../support/sample-facts.ts';
import { tempDir } from '../support/temp-dir.ts';
import { seed, times } from '../support/seeded.ts';

/** Facts before the one that is torn. */
const acknowledged = 5;
/** What may lie where the rest of the record should be. */
const tails = times({ short: 1, long: 3 });
const kinds = ['nothing', 'zeros', 'noise'].slice(0, tails);
/** From one place to the next, in bytes. */
const step = times({ short: 5, long: 1 });

for (const kind of kinds) {
  test(`the last record torn at ${step === 1 ? 'every byte' : 'each fifth byte'}, behind it ${kind}: only that one is gone (SEED=${seed})`, async (t) => {
    const folder = await tempDir(t);
    const before = join(folder, 'before');
    const open = async (root: string): Promise<LevelLog> =>
      await openLog({ directory: join(root, 'log'), keys: await openFileKeys(join(root, 'keys')) });
    const append = (log: LevelLog, n: number) =>
      log.append('recording-a', [plainFact(`${n}`)], n - 1);
    const log = await open(before);
    for (let n = 1; n <= acknowledged; n += 1) await append(log, n);
    const name = (await readdir(join(before, 'log'))).find((file) => file.endsWith('.log'))!;
    const sound = await readFile(join(before, 'log', name));
    const head = await headOf(log, before);
    await append(log, acknowledged + 1);
    await log.close();
    const whole = await readFile(join(before, 'log', name));
    assert.ok(whole.length > sound.length + 200);

    let places = 0;
    for (let length = sound.length + (seed % step); length < whole.length; length += step) {
      places += 1;
      const root = join(folder, 'torn');
      await cp(before, root, { recursive: true });
      await writeFile(join(root, 'log', name), torn(whole, length, kind));
      // The process died while it wrote: nobody had been told, nothing had been noted.
      await writeFile(join(root, 'log', 'head'), head);
      const after = await open(root);
      try {
        assert.equal(after.health().state, 'ok', `cut at byte ${length} of ${whole.length}`);
        assert.equal(await after.head(), acknowledged);
        const commands: string[] = [];
        for await (const fact of after.readAll()) commands.push(fact.command);
        assert.deepEqual(commands, ['1', '2', '3', '4', '5']);
        assert.equal((await append(after, acknowledged + 1))[0]?.position, acknowledged + 1);
      } finally {
        await after.close();
        await rm(root, { recursive: true });
      }
    }
    t.diagnostic(`${places} places`);
  });
}

/** What had been noted of the head when all appends so far had been acknowledged. */
async function headOf(log: LevelLog, root: string): Promise<string> {
  const noted = () => readFile(join(root, 'log', 'head'), 'utf8');
  const expected = `{"position":${await log.head()}}`;
  for (let looks = 0; looks < 1_000; looks += 1) {
    if ((await noted()).includes(expected)) return await noted();
  }
  throw new Error('how far the log reaches was not noted');
}

function torn(whole: Buffer, length: number, kind: string): Buffer {
  const copy = kind === 'nothing' ? whole.subarray(0, length) : Buffer.from(whole);
  if (kind === 'zeros') copy.fill(0, length);
  if (kind === 'noise') for (let at = length; at < copy.length; at += 1) copy[at]! ^= 0x5a;
  return copy;
}
