import assert from 'node:assert/strict';
import { appendFile, readFile, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openErasureList, openFileKeys } from '../../events/log/file-keys.ts';
import { KeyError, type KeyErrorCode } from '../../events/key-store.ts';
import { tempDir } from '../support/temp-dir.ts';

describe('Keys in files', () => {
  it('are made once, differ, and are there after a restart', async (test) => {
    const directory = join(await tempDir(test), 'keys');
    const keys = await openFileKeys(directory);
    const made = await Promise.all(Array.from({ length: 10 }, () => keys.obtain('R1')));
    for (const key of made) assert.deepEqual(key, made[0]);
    assert.equal(made[0]?.length, 32);
    assert.notDeepEqual(await keys.obtain('R2'), made[0]);
    const again = await openFileKeys(directory);
    assert.deepEqual(await again.find('R1'), made[0]);
    assert.deepEqual(await again.obtain('R1'), made[0]);
    assert.equal((await stat(join(directory, 'R1'))).mode & 0o777, 0o600);
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
  });

  it('are gone for good once forgotten, and listed', async (test) => {
    const directory = join(await tempDir(test), 'keys');
    const keys = await openFileKeys(directory);
    const secret = Buffer.from(await keys.obtain('R1'));
    await keys.forget('R1');
    await keys.forget('R1');
    await keys.forget('never-known');
    // At once: opening would destroy what is listed.
    assert.deepEqual(await readdir(directory), ['erased.jsonl']);
    for (const opened of [keys, await openFileKeys(directory)]) {
      assert.equal(await opened.find('R1'), 'erased');
      await fails(opened.obtain('R1'), 'ERASED');
      const subjects = (await opened.erasures()).map(({ subject }) => subject);
      assert.deepEqual(subjects, ['R1', 'never-known']);
    }
    assert.ok(!(await readFile(join(directory, 'erased.jsonl'))).includes(secret));
  });

  it('are missing, not erased, when somebody took the file away', async (test) => {
    const keys = await openFileKeys(await tempDir(test));
    await fails(keys.find('R1'), 'MISSING');
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
      await fails(keys.find('R1'), 'DAMAGED');
      // Nor is another one made over it.
      await fails(keys.obtain('R1'), 'DAMAGED');
    }
    await writeFile(path, bytes.subarray(0, -1));
    await fails((await openFileKeys(directory)).find('R1'), 'DAMAGED');
    await writeFile(path, bytes);
    await (await openFileKeys(directory)).find('R1');
  });

  it('are never named so that they could lie elsewhere', async (test) => {
    const keys = await openFileKeys(await tempDir(test));
    for (const subject of ['', '..', '../x', 'a/b', 'erased.jsonl', 'a\0', 'x'.repeat(129)]) {
      await assert.rejects(keys.obtain(subject), TypeError);
      await assert.rejects(keys.find(subject), TypeError);
      await assert.rejects(keys.forget(subject), TypeError);
    }
  });

  it('are not made while they are being forgotten', async (test) => {
    const directory = await tempDir(test);
    const keys = await openFileKeys(directory);
    const key = Buffer.from(await keys.obtain('R1'));
    const forgetting = keys.forget('R1');
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => keys.obtain('R1')));
    await forgetting;
    // Each got the key as it was, or was refused; none got another.
    for (const result of results) {
      if (result.status === 'fulfilled') assert.deepEqual(result.value, key);
      else assert.equal((result.reason as KeyError).code, 'ERASED');
    }
    await fails(keys.obtain('R1'), 'ERASED');
    assert.equal(await keys.find('R1'), 'erased');
    assert.ok(!(await readdir(directory)).includes('R1'));
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
    const keys = await openFileKeys(directory, (message) => named.push(message));
    assert.deepEqual(await keys.erasures(), [line]);
    // Whose erasure it was is not guessed at.
    await keys.find('R1');
    assert.match(named.join('\n'), /^Line 1 .*\nLine 3 /);
    await keys.forget('R2');
    assert.ok((await readFile(list, 'utf8')).startsWith(text), 'the lines stay as they are');
    // What applies a list to other data needs all of it.
    const error = await fails(openErasureList(list), 'DAMAGED');
    assert.match(error.message, /Line 1 /);
  });

  it('leaves no half-written key behind', async (test) => {
    const directory = await tempDir(test);
    await writeFile(join(directory, 'R1.tmp'), 'half');
    await (await openFileKeys(directory)).obtain('R1');
    assert.deepEqual(await readdir(directory), ['R1']);
  });
});

async function fails(promise: Promise<unknown>, code: KeyErrorCode): Promise<KeyError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof KeyError, String(error));
  assert.equal(error.code, code);
  return error;
}
