import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, describe, it } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { type Blobs, BlobsError, type BlobsErrorCode } from '../../../src/storage/blobs/blobs.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** Two nodes that have one empty store. */
export type TwoNodes = { one: Blobs; other: Blobs };

/** More than one part of S3's, and no multiple of one. */
const largeBytes = 17 * 1024 ** 2 + 1;

/** What every store of blobs must hold to. */
export function blobsContract(
  name: string,
  makeNodes: (test: TestContext) => Promise<TwoNodes>,
): void {
  const check = (
    title: string,
    run: (nodes: TwoNodes, test: TestContext) => Promise<void>,
  ): void => {
    it(title, async (test) => run(await makeNodes(test), test));
  };

  describe(`${name} keeps blobs`, () => {
    check('whole and in ranges, for every node, until they are deleted', async ({ one, other }) => {
      assert.equal(await one.get('a/b'), null);
      assert.equal(await one.head('a/b'), null);
      const began = Date.now();
      assert.equal(await one.put('a/b', Buffer.from('0123456789')), true);
      assert.equal(await textOf(other, 'a/b'), '0123456789');
      const part = (await other.get('a/b', { range: { start: 2, end: 4 } }))!;
      assert.equal((await buffer(part.body)).toString(), '234');
      assert.equal(part.bytes, 10);
      const head = (await other.head('a/b'))!;
      assert.equal(head.bytes, 10);
      assert.ok(Math.abs(head.modifiedAt.getTime() - began) < 60_000);
      await one.put('a/b', Buffer.from('another'));
      assert.equal(await textOf(other, 'a/b'), 'another');
      assert.notEqual((await other.head('a/b'))!.etag, head.etag);
      await other.delete('a/b');
      await one.delete('a/b');
      assert.equal(await one.get('a/b'), null);
      await one.put('empty', new Uint8Array());
      assert.equal(await textOf(other, 'empty'), '');
    });

    check('from files, large ones too, by their SHA-256', async ({ one, other }, test) => {
      const folder = await tempDir(test);
      for (const bytes of [randomBytes(1000), randomBytes(largeBytes)]) {
        const path = join(folder, 'file');
        await writeFile(path, bytes);
        const sha256 = sha256Of(bytes);
        const wrong = sha256.replaceAll(/[0-9a-f]/g, (digit) => (digit === '0' ? '1' : '0'));
        await fails(one.put('file', { path }, { sha256: wrong }), 'BLOBS_DIFFER');
        await fails(one.put('file', bytes, { sha256: wrong }), 'BLOBS_DIFFER');
        assert.equal(await other.head('file'), null);
        assert.equal(await one.put('file', { path }, { sha256, ifAbsent: true }), true);
        assert.equal(await one.put('file', { path }, { sha256, ifAbsent: true }), false);
        const stored = await buffer((await other.get('file'))!.body);
        assert.ok(stored.equals(bytes));
        await one.delete('file');
      }
    });

    check('the first of those that are put at once and only if there is none', async (nodes) => {
      const { one, other } = nodes;
      const put = (index: number) =>
        (index % 2 === 0 ? one : other).put('first', Buffer.from(String(index)), {
          ifAbsent: true,
        });
      const stored = await Promise.all(Array.from({ length: 10 }, (_, index) => put(index)));
      const first = stored.indexOf(true);
      assert.equal(stored.filter(Boolean).length, 1);
      assert.equal(await textOf(other, 'first'), String(first));
    });

    check('of those that replace one and the same only one', async ({ one, other }) => {
      await one.put('doc', Buffer.from('old'));
      const { etag } = (await other.head('doc'))!;
      const put = (index: number) =>
        (index % 2 === 0 ? one : other).put('doc', Buffer.from(`new ${index}`), { ifMatch: etag });
      const stored = await Promise.all(Array.from({ length: 6 }, (_, index) => put(index)));
      assert.equal(stored.filter(Boolean).length, 1);
      assert.equal(await textOf(one, 'doc'), `new ${stored.indexOf(true)}`);
      await one.delete('doc');
      assert.equal(await one.put('doc', Buffer.from('new'), { ifMatch: etag }), false);
      assert.equal(await one.head('doc'), null);
    });

    check('and lists them by folder', async ({ one, other }) => {
      const keys = ['a/1', 'a/b/2', 'ab/3', 'ä ö/4 %2F', '5'];
      for (const key of keys) await one.put(key, Buffer.from(key));
      assert.deepEqual(await keysOf(other, 'a/'), ['a/1', 'a/b/2']);
      assert.deepEqual(await keysOf(other, 'ä ö/'), ['ä ö/4 %2F']);
      assert.deepEqual(await keysOf(other, 'none/'), []);
      const all = await keysOf(other, '');
      for (const key of keys) assert.ok(all.includes(key), key);
      assert.equal(await textOf(other, 'ä ö/4 %2F'), 'ä ö/4 %2F');
    });

    check('from files that are moved into it', async ({ one, other }, test) => {
      const folder = await tempDir(test);
      for (const bytes of [randomBytes(1000), randomBytes(largeBytes)]) {
        const path = join(folder, 'file');
        await writeFile(path, bytes);
        await one.move('new/file', { path, sha256: sha256Of(bytes) });
        await assert.rejects(access(path), { code: 'ENOENT' });
        const stored = await buffer((await other.get('new/file'))!.body);
        assert.ok(stored.equals(bytes));
        const at = other.pathOf('new/file');
        if (at !== null) assert.ok((await readFile(at)).equals(bytes));
      }
    });

    check('as many bytes as it says, below each name', async ({ one, other }) => {
      assert.deepEqual(await one.measure('spaces/'), new Map());
      const keys = ['spaces/ada/1', 'spaces/ada/in/2', 'spaces/ben/3', 'spaces/4', 'other/5'];
      for (const [index, key] of keys.entries()) await one.put(key, randomBytes(10 ** index));
      assert.deepEqual(
        [...(await other.measure('spaces/'))].toSorted(([a], [b]) => (a < b ? -1 : 1)),
        Object.entries({ 4: 1000, ada: 11, ben: 100 }).map(([name, bytes]) => [
          name,
          { bytes, unread: 0 },
        ]),
      );
      const over = AbortSignal.abort();
      await assert.rejects(one.measure('spaces/', over), { name: 'AbortError' });
    });

    check('until all below a prefix is removed', async ({ one, other }) => {
      for (const key of ['a/1', 'a/b/2', 'ab/3']) await one.put(key, Buffer.from(key));
      await one.deleteAll('a/');
      await other.deleteAll('a/');
      assert.deepEqual(await keysOf(other, 'a/'), []);
      assert.deepEqual(await keysOf(other, 'ab/'), ['ab/3']);
      await one.put('a/1', Buffer.from('new'));
      assert.equal(await textOf(other, 'a/1'), 'new');
    });

    check('under no name that leads elsewhere', async ({ one }) => {
      const names = [
        '',
        '/',
        '/a',
        'a/',
        'a//b',
        '..',
        '../a',
        'a/../../b',
        '.hidden',
        'a\0',
        'a\\b',
      ];
      for (const key of [...names, 'x'.repeat(256), 'x/'.repeat(500) + 'x']) {
        await assert.rejects(one.put(key, Buffer.from('x')), TypeError);
        await assert.rejects(one.get(key), TypeError);
        await assert.rejects(one.head(key), TypeError);
        await assert.rejects(one.delete(key), TypeError);
        if (one.pathOf('a') !== null) assert.throws(() => one.pathOf(key), TypeError);
      }
      await assert.rejects(keysOf(one, 'a'), TypeError);
      await assert.rejects(keysOf(one, '../'), TypeError);
      await assert.rejects(one.deleteAll('../'), TypeError);
      await assert.rejects(one.deleteAll(''), TypeError);
    });
  });
}

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export async function textOf(blobs: Blobs, key: string): Promise<string> {
  const found = await blobs.get(key);
  assert.ok(found, `nothing is under ${key}`);
  return (await buffer(found.body)).toString('utf8');
}

export async function keysOf(blobs: Blobs, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(prefix)) keys.push(key);
  return keys.toSorted();
}

export async function fails(promise: Promise<unknown>, code: BlobsErrorCode): Promise<BlobsError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof BlobsError, String(error));
  assert.equal(error.code, code);
  return error;
}
