import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { wavLayout } from '../../src/audio/wav.ts';
import { openWavWriter, repairWav } from '../../src/capture/file/wav-writer.ts';
import { tempDir } from '../support/temp-dir.ts';
import { fc } from '../support/properties.ts';

const runs = process.env['MITSCHRIFT_LONG'] ? 2000 : 150;

test('what was written is what a reader finds, also when it was opened several times', async (t) => {
  const path = join(await tempDir(t), 'a.wav');
  const blocks = [randomBytes(3200), randomBytes(3200), randomBytes(640)];
  for (const block of blocks) {
    const writer = await openWavWriter(path, 1);
    await writer.write(block);
    await writer.writeSilence(20_000);
    await writer.close();
  }
  const silence = Buffer.alloc(40_000);
  const file = await readFile(path);
  assert.deepEqual(file.subarray(44), Buffer.concat(blocks.flatMap((block) => [block, silence])));
  const layout = await layoutOf(path);
  assert.equal(layout?.dataBytes, file.length - 44);
  assert.equal(layout?.repaired, false);
});

test('the header never speaks of more than is in the file, and catches up', async (t) => {
  const path = join(await tempDir(t), 'a.wav');
  const writer = await openWavWriter(path, 2);
  await writer.write(Buffer.alloc(6400));
  assert.equal((await readFile(path)).readUInt32LE(40), 0);
  await writer.updateHeader();
  assert.equal((await readFile(path)).readUInt32LE(40), 6400);
  await writer.close();
});

test('a file cut at any byte becomes a valid one whose samples are all that was left', async (t) => {
  const folder = await tempDir(t);
  const path = join(folder, 'a.wav');
  const whole = join(folder, 'whole.wav');
  const writer = await openWavWriter(whole, 1);
  await writer.write(randomBytes(6400));
  await writer.updateHeader();
  await writer.write(randomBytes(3200));
  await writer.close();
  const bytes = await readFile(whole);
  for (const channels of [1, 2] as const) {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.nat(bytes.length), fc.nat(60)),
        fc.constantFrom<'kept' | 'stale' | 'zeroed'>('kept', 'stale', 'zeroed'),
        async (cut, header) => {
          const left = Buffer.from(bytes);
          if (header === 'stale') left.writeUInt32LE(6400, 40);
          // A header that never reached the disk although later blocks did.
          if (header === 'zeroed') left.fill(0, 0, 44);
          await writeFile(path, left.subarray(0, cut));
          const frames = await repairWav(path, channels);
          const repaired = await readFile(path);
          assert.equal(frames, Math.max(0, Math.floor((cut - 44) / (2 * channels))));
          assert.equal(repaired.length, 44 + frames * 2 * channels);
          assert.ok(repaired.subarray(44).equals(bytes.subarray(44, repaired.length)));
          const layout = await layoutOf(path);
          assert.equal(layout?.channels, channels);
          assert.equal(layout?.dataBytes, frames * 2 * channels);
          assert.equal(layout?.truncated, false);
        },
      ),
      { numRuns: runs },
    );
  }
});

test('repairing a good file changes nothing, and one that is not there is made', async (t) => {
  const path = join(await tempDir(t), 'a.wav');
  assert.equal(await repairWav(path, 1), 0);
  assert.equal((await readFile(path)).length, 44);
  const writer = await openWavWriter(path, 1);
  await writer.write(randomBytes(3200));
  await writer.close();
  const before = await readFile(path);
  assert.equal(await repairWav(path, 1), 1600);
  assert.ok((await readFile(path)).equals(before));
  await truncate(path, 44 + 3199);
  assert.equal(await repairWav(path, 1), 1599);
});

async function layoutOf(path: string) {
  const file = await open(path, 'r');
  try {
    return await wavLayout(file);
  } finally {
    await file.close();
  }
}
