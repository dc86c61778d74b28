import assert from 'node:assert/strict';
import { appendFile, link, readFile, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openErasureList, openFileKeys } from '../../events/log/file-keys.ts';
import { tempDir } from '../support/temp-dir.ts';
import { failsWith, keysContract } from './keys-contract.ts';

keysContract('Files', async (_, directory) => async () => await openFileKeys(directory));

describe('Keys in files', () => {
  it('are for their owner only', async (test) => {
    const directory = join(await tempDir(test), 'keys');
    await (await openFileKeys(directory)).obtain('R1');
    assert.equal((await stat(join(directory, 'R1'))).mode & 0o777, 0o600);
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
  });

  it('leave nothing of themselves once forgotten', async (test) => {
    const directory = join(await tempDir(test), 'keys');
    const keys = await openFileKeys(directory);
    const secret = Buffer.from(await keys.obtain('R1'));
    await keys.forget('R1');
    // At once: opening would destroy what is listed.
    assert.deepEqual(await readdir(directory), ['erased.jsonl']);
    assert.ok(!(await readFile(join(directory, 'erased.jsonl'))).includes(secret));
  });

  it('are overwritten before their name goes, also when that failed the first time', async (test) => {
    const directory = join(await tempDir(test), 'keys');
    const keys = await openFileKeys(directory);
    const secret = Buffer.from(await keys.obtain('R1'));
    // What the disk has when the name is gone.
    const disk = join(await tempDir(test), 'disk');
    await link(join(directory, 'R1'), disk);
    await keys.forget('R1');
    assert.ok(!(await readFile(disk)).includes(secret));
    await writeFile(join(directory, 'R1'), secret);
    await keys.forget('R1');
    assert.deepEqual(await readdir(directory), ['erased.jsonl']);
  });

  it('are damaged, not erased, whichever bit was flipped or byte lost', async (test) => {
    const directory = await tempDir(test);
    await (await openFileKeys(directory)).obtain('R1');
    const path = join(directory, 'R1');
    const bytes = await readFile(path);
    for (let at = 0; at < bytes.length; at += 1) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      await writeFile(path, flipped);
      const keys = await openFileKeys(directory);
      await failsWith(keys.find('R1'), 'DAMAGED');
      // Nor is another one made over it.
      await failsWith(keys.obtain('R1'), 'DAMAGED');
    }
    await writeFile(path, bytes.subarray(0, -1));
    await failsWith((await openFileKeys(directory)).find('R1'), 'DAMAGED');
    await writeFile(path, bytes);
    await (await openFileKeys(directory)).find('R1');
  });
});

describe('An erasure that a crash interrupted', () => {
  it('is finished at the next start when it was listed', async (test) => {
    const directory = await tempDir(test);
    await (await openFileKeys(directory)).obtain('R1');
    const line = { subject: 'R1', at: '2026-01-01T00:00:00.000Z' };
    await writeFile(join(directory, 'erased.jsonl'), `${JSON.stringify(line)}\n`);
    const keys = await openFileKeys(directory);
    assert.equal(await keys.find('R1'), 'erased');
    assert.deepEqual(await readdir(directory), ['erased.jsonl']);
    assert.deepEqual(await keys.erasures(), [line]);
  });

  it('is completed or undone wherever its line was torn', async (test) => {
    const directory = await tempDir(test);
    const list = join(directory, 'erased.jsonl');
    const first = `${JSON.stringify({ subject: 'R0', at: '2026-01-01T00:00:00.000Z' })}\n`;
    const line = JSON.stringify({ subject: 'R1', at: '2026-01-02T00:00:00.000Z' });
    for (let length = 1; length <= line.length; length += 1) {
      await truncate(list, 0).catch(() => {});
      await appendFile(list, first + line.slice(0, length));
      const keys = await openFileKeys(directory);
      const named = line.slice(0, length).includes('"R1"');
      assert.deepEqual(
        (await keys.erasures()).map(({ subject }) => subject),
        named ? ['R0', 'R1'] : ['R0'],
        line.slice(0, length),
      );
      // What comes next must not be glued to the torn line.
      await keys.forget('R2');
      const again = await openFileKeys(directory);
      assert.equal(await again.find('R2'), 'erased');
    }
  });

  it('is left out and named when its line cannot be read, and the others count', async (test) => {
    const directory = await tempDir(test);
    const list = join(directory, 'erased.jsonl');
    await (await openFileKeys(directory)).obtain('R1');
    const line = { subject: 'R3', at: '2026-01-01T00:00:00.000Z' };
    const text = `{"subject":"R1"\n${JSON.stringify(line)}\n{}\n`;
    await writeFile(list, text);
    const named: string[] = [];
    const keys = await openFileKeys(directory, ({ message }) => named.push(message));
    assert.deepEqual(await keys.erasures(), [line]);
    // Whose erasure it was is not guessed at.
    await keys.find('R1');
    assert.match(named.join('\n'), /^Line 1 .*\nLine 3 /);
    await keys.forget('R2');
    assert.ok((await readFile(list, 'utf8')).startsWith(text), 'the lines stay as they are');
    // What applies a list to other data needs all of it.
    const error = await failsWith(openErasureList(list), 'DAMAGED');
    assert.match(error.message, /Line 1 /);
  });

  it('leaves no half-written key behind', async (test) => {
    const directory = await tempDir(test);
    await writeFile(join(directory, 'R1.tmp'), 'half');
    await (await openFileKeys(directory)).obtain('R1');
    assert.deepEqual(await readdir(directory), ['R1']);
  });
});
