import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { compressFlac } from '../../src/audio/flac.ts';
import { joinLate, lateFolder, lengthOf } from '../../src/capture/browser/late-file.ts';
import { openWavWriter } from '../../src/capture/file/wav-writer.ts';
import { tempDir } from '../support/temp-dir.ts';

const rate = 44_100;

test('what an earlier release began with one channel is joined with audio of two as it was said', async (t) => {
  const folder = await tempDir(t);
  await mkdir(lateFolder(folder));
  const write = async (path: string, channels: 1 | 2, pcm: Buffer) => {
    const file = await openWavWriter(path, channels, rate);
    await file.write(pcm);
    await file.close();
  };
  const [before, late] = [randomBytes(4 * rate), randomBytes(2 * 2500)];
  const main = join(folder, 'audio.wav');
  await write(main, 2, before);
  await write(join(lateFolder(folder), 'audio.wav'), 1, late);
  const { signal } = new AbortController();
  const base = await lengthOf(main);
  const joined = await joinLate(folder, { main, base, has: rate, signal, freeBytesMin: 0 });
  const file = await readFile(joined.path);
  assert.equal(file.length, 44 + before.length + 2 * late.length);
  for (let at = 0; at < 2500; at += 1)
    assert.equal(file.readInt16LE(44 + before.length + at * 4), late.readInt16LE(at * 2));
});

for (const channels of [1, 2] as const)
  test(`what came late is joined with audio of ${channels} channels that was compressed meanwhile, sample by sample`, async (t) => {
    const bytes = channels * 2;
    const folder = await tempDir(t);
    const [before, late] = [randomBytes(bytes * rate), randomBytes(2500 * bytes)];
    await mkdir(lateFolder(folder));
    const write = async (path: string, pcm: Buffer) => {
      const file = await openWavWriter(path, channels, rate);
      await file.write(pcm);
      await file.close();
    };
    await write(join(folder, 'audio.wav'), before);
    await write(join(lateFolder(folder), 'audio.wav'), late);
    const main = join(folder, 'audio.flac');
    const { signal } = new AbortController();
    await compressFlac(join(folder, 'audio.wav'), main, signal);
    await rm(join(folder, 'audio.wav'));
    const base = await lengthOf(main);
    assert.deepEqual(base, { samples: rate, rate, channels });
    const joined = await joinLate(folder, { main, base, has: rate, signal, freeBytesMin: 0 });
    const file = await readFile(joined.path);
    assert.deepEqual(file.subarray(44), Buffer.concat([before, late]));
    assert.equal(joined.bytes, file.length);
    // A part of what came late was added by a process that had lost it: the rest is behind that.
    const shorter = { samples: rate - 1000, rate, channels };
    const rest = await joinLate(folder, {
      main,
      base: shorter,
      has: rate,
      signal,
      freeBytesMin: 0,
    });
    const both = Buffer.concat([before, late.subarray(1000 * bytes)]);
    assert.deepEqual((await readFile(rest.path)).subarray(44), both);
    // Another length than it had when the browser came back: what is there is not what it goes on from.
    for (const [samples, has] of [
      [rate + 1, rate],
      [rate, rate + 1],
    ] as const)
      await assert.rejects(
        joinLate(folder, { main, base: { samples, rate, channels }, has, signal, freeBytesMin: 0 }),
        {
          code: 'audio-missing',
        },
      );
    assert.deepEqual(
      await readdir(lateFolder(folder)),
      ['audio.wav'],
      'nothing of what failed is left',
    );
    const unlessRoom = { main, base, has: rate, signal, freeBytesMin: Number.MAX_SAFE_INTEGER };
    await assert.rejects(joinLate(folder, unlessRoom), { code: 'DISK_FULL' });
    assert.deepEqual(await readdir(lateFolder(folder)), ['audio.wav']);
  });
