import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buffer } from 'node:stream/consumers';
import { type TestContext, after, describe, it, test } from 'node:test';
import { exists } from '../../src/shared/files.ts';
import type { AudioFile, AudioStore } from '../../src/storage/audio/audio-store.ts';
import type { BeforePut } from '../../src/storage/audio/live-audio.ts';
import { openAudioStore } from '../../src/storage/audio/audio-store.ts';
import type { Blobs } from '../../src/storage/blobs/blobs.ts';
import { openBlobs } from '../../src/storage/blobs/open-blobs.ts';
import { s3Server } from '../support/s3-server.ts';
import { sharedOwnership } from '../support/shared-ownership.ts';
import { audioOf } from '../support/audio-of.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Two nodes that have the same audio; of one process the same one twice. */
type Nodes = { one: AudioStore; other: AudioStore };

const server = s3Server({ after });
let prefixes = 0;

for (const channels of [1, 2] as const)
  test(`what is recorded into a bucket with ${channels} channels goes on in turns: a node that was frozen adds nothing to a later one`, async (t) => {
    const layout = { rate: 48_000, channels };
    const bytes = channels * 2;
    const { one, other } = await inBucket(t);
    const pcm = randomBytes(1000 * bytes);
    const samples = (from: number, to: number) => pcm.subarray(from * bytes, to * bytes);
    const first = await one.live!.begin('R1');
    assert.equal(first.found, null);
    await first.put(0, layout, samples(0, 300));
    await first.put(300, layout, samples(300, 400));
    const second = await other.live!.begin('R1');
    const { heardAt, ...found } = second.found!;
    assert.deepEqual(found, { ...layout, samples: 400, gaps: [] });
    assert.ok(Math.abs(heardAt - Date.now()) < 60_000);
    assert.deepEqual(Buffer.concat(await collected(second.read())), samples(0, 400));

    // What the first had taken and not put, and never acknowledged: before, and after the second goes on.
    await first.put(400, layout, Buffer.alloc(250 * bytes));
    await second.put(400, layout, samples(400, 500));
    await first.put(650, layout, Buffer.alloc(250 * bytes));
    await second.put(500, layout, samples(500, 1000));
    const third = await one.live!.begin('R1');
    assert.deepEqual(Buffer.concat(await collected(third.read())), pcm);
    assert.equal(third.found?.samples, 1000);

    await other.live!.remove('R1');
    await other.live!.remove('R1');
    assert.equal((await one.live!.begin('R1')).found, null);
    await one.removeAll('R1');
  });

async function collected<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

/** As if nothing could be noted. */
const unnoted: BeforePut = async () => {
  throw new Error('not noted');
};

type Options = { cachedBytesMax?: number; beforePut?: BeforePut };

/** Two nodes of a cluster, each with a folder of its own for what is derived. */
async function nodesOf(
  test: TestContext,
  url: string,
  { beforePut = async () => {}, ...options }: Options,
): Promise<Nodes & { blobs: Blobs }> {
  const ownership = sharedOwnership().node();
  const blobs = await openBlobs(url, { logId: 'log', ownership });
  test.after(() => blobs.close());
  const node = async (): Promise<AudioStore> =>
    openAudioStore({ blobs, derived: await tempDir(test), beforePut, ...options });
  return { blobs, one: await node(), other: await node() };
}

const inBucket = async (test: TestContext, options: Options = {}) =>
  await nodesOf(test, (await server).url(`a${(prefixes += 1)}`), options);

const kinds: Record<string, (test: TestContext, beforePut?: BeforePut) => Promise<Nodes>> = {
  'Audio of one process': async (test) => {
    const one = audioOf(await tempDir(test));
    return { one, other: one };
  },
  'Audio in a shared directory': async (test, beforePut) =>
    await nodesOf(test, pathToFileURL(await tempDir(test)).href, beforePut ? { beforePut } : {}),
  'Audio in a bucket': (test, beforePut) => inBucket(test, beforePut ? { beforePut } : {}),
};

for (const [name, makeNodes] of Object.entries(kinds)) {
  describe(name, () => {
    if (name !== 'Audio of one process')
      it('is not kept where it cannot be noted before', async (test) => {
        const { one, other } = await makeNodes(test, unnoted);
        const path = join(await tempDir(test), 'made.wav');
        await writeFile(path, 'x');
        const sha256 = createHash('sha256').update('x').digest('hex');
        await assert.rejects(one.keep('R1', 'audio.wav', { path, sha256 }), /not noted/);
        const named = { path: `audio-${sha256.slice(0, 16)}.wav`, sha256, bytes: 1 };
        await assert.rejects(other.open('R1', named), { code: 'ENOENT' });
        assert.ok(await exists(path));
        if (one.live) await assert.rejects(one.live.begin('R1'), /not noted/);
      });

    it('is kept under a name, read at every node, and gone with its recording', async (test) => {
      const { one, other } = await makeNodes(test);
      const bytes = randomBytes(1000);
      const file = await kept(one, 'R1', 'audio.flac', bytes);
      assert.match(file.path, /^audio(-[0-9a-f]{16})?\.flac$/);
      const found = await other.read('R1', file, (path) => readFile(path));
      assert.deepEqual(found, bytes);
      const opened = await other.open('R1', file);
      assert.equal(opened.size, 1000);
      assert.deepEqual(await buffer(await opened.stream(10, 19)), bytes.subarray(10, 20));
      await (await other.open('R1', file)).close();
      const second = await kept(one, 'R1', 'audio.wav', randomBytes(10));
      await other.remove('R1', [file.path]);
      await other.remove('R1', [file.path]);
      await assert.rejects(one.open('R1', file), { code: 'ENOENT' });
      await one.removeAll('R1');
      await one.removeAll('R1');
      await assert.rejects(other.open('R1', second), { code: 'ENOENT' });
    });

    it('has what is derived of it on this machine, and nothing of it afterwards', async (test) => {
      const { one, other } = await makeNodes(test);
      const file = await kept(one, 'R1', 'audio.wav', randomBytes(10));
      for (const node of [one, other]) {
        const folder = await node.workFolder('R1');
        await writeFile(join(folder, 'speech.wav'), 'speech');
        await writeFile(join(folder, 'peaks'), 'peaks');
      }
      await one.removeDerived('R1', ['speech.wav']);
      assert.equal(await exists(join(await one.workFolder('R1'), 'speech.wav')), false);
      assert.equal(await exists(join(await one.workFolder('R1'), 'peaks')), true);
      await one.read('R1', file, async (path) => assert.ok(await exists(path)));
      await one.removeAll('R1');
      // The other one hears of it by the log.
      const folder = await other.workFolder('R1');
      await other.leave('R1');
      assert.equal(await exists(join(folder, 'speech.wav')), false);
    });
  });
}

describe('Audio of several nodes', () => {
  it('is never written over by another node that made the same', async (test) => {
    for (const name of ['Audio in a shared directory', 'Audio in a bucket']) {
      const { one, other } = await kinds[name]!(test);
      const [first, second] = [randomBytes(100), randomBytes(100)];
      const files = await Promise.all([
        kept(one, 'R1', 'audio.flac', first),
        kept(other, 'R1', 'audio.flac', second),
        kept(other, 'R1', 'audio.flac', first),
      ]);
      assert.equal(files[0].path, files[2].path);
      for (const [index, bytes] of [first, second].entries()) {
        const read = await one.read('R1', files[index]!, (path) => readFile(path));
        assert.deepEqual(read, bytes);
      }
    }
  });

  it('in a bucket is compared when it comes, and stays in bounds', async (test) => {
    const { one, other, blobs } = await inBucket(test, { cachedBytesMax: 250 });
    const file = await kept(one, 'R1', 'audio.wav', randomBytes(200));
    const key = `recordings/R1/${file.path}`;
    const there = await buffer((await blobs.get(key))!.body);
    await blobs.put(key, randomBytes(200));
    await assert.rejects(
      other.read('R1', file, async () => {}),
      { code: 'BLOBS_DIFFER' },
    );
    await blobs.put(key, there);
    let folder = '';
    await other.read('R1', file, async (path) => {
      folder = dirname(dirname(path));
      // What is read stays, also when there is too much.
      const more = await kept(one, 'R2', 'audio.wav', randomBytes(200));
      await other.read('R2', more, async () => assert.ok(await exists(path)));
      assert.ok(await exists(path));
    });
    const held = async () =>
      (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.wav'));
    assert.equal((await held()).length, 1);
    const missing = { ...file, path: 'audio-0000000000000000.wav' };
    await assert.rejects(
      other.read('R1', missing, async () => {}),
      { code: 'audio-missing' },
    );
  });

  it('in a bucket that stops in the middle is asked for again, and then said to be away', async (test) => {
    const { one, other } = await inBucket(test);
    const file = await kept(one, 'R1', 'audio.wav', randomBytes(300_000));
    const s3 = await server;
    s3.asked();
    s3.behave('break');
    await assert.rejects(
      other.read('R1', file, async () => {}),
      { code: 'BLOBS_AWAY' },
    );
    // Each of three downloads may take the client several requests.
    const gets = s3.asked().filter((method) => method === 'GET').length;
    assert.ok(gets >= 3 && gets <= 12, String(gets));
    s3.behave('well');
    await other.read('R1', file, async (path) => assert.equal((await stat(path)).size, 300_000));
  });
});

async function kept(
  store: AudioStore,
  recordingId: string,
  wanted: string,
  bytes: Buffer,
): Promise<AudioFile> {
  const folder = join(await store.workFolder(recordingId), 'made');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${randomBytes(4).toString('hex')}.tmp`);
  await writeFile(path, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const name = await store.keep(recordingId, wanted, { path, sha256 });
  assert.equal(await exists(path), false);
  return { path: name, sha256, bytes: bytes.length };
}
