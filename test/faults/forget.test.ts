import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { seed, seeded } from '../support/seeded.ts';
import { testProgram } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';
import { powered } from './power-loss.ts';

/** More operations than forgetting takes. */
const operationsMax = 30;

for (const cuts of [false, true]) {
  const fault = cuts ? `a power cut (SEED=${seed})` : 'SIGKILL';
  test(`${fault} at every operation of forgetting: the key is as it was, or erased and nowhere on the disk`, async (t) => {
    const random = seeded(seed);
    const place = await powered(await tempDir(t));
    const directory = join(place.root, 'keys');
    /** The same blocks of the disk under another name, which nobody removes. */
    const blocks = join(place.folder, 'blocks');
    await mkdir(blocks);
    const keys = await openFileKeys(directory);
    const secrets = new Map<string, Buffer>();
    for (let at = 1; at <= operationsMax; at += 1) {
      secrets.set(`R${at}`, Buffer.from(await keys.obtain(`R${at}`)));
      await link(join(directory, `R${at}`), join(blocks, `R${at}`));
    }
    const seen = { kept: 0, erased: 0 };
    let through = false;
    let last = '';
    for (let at = 1; !through; at += 1) {
      assert.ok(at <= operationsMax, 'it never came to its end');
      const subject = `R${at}`;
      last = join(directory, subject);
      through = await forgetting(directory, subject, await place.env(at));
      if (cuts) await place.cut(random.chance(0.5) ? undefined : random);
      const found = await (await openFileKeys(directory)).find(subject);
      if (found === 'erased') {
        const left = await readFile(join(blocks, subject));
        assert.ok(!left.includes(secrets.get(subject)!), `at ${at} the key can still be read`);
        seen.erased += 1;
      } else {
        assert.deepEqual(found, secrets.get(subject));
        seen.kept += 1;
      }
      if (through) assert.equal(found, 'erased', 'it was said to be forgotten');
    }
    // In the life that came to its end: overwritten on the disk before the name went.
    const journal = (await readFile(join(place.folder, 'journal'), 'utf8')).split('\n');
    const synced = journal.findIndex((line) => line.startsWith(`S\t${last}\t`));
    const removed = journal.findIndex((line) => line.startsWith(`U\t${last}\t`));
    assert.ok(synced >= 0 && synced < removed, journal.join('\n'));
    assert.ok(seen.kept > 0 && seen.erased > 1, JSON.stringify(seen));
    t.diagnostic(JSON.stringify(seen));
  });
}

/** Whether it came to its end; false: it was killed. */
async function forgetting(
  directory: string,
  subject: string,
  env: Record<string, string>,
): Promise<boolean> {
  const script = testProgram('test/faults/forgetter');
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [script, directory, subject], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (signal === 'SIGKILL') return said === 'forgotten';
  assert.deepEqual([code, said], [0, 'forgotten']);
  return true;
}
