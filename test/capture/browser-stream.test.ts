import pino from 'pino';
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OfferedFact } from '../../events/facts/catalogue.ts';
import { type RecordingFact, recordingStream } from '../../events/facts/recording.ts';
import { browserCaptures } from '../../src/capture/browser/browser-captures.ts';
import { finishedBrowserAudio } from '../../src/capture/browser/browser-file.ts';
import type { Intake } from '../../src/capture/browser/intake.ts';
import { type BrowserLimits, browserLimits } from '../../src/capture/browser/browser-writer.ts';
import {
  type AudioSender,
  type BrowserStream,
  openBrowserStream,
} from '../../src/capture/browser/browser-stream.ts';
import type { ControlState } from '../../src/capture/control-state.ts';
import type { Job } from '../../src/recordings/stages/run-stage.ts';
import { aloneControl } from '../support/alone-control.ts';
import { eventually } from '../support/eventually.ts';
import { sampleData } from '../support/plausible-events.ts';
import { memoryStore } from '../support/memory-store.ts';
import { openCapturingService, stoppedBy } from '../support/pulse-service.ts';
import { seeded, seeds } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { smallDisk } from '../faults/small-disk.ts';
import { audioOf } from '../support/audio-of.ts';

const log = pino({ level: 'silent' });
const pcm = randomBytes(60_000);
const layout = { rate: 16_000, channels: 1 } as const;

const open = (
  folder: string,
  limits: Partial<BrowserLimits> = {},
  more: { sharesFolders?: boolean; intake?: Intake } = {},
) =>
  openBrowserStream(folder, {
    sharesFolders: false,
    channelsMax: 2,
    limits: {
      ...browserLimits,
      secondsMax: 3600,
      freeBytesMin: 0,
      acknowledgeEveryMs: 1,
      ...limits,
    },
    log,
    share: undefined,
    intake: undefined,
    onAway() {},
    ...more,
  });

/** Of a recording that began then. */
const intakeSince = (since: number): Intake => ({
  since,
  before: 0,
  grow: async () => {},
  left: () => null,
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
  await assert.rejects(stream.attach(sender, 16_000), { code: 'ENOTDIR' });
  await rm(folder);
  assert.equal(await stream.attach(sender, 16_000), 0);
  assert.deepEqual(told.ended, []);
  await stream.close();
});

for (const seed of seeds({ short: 3, long: 60 })) {
  test(`what is counted while it comes is what is counted of the file (SEED=${seed})`, async (t) => {
    const random = seeded(seed);
    // Noise, silence with a step of dither, full scale, and silence that does not end with a piece.
    const quiet = Int16Array.from({ length: 9_000 }, () => random.below(2));
    const loud = Int16Array.from({ length: 30 }, (_, at) => (at % 2 ? 32_767 : -32_768));
    const samples = Buffer.concat([
      pcm.subarray(0, 8_000),
      Buffer.from(quiet.buffer),
      Buffer.from(loud.buffer),
      pcm.subarray(0, 1_000),
      Buffer.alloc(5_554),
    ]);
    const folder = await tempDir(t);
    const stream = await open(folder);
    const { sender } = connection();
    await stream.attach(sender, 16_000);
    for (let at = 0; at < samples.length;) {
      const end = Math.min(samples.length, at + 2 + 2 * random.below(3000));
      stream.take(sender, samples.subarray(at, end));
      at = end;
      if (random.chance(0.5)) await new Promise((resolve) => setImmediate(resolve));
    }
    stream.finish();
    await stream.ended;
    assert.equal(stream.measured?.samples, samples.length / 2);
    const { measured } = stream;
    const counted = await finishedBrowserAudio(folder, layout, { measured });
    assert.deepEqual(counted, await finishedBrowserAudio(folder, layout));
    assert.ok(counted.ledger.silent_seconds > 0.5 && counted.ledger.clipped_samples >= 30);
    const file = await readFile(join(folder, 'audio.wav'));
    assert.equal(counted.sha256, createHash('sha256').update(file).digest('hex'));
    await stream.close();
  });
}

test('what a process still writes that was lost reaches nothing of what another goes on with', async (t) => {
  const folder = await tempDir(t);
  const [lost, present] = [await open(folder), connection()];
  const before = connection();
  await lost.attach(before.sender, 16_000);
  lost.take(before.sender, pcm.subarray(0, 20_000));
  await eventually('it is on the disk', () => before.told.acknowledged === 10_000);
  const stream = await open(folder, {}, { sharesFolders: true });
  assert.equal(await stream.attach(present.sender, 16_000), 10_000);
  stream.take(present.sender, pcm.subarray(20_000));
  await eventually('it goes on', () => present.told.acknowledged === 30_000);
  lost.take(before.sender, Buffer.alloc(10_000));
  await lost.close();
  stream.stop(present.sender);
  assert.equal(await stream.ended, 'stopped');
  assert.ok((await audioIn(folder)).equals(pcm));
  await stream.close();
});

test('of a file that another process began all is counted at its end', async (t) => {
  const folder = await tempDir(t);
  const first = await open(folder);
  const before = connection();
  await first.attach(before.sender, 16_000);
  first.take(before.sender, Buffer.alloc(16_000));
  await first.close();
  const second = await open(folder);
  const { sender } = connection();
  assert.equal(await second.attach(sender, 16_000), 8_000);
  second.take(sender, Buffer.alloc(16_000));
  second.finish();
  await second.ended;
  const { measured } = second;
  const { ledger } = await finishedBrowserAudio(folder, layout, { measured });
  assert.equal(ledger.silent_seconds, 1);
  await second.close();
});

test('a recording is no longer than `limits.recording_hours`', async (t) => {
  const files = audioOf(await tempDir(t));
  const captures = browserCaptures({
    store: memoryStore(),
    log,
    files,
    fileEnds: { tell() {} },
    combinedChannels: () => 'split',
    hoursMax: () => 1 / 3600,
    freeBytesMin: async () => 0,
    control: aloneControl,
    admit: undefined,
    limits: {},
  });
  const appended: RecordingFact[] = [];
  const { signal } = new AbortController();
  const append = async (fact: RecordingFact) => void appended.push(fact);
  const job = { recordingId: 'r1', signal, append } as Partial<Job> as Job;
  const over = captures.activity(job, {} as ControlState);
  const stream = await captures.stream('r1');
  const { sender } = connection();
  await stream.attach(sender, 8000);
  stream.take(sender, pcm.subarray(0, 20_000));
  await over;
  assert.deepEqual(
    appended.map(({ type, data }) => [type, 'reason' in data && data.reason]),
    [['capture.interrupted', 'limit-hours']],
  );
  assert.ok((await audioIn(files.captureFolder('r1'))).equals(pcm.subarray(0, 16_000)));
});

test('a recording that is taken over on a full disk waits for room, and goes on with what there is', async (t) => {
  const disk = await smallDisk(t);
  const files = audioOf(disk.folder);
  const folder = files.captureFolder('r1');
  const earlier = await open(folder);
  const before = connection();
  await earlier.attach(before.sender, 16_000);
  earlier.take(before.sender, pcm.subarray(0, 20_000));
  await earlier.close();
  await disk.fill(8192);
  const captures = browserCaptures({
    store: memoryStore(),
    log,
    files,
    fileEnds: { tell() {} },
    combinedChannels: () => 'split',
    hoursMax: () => 1,
    freeBytesMin: async () => 0,
    control: { ...aloneControl, sharesFolders: true },
    admit: undefined,
    limits: {},
  });
  const stopping = new AbortController();
  const waits: unknown[] = [];
  const waiting: Job['waiting'] = (what) => void waits.push(what?.for?.code ?? null);
  const isErased = () => false;
  const job = {
    recordingId: 'r1',
    signal: stopping.signal,
    isErased,
    waiting,
  } as Partial<Job> as Job;
  const over = captures.activity(job, {} as ControlState);
  await eventually('it waits', () => waits.at(-1) === 'disk-space');
  await disk.free();
  const stream = await captures.stream('r1');
  assert.equal(await stream.attach(connection().sender, 16_000), 10_000);
  assert.equal(waits.at(-1), null);
  stopping.abort();
  await over;
});

test('a recording that another process has is stopped there, and is over when that is answered', async (t) => {
  const store = memoryStore();
  const files = audioOf(await tempDir(t));
  const told: string[] = [];
  let isThere = true;
  const deps: Parameters<typeof browserCaptures>[0] = {
    store,
    log,
    files,
    fileEnds: { tell() {} },
    combinedChannels: () => 'split',
    hoursMax: () => 1,
    freeBytesMin: async () => 0,
    control: {
      sharesFolders: true,
      takeOver: async () => false,
      stopElsewhere(recordingId) {
        told.push(recordingId);
        if (isThere) void store.append(recordingStream(recordingId), [ended], 1);
      },
    },
    admit: undefined,
    limits: {},
  };
  const captures = browserCaptures(deps);
  const by = { run: 1, machine: 1, by: 'ada' } as const;
  const began = {
    type: 'recording.started',
    data: { ...sampleData['recording.started'], device: null },
    ...by,
    command: 'begin',
    to: 'recording.active',
  } as OfferedFact;
  const ended = {
    type: 'audio.captured',
    data: sampleData['audio.captured'],
    ...by,
    command: 'stop',
    to: 'transcribing.recognising',
  } as OfferedFact;
  for (const recordingId of ['r1', 'r2'])
    await store.append(recordingStream(recordingId), [began], 0);
  await captures.stop('r1', stoppedBy);
  assert.deepEqual(told, ['r1']);
  await assert.rejects(captures.stop('r1', stoppedBy), { code: 'not-recording' });
  isThere = false;
  const again = { code: 'recorded-elsewhere', retriable: true };
  const alone = browserCaptures({ ...deps, control: aloneControl });
  const [another, here] = [/^Another server/, /^This server/];
  await Promise.all([
    assert.rejects(captures.stop('r2', stoppedBy), { ...again, message: another }),
    assert.rejects(captures.stream('r2'), { ...again, message: another }),
    // Here it has no stream yet: its activity may wait for the disk.
    assert.rejects(alone.stop('r2', stoppedBy), { ...again, message: here }),
    assert.rejects(alone.stream('r2'), { ...again, message: here }),
  ]);
});

test('a stop is answered while its end is waited for, as accepted', async (t) => {
  const root = await tempDir(t);
  const captures = browserCaptures({
    store: memoryStore(),
    log,
    files: audioOf(root),
    fileEnds: { tell() {} },
    combinedChannels: () => 'split',
    hoursMax: () => 1,
    freeBytesMin: async () => 0,
    control: aloneControl,
    admit: undefined,
    limits: {},
  });
  let taken = () => {};
  const append = async () => await new Promise<void>((resolve) => (taken = resolve));
  const { signal } = new AbortController();
  const over = captures.activity(
    { recordingId: 'r1', signal, append } as Partial<Job> as Job,
    {} as ControlState,
  );
  const stream = await captures.stream('r1');
  const { sender } = connection();
  await stream.attach(sender, 8000);
  stream.take(sender, pcm.subarray(0, 2000));
  const devices = await openCapturingService(await tempDir(t), { env: process.env });
  t.after(() => devices.close());
  devices.captures.reserve('Mic', 'r2');
  await Promise.all([captures.stop('r1', stoppedBy), devices.captures.stop('r2', stoppedBy)]);
  taken();
  await over;
});

test('a connection that sends faster than time goes by is held, not what it had recorded before', async (t) => {
  const second = Buffer.alloc(16_000, 1);
  const sendMinutes = async (since: number, held: number): Promise<boolean> => {
    const intake = intakeSince(since);
    const stream = await open(await tempDir(t), { pendingBytesMax: 1e9 }, { intake });
    const { sender, told } = connection();
    await stream.attach(sender, 8000, held);
    for (let sent = 0; sent < 300; sent += 1) stream.take(sender, second);
    const isHeld = told.held.at(-1) === true;
    await stream.close();
    assert.equal((told.acknowledged || stream.samples) > 0, true);
    return isHeld;
  };
  assert.equal(await sendMinutes(Date.now(), 0), true);
  assert.equal(await sendMinutes(Date.now(), 300 * 8000), false);
  assert.equal(await sendMinutes(Date.now() - 300_000, 0), false);
});

test('a clock that is set back holds nobody who sends as time goes by', async (t) => {
  const now = Date.parse('2026-05-06T07:00:00Z');
  t.mock.timers.enable({ apis: ['Date'], now });
  const intake = intakeSince(now - 300_000);
  const folder = await tempDir(t);
  const openHere = () => open(folder, { pendingBytesMax: 1e9 }, { intake });
  const sendSeconds = async (stream: BrowserStream, count: number): Promise<boolean> => {
    const { sender, told } = connection();
    await stream.attach(sender, 8000);
    for (let sent = 0; sent < count; sent += 1) stream.take(sender, Buffer.alloc(16_000, 1));
    const isHeld = told.held.at(-1) === true;
    await stream.close();
    return isHeld;
  };
  assert.equal(await sendSeconds(await openHere(), 300), false);
  t.mock.timers.setTime(now - 3_600_000);
  assert.equal(await sendSeconds(await openHere(), 30), false);
  assert.equal(await sendSeconds(await openHere(), 300), true);
});
