import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, readdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, after, describe, it, test } from 'node:test';
import { openBlobs } from '../../../src/storage/blobs/open-blobs.ts';
import { bucketUploads } from '../../../src/storage/uploads/bucket-uploads.ts';
import { folderUploads } from '../../../src/storage/uploads/folder-uploads.ts';
import {
  type UnfinishedUploads,
  removeUploadsOf,
} from '../../../src/storage/uploads/unfinished-uploads.ts';
import { s3Server } from '../../support/s3-server.ts';
import { sharedOwnership } from '../../support/shared-ownership.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** Two nodes that have the same uploads. */
type Nodes = { one: UnfinishedUploads; other: UnfinishedUploads };

const server = s3Server({ after });
let prefixes = 0;

const kinds: Record<string, (test: TestContext) => Promise<Nodes>> = {
  'Unfinished uploads in a folder': async (test) => {
    const folder = join(await tempDir(test), 'resumable');
    return { one: folderUploads(folder), other: folderUploads(folder) };
  },
  'Unfinished uploads in a bucket': async (test) => {
    prefixes += 1;
    const ownership = sharedOwnership().node();
    const blobs = await openBlobs((await server).url(`u${prefixes}`), { logId: 'log', ownership });
    test.after(() => blobs.close());
    const node = async () => bucketUploads(blobs, await tempDir(test));
    return { one: await node(), other: await node() };
  },
};

const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
const metadata = { owner: 'ada', command: 'once', filename: 'Visit to the doctor.wav' };
const bytesOf = (bytes: Buffer): Readable => Readable.from([bytes]);

for (const [name, makeNodes] of Object.entries(kinds)) {
  describe(name, () => {
    it('go on at any node, and are one file when they are complete', async (test) => {
      const { one, other } = await makeNodes(test);
      assert.equal(await one.infoOf(first), null);
      assert.equal(await one.begunBy('once'), null);
      assert.deepEqual(await one.underWay(), []);
      const creation_date = '2026-01-02T03:04:05.000Z';
      await one.put(first, { metadata, creation_date });
      assert.deepEqual(await other.infoOf(first), { metadata, creation_date, isOver: false });
      assert.equal((await other.begunBy('once'))?.id, first);
      assert.equal(await other.begunBy('twice'), null);

      const bytes = randomBytes(9 * 1024 ** 2 + 5);
      assert.equal(await one.append(first, 0, bytesOf(bytes.subarray(0, 10))), 10);
      const large = bytes.subarray(10, 9 * 1024 ** 2);
      assert.equal(await other.append(first, 10, bytesOf(large)), 9 * 1024 ** 2);
      assert.equal(await one.bytesOf(first), 9 * 1024 ** 2);
      await other.put(first, { metadata, creation_date, size: bytes.length });
      const rest = bytes.subarray(9 * 1024 ** 2);
      assert.equal(await one.append(first, 9 * 1024 ** 2, bytesOf(rest)), bytes.length);
      assert.deepEqual(await other.underWay(), [
        { id: first, info: { metadata, creation_date, size: bytes.length }, bytes: bytes.length },
      ]);
      const moved = join(await tempDir(test), 'moved');
      await other.withFile(first, (path) => rename(path, moved));
      assert.ok((await readFile(moved)).equals(bytes));

      await other.end(first);
      await one.end(first);
      assert.deepEqual(await one.infoOf(first), {
        metadata: { owner: 'ada', command: 'once' },
        size: bytes.length,
        creation_date,
        isOver: true,
      });
      assert.equal((await one.begunBy('once'))?.id, first);
      assert.deepEqual(await one.underWay(), []);
    });

    it('keep what had arrived when the connection broke off', async (test) => {
      const { one, other } = await makeNodes(test);
      await one.put(first, { metadata });
      async function* broken() {
        yield Buffer.from('arrived');
        throw new Error('the connection broke off');
      }
      await assert.rejects(one.append(first, 0, Readable.from(broken())), /broke off/);
      const arrived = await other.bytesOf(first);
      assert.ok([0, 7].includes(arrived), String(arrived));
      await other.append(first, arrived, bytesOf(Buffer.from('arrived all').subarray(arrived)));
      const all = await one.withFile(first, (path) => readFile(path, 'utf8'));
      assert.equal(all, 'arrived all');
    });

    it('are removed by whose they are, and when they are old', async (test) => {
      const { one, other } = await makeNodes(test);
      for (const [id, owner] of [
        [first, 'ada'],
        [second, 'ben'],
      ] as const) {
        await one.put(id, { metadata: { ...metadata, owner } });
        await one.append(id, 0, bytesOf(Buffer.from('RIFF')));
      }
      assert.equal(await removeUploadsOf(new Set(), one), 0);
      assert.equal(await removeUploadsOf(new Set(['ada', 'cem']), one), 1);
      assert.equal(await other.infoOf(first), null);
      assert.deepEqual(
        (await other.underWay()).map(({ id }) => id),
        [second],
      );
      await one.remove(first);
      await one.sweep(new Date(Date.now() - 60_000));
      assert.notEqual(await other.infoOf(second), null);
      assert.ok((await one.sweep(new Date(Date.now() + 60_000))) > 0);
      assert.equal(await other.infoOf(second), null);
      assert.deepEqual(await other.underWay(), []);
      assert.equal(await one.sweep(new Date(Date.now() + 60_000)), 0);
    });
  });
}

test('unfinished uploads in a folder are files for their owner only, swept by when they were begun', async (t) => {
  const folder = join(await tempDir(t), 'resumable');
  const uploads = folderUploads(folder);
  assert.equal(await uploads.sweep(new Date()), 0, 'there is no folder yet');
  for (const [index, id] of [first, second].entries()) {
    await uploads.put(id, { metadata });
    const begun = new Date(Date.now() - index * 3_600_000);
    await utimes(join(folder, `${id}.json`), begun, begun);
  }
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  for (const name of await readdir(folder))
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
  // Of a crash while one was begun.
  await writeFile(join(folder, `${'c'.repeat(32)}.json.tmp`), '{');
  assert.equal(await uploads.sweep(new Date(Date.now() - 1_800_000)), 2);
  assert.deepEqual((await readdir(folder)).toSorted(), [
    first,
    `${first}.json`,
    `${'c'.repeat(32)}.json.tmp`,
  ]);
});

test('an unfinished upload that another release began goes on', async (t) => {
  const folder = await tempDir(t);
  // As 888c70e wrote it.
  const written = {
    id: first,
    metadata,
    size: 8,
    offset: 0,
    creation_date: '2026-01-02T03:04:05Z',
  };
  await writeFile(join(folder, `${first}.json`), JSON.stringify(written));
  await writeFile(join(folder, first), 'RIFF');
  const uploads = folderUploads(folder);
  assert.equal((await uploads.infoOf(first))?.size, 8);
  assert.equal(
    await uploads.append(first, await uploads.bytesOf(first), bytesOf(Buffer.from('WAVE'))),
    8,
  );
  assert.equal(await uploads.withFile(first, (path) => readFile(path, 'utf8')), 'RIFFWAVE');
  // Damaged: it has to be begun again, and its bytes count until it is swept.
  await writeFile(join(folder, `${first}.json`), 'RIFF');
  assert.equal(await uploads.infoOf(first), null);
  assert.deepEqual(await uploads.underWay(), [{ id: first, info: { metadata: {} }, bytes: 8 }]);
});
