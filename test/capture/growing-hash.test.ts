import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { growingHash } from '../../src/capture/file/growing-hash.ts';
import { openWavWriter } from '../../src/capture/file/wav-writer.ts';
import { noFiles } from '../../events/facts/files.ts';
import { type KeptFiles, hashBlob, keptFiles } from '../../src/integrity/kept-files.ts';
import { checkFiles } from '../../src/integrity/verify-files.ts';
import { fileHash, hashFile } from '../../src/shared/files.ts';
import { headerLast } from '../support/header-last.ts';
import { flipped } from '../support/recorded-data.ts';
import { fc } from '../support/properties.ts';
import { tempDir } from '../support/temp-dir.ts';

const million = 1024 * 1024;

test('what was captured long ago is not read again at the end, and the hash is of every byte', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const folder = await tempDir(t);
  const path = join(folder, 'audio.wav');
  const hash = growingHash(folder);
  t.mock.timers.tick(5_000);
  const writer = await openWavWriter(path, 1);
  await writer.write(randomBytes(3 * million));
  t.mock.timers.tick(5_000);
  await hash.close();
  await writer.write(randomBytes(million));
  await writer.close();
  const whole = await readFile(path);
  await writeFile(path, flipped(whole, million, 0));
  assert.deepEqual(await hash.end(), { sha256: headerLast(whole), bytes: whole.length });
});

test('of a file that became shorter than what was hashed all is hashed again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const folder = await tempDir(t);
  const path = join(folder, 'audio.wav');
  await writeFile(path, randomBytes(3 * million));
  const hash = growingHash(folder);
  t.mock.timers.tick(5_000);
  await hash.close();
  await truncate(path, million);
  const { sha256, bytes } = await hash.end();
  assert.deepEqual([sha256, bytes], [headerLast(await readFile(path)), million]);
});

test('a hash does not depend on how a file is cut into chunks', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 });
  fc.assert(
    fc.property(chunks, (parts) => {
      const hash = fileHash('first-44-last:');
      for (const part of parts) hash.update(Buffer.from(part));
      assert.equal(hash.digest(), headerLast(Buffer.concat(parts)));
    }),
  );
});

test('every byte of a captured file is looked at, in a folder and in a bucket', async (t) => {
  const root = await tempDir(t);
  const path = join(root, 'audio.wav');
  const bytes = randomBytes(300);
  await writeFile(path, bytes);
  const folder = growingHash(root);
  const audio = { ...(await folder.end()), path: 'audio.wav', version: 2, isCaptured: true };
  const recorded = { files: { ...noFiles, audio }, erased: false, saved: null } as const;
  const findings = async (kept: Pick<KeptFiles, 'hashAudio'>): Promise<string[]> => {
    const found: string[] = [];
    const all = { ...kept, spaceOf: () => assert.fail() };
    const place = { recordingId: '', stream: 'recording' };
    await checkFiles(all, place, recorded, ({ said }) => found.push(said.code));
    return found;
  };
  const data = { shared: root, recordings: root, keys: root };
  const inBucket: Pick<KeptFiles, 'hashAudio'> = {
    async hashAudio(_id, _name, how) {
      const body = Readable.from([await readFile(path)]);
      const get = async () => ({ body, bytes: 0, etag: '', modifiedAt: new Date(0) });
      return await hashBlob({ get }, '', how);
    },
  };
  for (const kept of [keptFiles({ data }), inBucket]) {
    assert.deepEqual(await findings(kept), []);
    for (const at of [0, 43, 44, 299]) {
      await writeFile(path, flipped(bytes, at, 3));
      assert.deepEqual(await findings(kept), ['audio-altered']);
    }
    await writeFile(path, bytes);
  }
  assert.equal((await hashFile(path))?.sha256.length, 64, 'what older facts have');
});
