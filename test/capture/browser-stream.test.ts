import pino from 'pino';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type BrowserLimits, browserLimits } from '../../src/capture/browser/browser-writer.ts';
import { type AudioSender, openBrowserStream } from '../../src/capture/browser/browser-stream.ts';
import { seeded, seeds } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';

const log = pino({ level: 'silent' });
const pcm = randomBytes(60_000);

const open = (folder: string, limits: Partial<BrowserLimits> = {}) =>
  openBrowserStream(folder, {
    limits: { ...browserLimits, secondsMax: 3600, acknowledgeEveryMs: 1, ...limits },
    log,
    onAway() {},
  });

/** A connection that remembers what it was told. */
function connection() {
  const told = { acknowledged: 0, ended: [] as string[], held: [] as boolean[] };
  const sender: AudioSender = {
    acknowledge: (samples) => void (told.acknowledged = samples),
    ended: (_samples, reason) => void told.ended.push(reason),
    hold: (held) => void told.held.push(held),
  };
  return { sender, told };
}

const audioIn = async (folder: string) => (await readFile(join(folder, 'audio.wav'))).subarray(44);

for (const seed of seeds({ short: 20, long: 400 })) {
  test(`whatever connections come and go, the file is what was sent, once (SEED=${seed})`, async (t) => {
    const folder = await tempDir(t);
    const random = seeded(seed);
    let stream = await open(folder);
    let now = connection();
    let acknowledged = 0;
    let sent = await stream.attach(now.sender, 16_000);
    const samples = pcm.length / 2;
    while (sent < samples) {
      const step = random.below(10);
      if (step < 7) {
        const next = Math.min(samples, sent + 1 + random.below(3000));
        stream.take(now.sender, pcm.subarray(sent * 2, next * 2));
        sent = next;
        if (random.chance(0.5)) await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      acknowledged = Math.max(acknowledged, now.told.acknowledged);
      const former = now;
      now = connection();
      if (step === 7) stream.leave(former.sender);
      if (step === 8) {
        // Another life of the service; what had not been written yet is lost with the first.
        await stream.close();
        stream = await open(folder);
      }
      sent = await stream.attach(now.sender, 16_000);
      assert.ok(sent >= acknowledged, `${acknowledged} acknowledged, ${sent} there`);
      // What a connection still had under way when another took over is not taken twice.
      stream.take(former.sender, pcm.subarray(0, 200));
    }
    stream.stop(now.sender);
    assert.equal(await stream.ended, 'stopped');
    assert.ok((await audioIn(folder)).equals(pcm));
  });
}

test('a connection that sends faster than the disk takes it is held, and let go on', async (t) => {
  const folder = await tempDir(t);
  const stream = await open(folder, { pendingBytesMax: 20_000 });
  const { sender, told } = connection();
  await stream.attach(sender, 16_000);
  stream.take(sender, pcm.subarray(0, 20_000));
  assert.deepEqual(told.held, [true]);
  stream.stop(sender);
  await stream.ended;
  assert.equal(told.held.at(-1), false);
  assert.equal(told.acknowledged, 10_000);
});

test('a full disk ends the recording with what is there', async (t) => {
  const folder = await tempDir(t);
  const stream = await open(folder, { freeBytesMin: Number.MAX_SAFE_INTEGER, upkeepMs: 0 });
  const { sender, told } = connection();
  await stream.attach(sender, 16_000);
  stream.take(sender, pcm.subarray(0, 2000));
  assert.equal(await stream.ended, 'disk-low');
  assert.equal(told.acknowledged, 1000);
  assert.ok((await audioIn(folder)).equals(pcm.subarray(0, 2000)));
});

test('what the disk refuses at the start is told, and may be tried again', async (t) => {
  const folder = await tempDir(t);
  const stream = await open(folder);
  const { sender, told } = connection();
  await rm(folder, { recursive: true });
  await writeFile(folder, '');
  await assert.rejects(stream.attach(sender, 16_000), { code: 'EEXIST' });
  await rm(folder);
  assert.equal(await stream.attach(sender, 16_000), 0);
  assert.deepEqual(told.ended, []);
  await stream.close();
});
