import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Keys, encodeKey } from '../../../events/key-place.ts';
import { openFileKeys } from '../../../events/log/file-keys.ts';
import type { Ownership } from '../../../events/ownership.ts';
import { EventStoreError } from '../../../events/store.ts';
import { openBlobKeys } from '../../../src/storage/blobs/blob-keys.ts';
import type { Blobs } from '../../../src/storage/blobs/blobs.ts';
import { openBlobs } from '../../../src/storage/blobs/open-blobs.ts';
import { keysContract } from '../../events/keys-contract.ts';
import { s3Server } from '../../support/s3-server.ts';
import { sharedOwnership } from '../../support/shared-ownership.ts';
import { tempDir } from '../../support/temp-dir.ts';

const server = s3Server({ after });
let prefixes = 0;

/** A new store in a directory, or in a bucket whose server ignores conditions. */
async function place(directory: string, kind: 'file' | 's3'): Promise<string> {
  prefixes += 1;
  return kind === 'file' ? pathToFileURL(directory).href : (await server).url(`k${prefixes}`);
}

async function opened(
  test: TestContext,
  url: string,
  ownership: Ownership = sharedOwnership().node(),
): Promise<Blobs> {
  const blobs = await openBlobs(url, { logId: 'log', ownership });
  test.after(() => blobs.close());
  return blobs;
}

for (const kind of ['file', 's3'] as const) {
  keysContract(`Blobs (${kind})`, async (test, directory) => {
    const url = await place(directory, kind);
    return async () => await openBlobKeys(await opened(test, url));
  });

  describe(`Keys of several nodes (${kind})`, () => {
    it('are the same for those who ask for a new one at once', async (test) => {
      const url = await place(await tempDir(test), kind);
      const shared = sharedOwnership();
      const nodes: Keys[] = [];
      for (let index = 0; index < 4; index += 1)
        nodes.push(await openBlobKeys(await opened(test, url, shared.node())));
      for (let round = 0; round < 3; round += 1) {
        const keys = await Promise.all(nodes.map((node) => node.obtain(`R${round}`)));
        for (const key of keys) assert.deepEqual(key, keys[0]);
        for (const node of nodes) assert.deepEqual(await node.find(`R${round}`), keys[0]);
      }
    });

    it('cost a start as much however many were erased, and are gone where one came back', async (test) => {
      const url = await place(await tempDir(test), kind);
      const blobs = await opened(test, url);
      let heads = 0;
      const counting: Blobs = {
        ...blobs,
        head(key) {
          heads += 1;
          return blobs.head(key);
        },
      };
      const first = await openBlobKeys(blobs);
      await first.obtain('R0');
      const copy = encodeKey(await first.obtain('R1'));
      for (let one = 1; one <= 20; one += 1) await first.forget(`R${one}`);
      await blobs.put('keys/R1', copy);
      const next = await openBlobKeys(counting);
      await next.finishErasures();
      assert.equal(heads, 0);
      assert.equal(await blobs.head('keys/R1'), null);
      assert.ok(Buffer.isBuffer(await next.find('R0')));
      assert.equal((await next.erasures()).length, 20);
    });

    it('are not read from memory any more once another node erased them', async (test) => {
      const url = await place(await tempDir(test), kind);
      let now = 1_000;
      const blobs = await opened(test, url);
      const one = await openBlobKeys(blobs);
      const other = await openBlobKeys(await opened(test, url), { now: () => now });
      for (const subject of ['R1', 'R2']) {
        const key = await one.obtain(subject);
        assert.deepEqual(await other.find(subject), key);
      }
      // The fact is followed before the key is destroyed: it is not kept again meanwhile.
      other.drop('R1');
      assert.ok(Buffer.isBuffer(await other.find('R1')));
      await one.forget('R1');
      assert.equal(await other.find('R1'), 'erased');
      assert.equal(other.isErased('R1'), true);
      // Of a node that follows nothing, after a minute.
      await one.forget('R2');
      assert.ok(Buffer.isBuffer(await other.find('R2')));
      now += 60_001;
      assert.equal(await other.find('R2'), 'erased');
      const listed = async (keys: Keys) =>
        (await keys.erasures()).map(({ subject }) => subject).toSorted();
      assert.deepEqual(await listed(other), ['R1', 'R2']);
      // Listed by a node that died before it destroyed the key.
      await one.obtain('R3');
      await blobs.put('keys/erased.list/R3', Buffer.from('{}'));
      assert.equal(await other.find('R3'), 'erased');
      await (await openBlobKeys(blobs)).finishErasures();
      assert.equal(await blobs.head('keys/R3'), null);
    });
  });
}

describe('Keys of several nodes', () => {
  it('are those of the one process that there was before, and its erasures', async (test) => {
    const directory = await tempDir(test);
    const before = await openFileKeys(join(directory, 'keys'));
    const key = await before.obtain('R1');
    await before.obtain('R2');
    await before.forget('R2');
    const keys = await openBlobKeys(await opened(test, pathToFileURL(directory).href));
    assert.deepEqual(await keys.find('R1'), key);
    assert.equal(await keys.find('R2'), 'erased');
    assert.equal((await keys.obtain('R3')).length, 32);
    assert.equal((await readFile(join(directory, 'keys', 'R3'))).length, 69);
    await keys.forget('R3');
    const left = await readdir(join(directory, 'keys'));
    assert.deepEqual(left.toSorted(), ['R1', 'erased.jsonl', 'erased.list']);
  });

  it('are damaged, not erased, whichever bit was flipped; and wait while their store is away', async (test) => {
    const directory = await tempDir(test);
    await mkdir(join(directory, 'keys'), { mode: 0o700 });
    const path = join(directory, 'keys', 'R1');
    const keys = await openBlobKeys(await opened(test, pathToFileURL(directory).href));
    await writeFile(path, randomBytes(69));
    for (const asked of [keys.find('R1'), keys.obtain('R1')])
      await assert.rejects(asked, { code: 'DAMAGED' });
    const bucket = await openBlobKeys(await opened(test, await place('', 's3')));
    (await server).behave('busy');
    try {
      const away = await bucket.find('R1').catch((error: unknown) => error);
      assert.ok(away instanceof EventStoreError && away.code === 'BUSY', String(away));
    } finally {
      (await server).behave('well');
    }
  });
});
