import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { measureBlock } from '../../src/audio/level-meter.ts';
import { captureNow, warnAfterSeconds } from '../../src/capture/capture-now.ts';
import type { CaptureStatus } from '../../src/capture/process/protocol.ts';
import { emptyLedger, recoverLedger, withBlock, withGap } from '../../src/capture/file/ledger.ts';
import { openWavWriter } from '../../src/capture/file/wav-writer.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Frames of two channels. */
const frames = (...pairs: [number, number][]) => {
  const block = Buffer.alloc(pairs.length * 4);
  pairs.forEach(([left, right], at) => {
    block.writeInt16LE(left, at * 4);
    block.writeInt16LE(right, at * 4 + 2);
  });
  return block;
};

test('one channel is the mean of two, which never clips; two are kept apart', () => {
  const block = frames([100, 300], [-32_768, -32_768], [32_767, 32_767], [1000, -1000]);
  const mono = measureBlock(block, 1).pcm;
  assert.deepEqual(
    [0, 1, 2, 3].map((at) => mono.readInt16LE(at * 2)),
    [200, -32_768, 32_767, 0],
  );
  assert.ok(measureBlock(block, 2).pcm.equals(block));
});

test('level, flatness and clipping are those of the device, not of the mean', () => {
  const opposite = measureBlock(frames([16_384, -16_384], [-16_384, 16_384]), 1);
  assert.equal(opposite.flat, false);
  assert.equal(opposite.rms, 0.5);
  assert.equal(opposite.peak, 0.5);
  assert.equal(measureBlock(frames([32_767, 0], [5, 5], [0, -32_768]), 1).clipped, 2);
  assert.equal(measureBlock(frames([0, 0], [1, 0]), 1).flat, true);
  assert.equal(measureBlock(frames([0, 0], [2, 0]), 1).flat, false);
});

test('a gap that was filled takes time in the file, one at the end does not', () => {
  const second = { frames: 16_000, flat: false, clipped: 3 };
  const filled = withGap(withBlock(emptyLedger, second), 8000, true);
  assert.deepEqual(filled, {
    samples: 24_000,
    gaps: [[1, 0.5]],
    silent_seconds: 0,
    clipped_samples: 3,
  });
  assert.deepEqual(withGap(filled, 16_000, false).gaps, [
    [1, 0.5],
    [1.5, 1],
  ]);
});

test('a thousand gaps are told one by one, more as one long one: the ledger is bounded', () => {
  let ledger = emptyLedger;
  for (let gap = 0; gap < 1500; gap += 1) ledger = withGap(ledger, 1600, true);
  assert.equal(ledger.gaps.length, 1000);
  assert.deepEqual(ledger.gaps.at(-1), [99.9, 50.1]);
});

test('what came after the last notes is counted again from the file', async (t) => {
  const path = join(await tempDir(t), 'a.wav');
  const blocks = [
    Buffer.alloc(6400),
    frames(...Array.from({ length: 1600 }, (): [number, number] => [32_767, 0])),
    Buffer.alloc(6400),
  ].map((block) => measureBlock(block, 2));
  const writer = await openWavWriter(path, 2);
  let ledger = emptyLedger;
  const noted = [ledger];
  for (const block of blocks) {
    await writer.write(block.pcm);
    ledger = withBlock(ledger, block);
    noted.push(ledger);
  }
  await writer.close();
  for (const notes of [...noted, null])
    assert.deepEqual(await recoverLedger(path, 2, 4800, notes), ledger);
});

test('notes that are ahead of the file after a loss of power are cut to it', async (t) => {
  const path = join(await tempDir(t), 'a.wav');
  await (await openWavWriter(path, 1)).close();
  const ahead = withGap(withGap(emptyLedger, 16_000, true), 16_000, true);
  const ledger = await recoverLedger(path, 1, 8000, ahead);
  assert.equal(ledger.samples, 8000);
  assert.deepEqual(ledger.gaps, [[0, 1]]);
});

test('a flat track is told after 10 s, a long silence after 5 minutes, and never both', () => {
  const codes = (flatSeconds: number, quietSeconds: number) =>
    captureNow(
      'r',
      'Mic',
      { ...status, flatSeconds, quietSeconds },
      [],
      warnAfterSeconds,
    ).warnings.map(({ code }) => code);
  assert.deepEqual(codes(9.9, 299), []);
  assert.deepEqual(codes(10, 10), ['no-signal']);
  assert.deepEqual(codes(0, 300), ['long-silence']);
  assert.deepEqual(codes(300, 300), ['no-signal']);
});

test('of two sides the dead one is named, and loudspeakers that were heard may be silent', () => {
  const dead = (microphone: number, loudspeakers: number, everHeard: boolean) =>
    captureNow(
      'r',
      'Both',
      {
        ...status,
        sides: [
          { flatSeconds: microphone, everHeard: true },
          { flatSeconds: loudspeakers, everHeard },
        ],
      },
      [],
      warnAfterSeconds,
    ).warnings.map(({ message }) => /from (.*) for 10 s/.exec(message)?.[1]);
  assert.deepEqual(dead(9.9, 9.9, false), []);
  assert.deepEqual(dead(10, 0, true), ['the microphone']);
  assert.deepEqual(dead(0, 10, false), ['the speakers']);
  assert.deepEqual(dead(0, 60, true), []);
});

const status: CaptureStatus = {
  type: 'status',
  claim: 'c',
  pid: 1,
  state: 'capturing',
  ledger: emptyLedger,
  level: null,
  flatSeconds: 0,
  quietSeconds: 0,
  problem: null,
};
