import assert from 'node:assert/strict';
import { open, readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSpeechFile, writeSpeechFile } from '../../src/audio/speech-file.ts';
import { folderFor } from '../support/espeak.ts';

const options = { gain: 1, signal: new AbortController().signal };

async function* ramp(samples: number) {
  yield Float32Array.from({ length: samples }, (_, i) => i / 32_767);
}

test('what was written is read back at random, by seconds, clamped to the file', async (t) => {
  const path = join(await folderFor(t), 'speech.wav');
  assert.equal(await writeSpeechFile(path, ramp(32_000), options), 32_000);
  const audio = await openSpeechFile(path);
  t.after(() => audio.close());
  assert.equal(audio.samples, 32_000);
  assert.equal(audio.duration, 2);
  assert.deepEqual([...(await audio.read(1, 1.000_25))], [16_000, 16_001, 16_002, 16_003]);
  assert.deepEqual([...(await audio.read(1.9999, 5))], [31_998, 31_999]);
  assert.equal((await audio.read(3, 4)).length, 0);
  assert.equal((await audio.read(1, 0.5)).length, 0);
});

test('too loud samples are cut off, not wrapped', async (t) => {
  const path = join(await folderFor(t), 'speech.wav');
  await writeSpeechFile(
    path,
    (async function* () {
      yield Float32Array.of(0.5, -0.5, 0.01);
    })(),
    { ...options, gain: 10 },
  );
  const audio = await openSpeechFile(path);
  t.after(() => audio.close());
  assert.deepEqual([...(await audio.read(0, 1))], [32_767, -32_768, 3277]);
});

test('the name appears only when all is written', async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, 'speech.wav');
  const seen: string[][] = [];
  const blocks = async function* () {
    yield new Float32Array(1600);
    seen.push(await readdir(folder));
    throw new Error('the disk is full');
  };
  await assert.rejects(writeSpeechFile(path, blocks(), options), /the disk is full/);
  assert.deepEqual(seen, [['speech.wav.part']]);
  assert.deepEqual(await readdir(folder), []);
});

test('a damaged working copy is not read', async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, 'speech.wav');
  const damages: ((path: string) => Promise<void>)[] = [
    (file) => truncate(file, 1000),
    (file) => truncate(file, 20),
    (file) => writeFile(file, 'something else that is longer than a header is, by far'),
    async (file) => {
      const handle = await open(file, 'r+');
      await handle.write(Buffer.of(2), 0, 1, 22); // two channels
      await handle.close();
    },
  ];
  for (const damage of damages) {
    await writeSpeechFile(path, ramp(1600), options);
    await damage(path);
    await assert.rejects(openSpeechFile(path), { code: 'speech-file-damaged', retriable: true });
  }
});
