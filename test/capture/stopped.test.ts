import { ulid } from 'ulid';
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { adoptCapture } from '../../src/capture/process/client.ts';
import { removeCaptureFiles, writeClaim } from '../../src/capture/file/capture-files.ts';
import { captureLimits } from '../../src/capture/process/protocol.ts';
import type { Naudiodon } from '../../src/capture/device/device-stream.ts';
import { openRecorder } from '../../src/capture/process/recorder.ts';
import { align, wavSamples } from '../support/pulse-alignment.ts';
import { openCapturingService, stoppedBy } from '../support/pulse-service.ts';
import { sentences, speech } from '../support/pulse-speech.ts';
import { eventually } from '../support/eventually.ts';
import { privatePulse } from '../support/pulse.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Of audio more or less, by the blocks that come and by when a device is open again. */
const toleranceSeconds = 0.35;

async function capturing(t: TestContext) {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  const id = await service.start('Desk Mic');
  const samples = () => service.captures.now(id)?.ledger.samples ?? 0;
  await eventually('it captures', () => samples() > 16_000);
  return { root, pulse, service, id, samples };
}

/** How long the fault lasts: the clock goes on whatever is stopped. */
const passed = (from: number, ms: number) =>
  eventually(`${ms} ms have passed`, () => performance.now() - from >= ms);

test('a capture process that was stopped for seconds has lost nothing of what was said', async (t) => {
  const { root, pulse, service, id, samples } = await capturing(t);
  const said = await speech(root, 'mic', sentences.mic);
  const { pid, release } = (await adoptCapture(service.folder(id)))!;
  const playing = pulse.play(said.path, 'mic');
  const before = samples();
  await eventually('it is being said', () => samples() > before + 8000);
  release();
  process.kill(pid, 'SIGSTOP');
  t.after(() => signalled(pid, 'SIGCONT'));
  await passed(performance.now(), 4000);
  process.kill(pid, 'SIGCONT');
  await playing;
  await service.captures.stop(id, stoppedBy);
  const { ledger } = (await service.last(id, 'audio.captured')).data;
  assert.deepEqual(ledger!.gaps, []);
  const recorded = await wavSamples(join(service.folder(id), 'audio.wav'));
  for (const window of align(said.samples, recorded).windows)
    assert.ok(
      window.correlation > 0.95 && Math.abs(window.shift) <= 16,
      `${window.at / 16_000} s: ${window.correlation} ${window.shift}`,
    );
});

test('a capture process that wakes when its audio has been taken writes nothing into it', async (t) => {
  const { service, id } = await capturing(t);
  const folder = service.folder(id);
  const { pid, release } = (await adoptCapture(folder))!;
  release();
  await service.close();
  process.kill(pid, 'SIGSTOP');
  t.after(() => signalled(pid, 'SIGKILL'));
  await removeCaptureFiles(folder, { audio: false });
  const taken = await readFile(join(folder, 'audio.wav'));
  await passed(performance.now(), 4000);
  process.kill(pid, 'SIGCONT');
  await eventually('it has ended', () => !signalled(pid, 0));
  assert.ok((await readFile(join(folder, 'audio.wav'))).equals(taken));
  assert.deepEqual(await readdir(folder), ['audio.wav']);
});

test('an audio server that was stopped leaves a gap as long, and nothing is closed up', async (t) => {
  const { pulse, service, id, samples } = await capturing(t);
  const [start, before] = [performance.now(), samples()];
  pulse.hang();
  t.after(() => pulse.wake());
  await passed(start, 5000);
  pulse.wake();
  await eventually('it goes on', () => service.captures.now(id)?.state === 'capturing');
  const seconds = () => ({
    took: (performance.now() - start) / 1000,
    captured: (samples() - before) / 16_000,
  });
  await eventually('it has caught up with the clock, and 2 s more', () => {
    const { took, captured } = seconds();
    return captured >= 7 && captured >= took - toleranceSeconds;
  });
  const { took, captured } = seconds();
  assert.ok(Math.abs(captured - took) <= toleranceSeconds, `${captured} s in ${took} s`);
  const missing = service.captures
    .now(id)!
    .ledger.gaps.reduce((sum, [, seconds]) => sum + seconds, 0);
  assert.ok(missing >= 5 - toleranceSeconds && missing <= took, `${missing} s marked`);
  await service.captures.stop(id, stoppedBy);
});

test('a machine that sleeps leaves a gap as long as it slept, within what a recording may have', async (t) => {
  for (const [sleptMs, ended] of [
    [600_000, null],
    [9 * 3_600_000, 'limit-hours'],
  ] as const) {
    const folder = await tempDir(t);
    const claim = ulid();
    const spec = {
      claim,
      folder,
      socketPath: join(folder, 'c.sock'),
      device: 'Desk Mic',
      source: null,
      alsaConfigPath: null,
      channels: 1,
      limits: { ...captureLimits, secondsMax: 8 * 3600, freeBytesMin: 0 },
    } as const;
    await writeClaim(folder, { ...spec, at: Date.now() });
    const { native, give, time } = standInDevice();
    const recorder = await openRecorder(spec, native, () => time.ms);
    const gaps = () => recorder.status().ledger.gaps;
    for (let block = 0; block < 10; block += 1) await give();
    await eventually('it is written', () => recorder.status().ledger.samples === 16_000);
    time.ms += sleptMs;
    for (let block = 0; block < 20; block += 1) await give();
    if (ended === null) {
      await eventually('it is marked', () => gaps().length === 1);
      assert.deepEqual(gaps(), [[1, sleptMs / 1000]]);
      await eventually('it goes on', () => recorder.status().ledger.samples === (3 + 600) * 16_000);
      recorder.end('stopped');
    }
    const { last } = await recorder.ended;
    assert.equal(last.reason, ended ?? 'stopped');
    // A night is told, but not written as silence.
    assert.equal(last.ledger.samples, ended === null ? (3 + 600) * 16_000 : 16_000);
    assert.equal(last.ledger.gaps.length, 1);
    const recorded = await wavSamples(join(folder, 'audio.wav'));
    assert.equal(recorded.length, last.ledger.samples);
  }
});

test('a recording that was paused before anything was heard goes on, however long that took', async (t) => {
  const folder = await tempDir(t);
  const spec = {
    claim: ulid(),
    folder,
    socketPath: join(folder, 'c.sock'),
    device: 'Desk Mic',
    source: null,
    alsaConfigPath: null,
    channels: 1,
    limits: { ...captureLimits, secondsMax: 8 * 3600, freeBytesMin: 0 },
  } as const;
  await writeClaim(folder, { ...spec, at: Date.now() });
  const { native, give, time } = standInDevice();
  const recorder = await openRecorder(spec, native, () => time.ms);
  recorder.pause();
  await eventually('it is paused', () => recorder.status().state === 'paused');
  time.ms += captureLimits.firstDataMs + 1;
  recorder.resume();
  for (let block = 0; block < 10; block += 1) await give();
  await eventually('it is written', () => recorder.status().ledger.samples === 16_000);
  recorder.end('stopped');
  assert.equal((await recorder.ended).last.reason, 'stopped');
});

test('a recording that has reached its hours lacks nothing', async (t) => {
  const folder = await tempDir(t);
  const claim = ulid();
  const spec = {
    claim,
    folder,
    socketPath: join(folder, 'c.sock'),
    device: 'Desk Mic',
    source: null,
    alsaConfigPath: null,
    channels: 1,
    limits: { ...captureLimits, secondsMax: 1, freeBytesMin: 0 },
  } as const;
  await writeClaim(folder, { ...spec, at: Date.now() });
  // Closing the device takes it a moment.
  const { native, give, time } = standInDevice(() => void (time.ms += 200));
  const recorder = await openRecorder(spec, native, () => time.ms);
  for (let block = 0; block < 9; block += 1) await give();
  await give(3);
  const { last } = await recorder.ended;
  assert.equal(last.reason, 'limit-hours');
  assert.deepEqual([last.ledger.samples, last.ledger.gaps], [16_000, []]);
});

/** A device that gives 100 ms whenever it is told to, on a clock of its own. */
function standInDevice(closing = () => {}) {
  const time = { ms: 1000 };
  const waiting: Buffer[] = [];
  let finished = false;
  let wake = () => {};
  const native: Naudiodon = {
    getDevices: () => [{ id: 0, name: 'Desk Mic', maxInputChannels: 2, hostAPIName: 'ALSA' }],
    getHostAPIs: () => ({ defaultHostAPI: 0, HostAPIs: [] }),
    create: () => ({
      start: () => void (finished = false),
      async read() {
        while (waiting.length === 0 && !finished)
          await new Promise<void>((resolve) => (wake = resolve));
        const buf = waiting.shift();
        return buf ? { buf } : { finished: true };
      },
      async quit() {
        finished = true;
        wake();
        await new Promise((resolve) => setImmediate(resolve));
        closing();
      },
    }),
  };
  return {
    native,
    time,
    async give(blocks = 1) {
      time.ms += 100 * blocks;
      for (let block = 0; block < blocks; block += 1) waiting.push(Buffer.alloc(1600 * 4));
      wake();
      await eventually('it was taken', () => waiting.length === 0 || finished);
    },
  };
}

/** It may have ended by itself: then false. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}
