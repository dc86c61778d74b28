import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { ulid } from 'ulid';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import { recordingHandler } from '../../src/recordings/handle.ts';
import { nothingPromised } from '../support/recording-service.ts';
import { alsaConfig } from '../../src/capture/device/alsa-config.ts';
import { adoptCapture, startCapture } from '../../src/capture/process/client.ts';
import { readClaim } from '../../src/capture/file/capture-files.ts';
import type { CaptureNow } from '../../src/capture/capture-now.ts';
import { captureLimits } from '../../src/capture/process/protocol.ts';
import { align, wavSamples, windowLength } from '../support/pulse-alignment.ts';
import {
  type CapturingService,
  openCapturingService,
  stoppedBy,
} from '../support/pulse-service.ts';
import { eventually, onThisMachine } from '../support/eventually.ts';
import { sentences, speech } from '../support/pulse-speech.ts';
import { testProgram } from '../support/program.ts';
import { type PrivatePulse, privatePulse } from '../support/pulse.ts';
import { seeded, seeds } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';

/** What one status later is at most not on the disk yet, and what a busy test machine adds. */
const lostSecondsMax = 0.3;

async function setUp(t: TestContext) {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const open = async () => {
    const service = await openCapturingService(root, { env: pulse.env });
    let closed = false;
    const close = async () => {
      if (!closed) await service.close();
      closed = true;
    };
    t.after(close);
    return { ...service, close };
  };
  return { root, pulse, open };
}

const samples = (service: CapturingService, id: string) =>
  service.captures.now(id)?.ledger.samples ?? 0;
const capturing = (service: CapturingService, id: string) =>
  eventually('it captures', () => service.captures.now(id)?.state === 'capturing');
const pidOf = async (service: CapturingService, id: string): Promise<number> => {
  const live = await adoptCapture(service.folder(id));
  live!.release();
  return live!.pid;
};

/** All windows of what was played that do not touch a gap are where they belong in the recording. */
async function assertHeard(
  played: Float64Array,
  path: string,
  gaps: readonly [number, number][],
): Promise<void> {
  const recorded = await wavSamples(path);
  const { offset, windows } = align(played, recorded, { seconds: 1 });
  let heard = 0;
  for (const { at, correlation, shift } of windows) {
    const from = (offset + at) / 16_000;
    const to = (offset + at + windowLength) / 16_000;
    // Around a gap by as much as may be lost before it.
    if (
      gaps.some(([start, seconds]) => from < start + seconds + 0.2 && to > start - lostSecondsMax)
    )
      continue;
    if (gaps.some(([start]) => start < from)) continue; // behind a gap the clock is as good as it is
    // A lost block would move all that follows.
    assert.ok(correlation > 0.95 && Math.abs(shift) <= 16, `${from} s: ${correlation} ${shift}`);
    heard += 1;
  }
  assert.ok(heard > 0, 'something was heard');
}

/** A service in a process of its own. */
async function service(
  pulse: PrivatePulse,
  root: string,
  device: string,
): Promise<{ child: ChildProcess; id: string; now(): CaptureNow; kill(): Promise<void> }> {
  const child = fork(testProgram('test/support/pulse-service-process'), [root, device], {
    env: pulse.env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let heard: { id: string; now: CaptureNow } | undefined;
  child.on('message', (message) => (heard = message as typeof heard));
  await eventually('the service captures', () => heard?.now.state === 'capturing');
  return {
    child,
    id: heard!.id,
    now: () => heard!.now,
    async kill() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

test('kill -9 of the service loses not one sample; the next one adopts the capture and stops it', async (t) => {
  const { root, pulse, open } = await setUp(t);
  const said = await speech(root, 'mic', sentences.mic);
  const first = await service(pulse, root, 'Desk Mic');
  const playing = pulse.play(said.path, 'mic');
  const before = first.now().ledger.samples;
  await eventually('it is being said', () => first.now().ledger.samples > before + 16_000);
  await first.kill();
  await playing;

  const next = await open();
  await next.captures.reconcile(await readdir(join(root, 'recordings')), async () => 'recording');
  await next.takeUp(first.id);
  await capturing(next, first.id);
  await next.captures.stop(first.id, stoppedBy);
  const captured = await next.last(first.id, 'audio.captured');
  assert.deepEqual(captured.data.ledger?.gaps, []);
  await assertHeard(said.samples, join(next.folder(first.id), 'audio.wav'), []);
  assert.deepEqual(await readdir(next.folder(first.id)), ['audio.wav']);
});

for (const seed of seeds({ short: 1, long: 50 })) {
  test(`kill -9 of a capture loses its last moments at most, and it goes on behind a marked gap (SEED=${seed})`, async (t) => {
    const { root, pulse, open } = await setUp(t);
    const random = seeded(seed);
    const said = await speech(root, 'mic', sentences.mic);
    const running = await open();
    const id = await running.start('Desk Mic');
    await capturing(running, id);
    const playing = pulse.play(said.path, 'mic');
    const start = samples(running, id);
    const moment = start + 16_000 + random.below(32_000);
    await eventually('the moment has come', () => samples(running, id) >= moment);
    const known = samples(running, id);
    const pid = await pidOf(running, id);
    const claim = (await readClaim(running.folder(id)))!.claim;
    process.kill(pid, 'SIGKILL');
    await eventually('another goes on', async () => {
      const now = running.captures.now(id);
      return (
        (await readClaim(running.folder(id)))?.claim !== claim &&
        now?.state === 'capturing' &&
        now.ledger.gaps.length > 0
      );
    });
    const warnings = running.captures.now(id)!.warnings.map(({ code }) => code);
    assert.ok(warnings.includes('capture-restarted') && warnings.includes('audio-missing'));
    await playing;
    await running.captures.stop(id, stoppedBy);
    const { ledger } = (await running.last(id, 'audio.captured')).data;
    assert.equal(ledger!.gaps.length, 1);
    const [[gapStart, gapSeconds]] = ledger!.gaps as [[number, number]];
    assert.ok(gapStart >= known / 16_000, 'what was told is in the file');
    assert.ok(gapSeconds < onThisMachine(5000) / 1000, `a gap of ${gapSeconds} s`);
    await assertHeard(said.samples, join(running.folder(id), 'audio.wav'), ledger!.gaps);
  });
}

test('service and capture both killed: what is on the disk is repaired and taken', async (t) => {
  const { root, pulse, open } = await setUp(t);
  const first = await service(pulse, root, 'Desk Mic');
  await eventually('there is something', () => first.now().ledger.samples > 16_000);
  const known = first.now().ledger.samples;
  await first.kill();
  const capture = await adoptCapture(join(root, 'recordings', first.id));
  process.kill(capture!.pid, 'SIGKILL');
  assert.equal(await capture!.ended, 'died');

  const next = await open();
  await next.takeUp(first.id);
  const { data } = await next.last(first.id, 'capture.interrupted');
  assert.equal(data.reason, 'service-and-capture-died');
  assert.ok(data.ledger!.samples >= known);
  const file = await readFile(join(next.folder(first.id), 'audio.wav'));
  assert.equal(file.readUInt32LE(40), data.ledger!.samples * 2);
  assert.equal(file.length, 44 + data.ledger!.samples * 2);
});

test('a recording that was begun long before the service is started again opens no microphone', async (t) => {
  const { root, open } = await setUp(t);
  const id = ulid();
  // Its process was killed before there was a capture.
  const store = await openLog({
    directory: join(root, 'log'),
    keys: await openFileKeys(join(root, 'keys')),
    clock: () => new Date(Date.now() - 3 * 3_600_000),
  });
  const data = { owner: 'guest', kind: 'solo', language: null, speakers: null } as const;
  const started = {
    type: 'recording.started',
    data: { ...data, device: 'Desk Mic', trigger: 'test' },
  };
  await recordingHandler({ store, ...nothingPromised }).handle(
    id,
    { by: 'guest', command: ulid() },
    () => [{ ...started, content: {} } as RecordingFactOf<'recording.started'>],
    { create: true },
  );
  await store.close();
  const next = await open();
  await next.takeUp(id);
  await eventually('it is over', () => next.state(id) !== 'recording.capturing');
  assert.equal((await next.last(id, 'stage.failed')).data.retriable, false);
  assert.equal(await readClaim(next.folder(id)), null);
});

test('a capture that dies again and again is given up with everything it had', async (t) => {
  const { open } = await setUp(t);
  const running = await open();
  const id = await running.start('Desk Mic');
  for (let life = 0; life < 4; life += 1) {
    const before = (await readClaim(running.folder(id)))?.claim;
    await eventually('it captures', () => running.captures.now(id)?.state === 'capturing');
    process.kill(await pidOf(running, id), 'SIGKILL');
    await eventually('it is noticed', async () => {
      const claim = await readClaim(running.folder(id));
      return claim === null || (life < 3 ? claim.claim !== before : false);
    });
    if (life < 3)
      await eventually('the next one is heard', async () => {
        const live = await adoptCapture(running.folder(id));
        live?.release();
        return live?.status().state === 'capturing';
      });
  }
  const { data } = await running.last(id, 'capture.interrupted');
  assert.equal(data.reason, 'capture-died');
  assert.equal(data.ledger!.gaps.length, 3);
});

test('kill -9 of the audio server: the gap is marked, said, and recording goes on when it is back', async (t) => {
  const { pulse, open } = await setUp(t);
  const running = await open();
  const id = await running.start('Desk Mic');
  await capturing(running, id);
  const pid = await pidOf(running, id);
  await pulse.kill();
  await eventually('it is said', () =>
    running.captures
      .now(id)!
      .warnings.some(({ code }) => code === 'audio-server-gone' || code === 'no-data'),
  );
  const before = samples(running, id);
  await pulse.start();
  await eventually('it goes on', () => samples(running, id) > before + 16_000);
  const now = running.captures.now(id)!;
  // On a busy machine the first moments after it may be missing, too.
  assert.ok(now.ledger.gaps.length > 0);
  assert.equal(await pidOf(running, id), pid, 'the same process');
  assert.deepEqual(
    now.warnings.map(({ code }) => code),
    ['audio-missing'],
  );
  await running.captures.stop(id, stoppedBy);
  await running.last(id, 'audio.captured');
});

test('a microphone that is unplugged is not replaced by the loudspeakers', async (t) => {
  const { root, pulse, open } = await setUp(t);
  const other = await speech(root, 'speakers', 'Not for the record');
  const running = await open();
  const id = await running.start('Desk Mic');
  await capturing(running, id);
  const modules = await pulse.pactl('list', 'short', 'modules');
  const remap = /^(\d+)\tmodule-remap-source\t(.*?)\t?$/m.exec(modules)!;
  await pulse.pactl('unload-module', remap[1]!);
  const warned = await eventually('it is said', () =>
    running.captures
      .now(id)!
      .warnings.find(({ code }) => code === 'moved' || code === 'device-gone'),
  );
  assert.match(warned.message, /Desk Mic|switched the recording/);
  await pulse.play(other.path, 'speakers');
  await pulse.play(other.path, 'mic');
  const before = samples(running, id);
  await pulse.pactl(
    'load-module',
    'module-remap-source',
    'source_name=desk_mic',
    'master=mic.monitor',
  );
  await eventually('it goes on', () => samples(running, id) > before + 16_000);
  await running.captures.stop(id, stoppedBy);
  const { ledger } = (await running.last(id, 'audio.captured')).data;
  assert.equal(ledger!.gaps.length, 1);
  assert.ok(ledger!.gaps[0]![1] > other.seconds, 'the gap is as long as it was away');
  const recorded = await wavSamples(join(running.folder(id), 'audio.wav'));
  assert.ok(
    recorded.every((sample) => Math.abs(sample) < 0.001),
    'nothing else was recorded',
  );
});

test('a stop takes 2 seconds even when the audio server hangs', async (t) => {
  const { pulse, open } = await setUp(t);
  const running = await open();
  const id = await running.start('Desk Mic');
  await eventually('there is something', () => samples(running, id) > 8000);
  const known = samples(running, id);
  const pid = await pidOf(running, id);
  pulse.hang();
  t.after(() => pulse.wake());
  const asked = performance.now();
  await running.captures.stop(id, stoppedBy);
  const tookMs = performance.now() - asked;
  assert.ok(tookMs < onThisMachine(2500), `${tookMs} ms`);
  const { data } = await running.last(id, 'audio.captured');
  assert.ok(data.ledger!.samples >= known);
  await eventually('no process is left', async () => !(await alive(pid)));
});

test('a capture that nobody adopts ends by itself, and its audio is taken later', async (t) => {
  const { root, pulse } = await setUp(t);
  const running = await openCapturingService(root, { env: pulse.env, limits: { orphanMs: 500 } });
  const id = await running.start('Desk Mic');
  await capturing(running, id);
  const pid = await pidOf(running, id);
  await running.close();
  await eventually('it has ended', async () => !(await alive(pid)));
  const next = await openCapturingService(root, { env: pulse.env });
  t.after(() => next.close());
  await next.takeUp(id);
  const { data } = await next.last(id, 'capture.interrupted');
  assert.equal(data.reason, 'orphaned');
});

test('at start, captures that nobody wants are ended and a chain that nobody uses is taken down', async (t) => {
  const { root, pulse, open } = await setUp(t);
  const before = await pulse.pactl('list', 'short', 'modules');
  const first = await open();
  await first.captures.combine({ microphone: 'mic.monitor', monitor: 'speakers.monitor' });
  const id = await first.start('mitschrift-combined');
  await capturing(first, id);
  const pid = await pidOf(first, id);
  await first.close();
  const during = await pulse.pactl('list', 'short', 'modules');
  assert.match(during, /mitschrift_combined/, 'a live capture keeps its chain');

  const second = await open();
  await second.captures.reconcile(await readdir(join(root, 'recordings')), async () => 'recording');
  assert.equal(await pulse.pactl('list', 'short', 'modules'), during);
  await second.close();

  const third = await open();
  await third.captures.reconcile(await readdir(join(root, 'recordings')), async () => 'erased');
  assert.deepEqual(await readdir(join(root, 'recordings', id)), []);
  assert.equal(await pulse.pactl('list', 'short', 'modules'), before);
  await eventually('its process is gone', async () => !(await alive(pid)));
});

test('a microphone that vanishes from a combined recording is named, and taken in again', async (t) => {
  const { pulse, open } = await setUp(t);
  const running = await open();
  await running.captures.combine({ microphone: 'desk_mic', monitor: 'speakers.monitor' });
  const id = await running.start('mitschrift-combined');
  await capturing(running, id);
  const modules = await pulse.pactl('list', 'short', 'modules');
  await pulse.pactl('unload-module', /^(\d+)\tmodule-remap-source/m.exec(modules)![1]!);
  const warned = await eventually('it is said', () =>
    running.captures.now(id)!.warnings.find(({ code }) => code === 'combined-incomplete'),
  );
  assert.match(warned.message, /microphone “desk_mic”/);
  // PipeWire would let it hear the loudspeakers.
  assert.doesNotMatch(await pulse.pactl('list', 'short', 'modules'), /source=desk_mic sink=/);
  await pulse.pactl(
    'load-module',
    'module-remap-source',
    'source_name=desk_mic',
    'master=mic.monitor',
  );
  await eventually('it is whole again', () => running.captures.now(id)!.warnings.length === 0);
  assert.match(
    await pulse.pactl('list', 'short', 'modules'),
    /source=desk_mic sink=mitschrift_combined/,
  );
  await running.captures.stop(id, stoppedBy);
  assert.deepEqual((await running.last(id, 'audio.captured')).data.ledger!.gaps, []);
  assert.doesNotMatch(await pulse.pactl('list', 'short', 'modules'), /mitschrift/);
});

/** Zombies count as gone: who reaps them is not ours. */
async function alive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat !== null && !/\) Z /.test(stat);
}

test('a capture whose recording was given to another ends without a word', async (t) => {
  const { root, pulse } = await setUp(t);
  const order = {
    folder: root,
    device: { name: 'Desk Mic', source: 'desk_mic', alsaConfig: desk },
    channels: 1,
    limits: { ...captureLimits, secondsMax: 60, freeBytesMin: 0 },
    env: pulse.env,
  } as const;
  const first = await startCapture(order);
  const second = await startCapture(order);
  assert.equal(await first.ended, 'died');
  await eventually('the second captures', () => second.status().state === 'capturing');
  second.stop();
  assert.equal(await second.ended, 'stopped');
  assert.notEqual(first.pid, second.pid);
});

const desk = alsaConfig([{ name: 'desk_mic', description: 'Desk Mic' }], null).text;

test('a pause outlives the service and the capture: nothing is recorded until it is resumed', async (t) => {
  const { open } = await setUp(t);
  const first = await open();
  const id = await first.start('Desk Mic');
  await eventually('there is something', () => samples(first, id) > 0);
  await first.command(id, { type: 'recording.paused', data: {} });
  await eventually('it is paused', () => first.captures.now(id)?.state === 'paused');
  const before = samples(first, id);
  await first.close();

  const next = await open();
  await next.takeUp(id);
  await eventually('it is still paused', () => next.captures.now(id)?.state === 'paused');
  const pid = await pidOf(next, id);
  process.kill(pid, 'SIGKILL');
  await eventually('another is paused', async () => {
    const live = await adoptCapture(next.folder(id));
    live?.release();
    return live && live.pid !== pid && live.status().state === 'paused';
  });
  assert.equal(samples(next, id), before);
  await next.command(id, { type: 'recording.resumed', data: {} });
  await eventually('it goes on', () => samples(next, id) > before);
  await next.captures.stop(id, stoppedBy);
  assert.deepEqual((await next.last(id, 'audio.captured')).data.ledger!.gaps, []);
});
