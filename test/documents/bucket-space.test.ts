import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, after, test } from 'node:test';
import { type PerDocument, documentNames, documentPaths } from '../../src/documents/documents.ts';
import {
  OversizedDocument,
  type Space,
  listTaken,
  spacesIn,
  readDocument,
} from '../../src/documents/space.ts';
import { deleteDocument, writeDocuments } from '../../src/documents/write.ts';
import type { Blobs } from '../../src/storage/blobs/blobs.ts';
import { openBlobs } from '../../src/storage/blobs/open-blobs.ts';
import { s3Server } from '../support/s3-server.ts';
import { sharedOwnership } from '../support/shared-ownership.ts';

const paths = documentPaths('2026-11-21 09.05 Größe');
const first: PerDocument = { index: 'index 1', transcript: 'said 1', summary: 'sum 1' };
const second: PerDocument = { index: 'index 2', transcript: 'said 2', summary: 'sum 2' };

let prefixes = 0;
for (const keepsConditions of [true, false]) {
  const server = s3Server({ after }, { keepsConditions });
  const where = keepsConditions ? 'in a bucket' : 'in a bucket of a server that ignores conditions';
  const empty = async (t: TestContext): Promise<{ bucket: Blobs; space: Space }> => {
    const url = (await server).url(`d${(prefixes += 1)}`);
    const ownership = sharedOwnership().node();
    const bucket = await openBlobs(url, { logId: 'log', ownership });
    t.after(() => bucket.close());
    return { bucket, space: await spacesIn(bucket)('01ANNA') };
  };

  test(`documents ${where} are written, read, replaced, kept when a person’s, and deleted`, async (t) => {
    const { bucket, space } = await empty(t);
    const written = await writeDocuments(space, paths, first, null);
    assert.deepEqual(written, []);
    assert.deepEqual(await present(space), first);
    assert.equal((await readDocument(space, paths.index))?.sha256, hashes(first).index);
    const taken = await listTaken(space);
    assert.deepEqual(
      ['2026-11-21 09.05 größe', '2026-11-21 09.05'].map((name) => taken.has(name)),
      [true, false],
    );

    // As a person had changed it in the folder that was moved here.
    await bucket.put(`spaces/01ANNA/${paths.summary}`, Buffer.from('my own words'));
    await bucket.delete(`spaces/01ANNA/${paths.transcript}`);
    const again = await writeDocuments(space, paths, second, hashes(first));
    assert.deepEqual(again, ['summary']);
    assert.deepEqual(await present(space), { ...second, summary: 'my own words' });

    await bucket.put(`spaces/01ANNA/huge.md`, Buffer.alloc(10 * 1024 * 1024 + 1));
    await assert.rejects(readDocument(space, 'huge.md'), OversizedDocument);
    await assert.rejects(readDocument(space, '../01BERT/talk.md'), { code: 'OUTSIDE_SPACE' });
    await assert.rejects(spacesIn(bucket)('..'), { code: 'OUTSIDE_SPACE' });

    const deleted = await deleteDocument(space, paths.index);
    assert.deepEqual(deleted.toSorted(), Object.values(paths).toSorted());
    assert.deepEqual(await deleteDocument(space, paths.index), []);
    assert.deepEqual(await present(space), { index: null, transcript: null, summary: null });
  });
}

test('a node that was frozen between looking and putting replaces nothing newer, and brings nothing back', async (t) => {
  const server = await s3Server(t, { keepsConditions: true });
  const ownership = sharedOwnership().node();
  const bucket = await openBlobs(server.url(), { logId: 'log', ownership });
  t.after(() => bucket.close());
  const space = await spacesIn(bucket)('01ANNA');
  await writeDocuments(space, paths, first, null);
  const sha256 = hashes(first);

  // Its lease is over by the time it puts; it has not noticed.
  let meanwhile: (() => Promise<unknown>) | null = async () =>
    await writeDocuments(space, paths, second, sha256);
  const frozen = await spacesIn({
    ...bucket,
    async put(...given) {
      const work = meanwhile;
      meanwhile = null;
      await work?.();
      return await bucket.put(...given);
    },
  })('01ANNA');
  const stale: PerDocument = { index: 'stale', transcript: 'stale', summary: 'stale' };
  const written = await writeDocuments(frozen, paths, stale, sha256);
  assert.deepEqual(written, ['index', 'transcript', 'summary']);
  assert.deepEqual(await present(space), second);

  meanwhile = async () => await deleteDocument(space, paths.index);
  await writeDocuments(frozen, paths, stale, hashes(second), undefined, {
    async assertMine() {
      if (meanwhile === null) throw new Error('another has it by now');
    },
  }).then(
    () => assert.fail('it went on'),
    (error: Error) => assert.equal(error.message, 'another has it by now'),
  );
  assert.deepEqual(await present(space), { index: null, transcript: null, summary: null });
});

const hashes = (contents: PerDocument): PerDocument => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const { index, transcript, summary } = contents;
  return { index: hash(index), transcript: hash(transcript), summary: hash(summary) };
};

async function present(space: Space): Promise<PerDocument<string | null>> {
  const found: PerDocument<string | null> = { index: null, transcript: null, summary: null };
  for (const name of documentNames)
    found[name] = (await readDocument(space, paths[name]))?.bytes.toString('utf8') ?? null;
  return found;
}
