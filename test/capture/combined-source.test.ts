import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import {
  type CombinedChannels,
  cancelModule,
  combinedMonitor,
  combinedSink,
  instanceOf,
} from '../../src/capture/pulse/combined-chain.ts';
import { combinedSource } from '../../src/capture/pulse/combined-source.ts';
import { adoptCapture } from '../../src/capture/process/client.ts';
import { type Pulse, openPulse } from '../../src/capture/pulse/pulse.ts';
import { exists } from '../../src/shared/files.ts';
import { takeUp } from '../../src/service/take-up.ts';
import { align, wavSamples } from '../support/pulse-alignment.ts';
import { openCapturingService, stoppedBy } from '../support/pulse-service.ts';
import { sentences, speech } from '../support/pulse-speech.ts';
import { eventually } from '../support/eventually.ts';
import { privatePulse } from '../support/pulse.ts';
import { tempDir } from '../support/temp-dir.ts';

const selection = { microphone: 'desk_mic', monitor: 'speakers.monitor' };

async function setUp(
  t: TestContext,
  channels: 'mix' | 'split' = 'mix',
  { cancelsEcho = false } = {},
) {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const path = join(root, 'combined.json');
  const client = openPulse({ env: pulse.env });
  const open = (instance: string) =>
    combinedSource({
      path,
      instance,
      pulse: client,
      channels: () => channels,
      cancelsEcho: () => cancelsEcho,
    });
  const modules = () => pulse.pactl('list', 'short', 'modules');
  return { root, pulse, path, client, open, modules };
}

const chainForms = [false, true].map((cancelsEcho) => ({ cancelsEcho }));

for (const form of chainForms) {
  const { cancelsEcho } = form;
  test(`a chain is built once, found again by another process, and taken down whole (cancelsEcho ${cancelsEcho})`, async (t) => {
    const { pulse, path, client, open, modules } = await setUp(t, 'mix', form);
    const before = await modules();
    const defaults = await client.defaults();
    const indices = await open('ab').select(selection);
    assert.equal(indices.length, 3);
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), selection);
    const sink = (await client.sinks()).find(({ name }) => name === combinedSink('ab'));
    assert.equal(sink?.description, 'mitschrift-combined');
    assert.deepEqual(await client.defaults(), defaults);

    const later = open('ab');
    assert.deepEqual(await later.build(), indices);
    assert.equal(await later.stands(), true);
    await pulse.pactl('unload-module', String(indices[1]));
    assert.equal(await later.stands(), false);
    const mended = await later.build();
    assert.deepEqual([mended[0], mended[2]], [indices[0], indices[2]]);
    await later.forget();
    assert.equal(await modules(), before);
    assert.equal(await later.selection(), null);
    assert.deepEqual(await client.defaults(), defaults);
  });
}

test('an audio server that cannot cancel echoes combines without', async (t) => {
  const { path, client, modules } = await setUp(t);
  const refusing = {
    ...client,
    async loadModule(name: string, args: readonly string[]) {
      return await client.loadModule(name === cancelModule ? 'module-not-there' : name, args);
    },
  };
  const combined = combinedSource({
    path,
    instance: 'ab',
    pulse: refusing,
    channels: () => 'mix',
    cancelsEcho: () => true,
  });
  assert.equal((await combined.select(selection)).length, 3);
  assert.equal(await combined.stands(), true);
  assert.equal((await modules()).match(/mitschrift_combined_ab/g)?.length, 3);
  assert.doesNotMatch(await modules(), /mitschrift_left/);
});

test('what the microphone hears of the loudspeakers is taken out, and the person stays', async (t) => {
  const { root, pulse } = await setUp(t);
  const said = {
    mic: await speech(root, 'mic', sentences.mic),
    speakers: await speech(root, 'speakers', sentences.speakers),
  };
  // The room: what is played comes back into the microphone, later and not so loud.
  const room = ['source=speakers.monitor', 'sink=mic', 'latency_msec=60'];
  await pulse.pactl('load-module', 'module-loopback', ...room);
  const streams = async () => (await pulse.pactl('list', 'short', 'sink-inputs')).trim();
  await eventually('the room stands', async () => (await streams()) !== '');
  await pulse.pactl('set-sink-input-volume', (await streams()).split('\t')[0]!, '70%');
  const service = await openCapturingService(root, {
    env: pulse.env,
    channels: 'split',
    cancelsEcho: true,
  });
  t.after(() => service.close());
  await service.captures.combine({ ...selection, microphone: 'mic.monitor' });
  const id = await service.start('mitschrift-combined');
  await eventually('it captures', () => service.captures.now(id)?.state === 'capturing');
  await pulse.play(said.speakers.path, 'speakers');
  await pulse.play(said.mic.path, 'mic');
  const heard = service.captures.now(id)!.duration;
  await eventually('the buffers are empty', () => service.captures.now(id)!.duration > heard + 1.2);
  await service.captures.stop(id, stoppedBy);
  await service.last(id, 'audio.captured');

  const path = join(service.folder(id), 'audio.wav');
  const [microphone, speakers] = [await wavSamples(path, 0), await wavSamples(path, 1)];
  const played = align(said.speakers.samples, speakers);
  const [from, to] = [played.offset, played.offset + said.speakers.samples.length];
  // Uncancelled it is 9 dB below. It takes a moment to learn the room.
  const learnt = from + 16_000;
  const echo = level(microphone.subarray(learnt, to)) - level(speakers.subarray(learnt, to));
  assert.ok(echo < -20, `${echo} dB`);
  // Its words: `test/e2e/combined-recording.test.ts`. Clocks that are matched along the way change single samples.
  const { offset } = align(said.mic.samples, microphone, { seconds: 1 });
  const person = microphone.subarray(offset, offset + said.mic.samples.length);
  const change = level(person) - level(said.mic.samples);
  assert.ok(Math.abs(change) < 6, `${change} dB`);
});

const level = (samples: Float64Array): number =>
  10 * Math.log10(samples.reduce((sum, one) => sum + one * one, 0) / samples.length);

test('modules of other instances and other people are never touched', async (t) => {
  const { pulse, open, modules } = await setUp(t);
  await open('other').select(selection);
  await pulse.pactl('load-module', 'module-loopback', 'source=desk_mic', 'sink=speakers');
  await pulse.pactl('load-module', 'module-null-sink', 'sink_name=mitschrift_combined_abc');
  const before = await modules();
  await open('ab').build();
  await open('ab').teardown();
  assert.equal(await modules(), before);
});

test('while nothing was ever combined, the audio server is not asked to take it down', async (t) => {
  const pulse = new Proxy({} as Pulse, {
    get: () => () => Promise.reject(new Error('the audio server was asked')),
  });
  const path = join(await tempDir(t), 'combined.json');
  const source = combinedSource({
    path,
    instance: 'ab',
    pulse,
    channels: () => 'mix',
    cancelsEcho: () => true,
  });
  await source.teardown();
  await writeFile(path, 'damaged');
  await assert.rejects(source.teardown(), /was asked/);
});

test('two builds at once make one chain', async (t) => {
  const { open, modules } = await setUp(t);
  const combined = open('ab');
  const [first, second] = await Promise.all([combined.select(selection), combined.build()]);
  assert.deepEqual(first, second);
  assert.equal((await modules()).match(/mitschrift_combined_ab/g)?.length, 3);
});

test('another selection replaces what of the chain is another', async (t) => {
  const { pulse, open, modules } = await setUp(t);
  const first = await open('ab').select(selection);
  const second = await open('ab').select({ ...selection, microphone: 'mic.monitor' });
  assert.deepEqual([second[0], second[2]], [first[0], first[2]]);
  assert.doesNotMatch(await modules(), /source=desk_mic sink=mitschrift/);
  // A server that was started again has none of it.
  await pulse.kill();
  await pulse.start();
  assert.equal(await open('ab').stands(), false);
  await open('ab').build();
  assert.equal(await open('ab').stands(), true);
});

test('what cannot be combined is refused by name, and nothing is stored or built', async (t) => {
  const { open, modules, path } = await setUp(t);
  const before = await modules();
  const combined = open('ab');
  await assert.rejects(combined.build(), { code: 'nothing-combined' });
  for (const [wrong, expected] of [
    [
      { ...selection, microphone: 'lost_mic' },
      { code: 'source-gone', message: /“lost_mic”/ },
    ],
    [
      { ...selection, monitor: 'lost.monitor' },
      { code: 'source-gone', message: /“lost.monitor”/ },
    ],
    [{ ...selection, microphone: 'speakers.monitor' }, { code: 'combined-with-itself' }],
    [{ ...selection, microphone: combinedMonitor('ab') }, { code: 'combined-with-itself' }],
    [{ ...selection, monitor: combinedMonitor('zz') }, { code: 'combined-with-itself' }],
    [{ microphone: 'mic.monitor', monitor: 'desk_mic' }, { code: 'not-a-monitor' }],
  ] as const) {
    await assert.rejects(combined.select(wrong), expected);
  }
  assert.equal(await modules(), before);
  await assert.rejects(readFile(path), { code: 'ENOENT' });
});

test('a selection that cannot be built leaves the one that was', async (t) => {
  const { path, client, open } = await setUp(t);
  const refusing = {
    ...client,
    loadModule: (_: string, args: readonly string[]) => client.loadModule('module-not-there', args),
  };
  const broken = combinedSource({
    path,
    instance: 'ab',
    pulse: refusing,
    channels: () => 'mix',
    cancelsEcho: () => false,
  });
  await assert.rejects(broken.select(selection), { code: 'audio-server-refused' });
  assert.equal(await broken.selection(), null);
  await open('ab').select(selection);
  await assert.rejects(broken.select({ ...selection, microphone: 'mic.monitor' }), {
    code: 'audio-server-refused',
  });
  assert.deepEqual(await broken.selection(), selection);
});

test('a recording keeps the form of its chain, whatever the settings say meanwhile', async (t) => {
  const { root, pulse, modules } = await setUp(t);
  const options = { env: pulse.env, channels: 'split' as CombinedChannels, cancelsEcho: false };
  const first = await openCapturingService(root, options);
  await first.captures.combine({ ...selection, microphone: 'mic.monitor' });
  const id = await first.start('mitschrift-combined');
  const chain = async () => (await modules()).match(/module-.*mitschrift_.*/g)?.toSorted();
  await eventually('it captures', () => first.captures.now(id)?.state === 'capturing');
  const began = await chain();
  const lose = async () => {
    const [lost] = (await modules())
      .split('\n')
      .filter((one) => one.includes('source=mic.monitor'));
    await pulse.pactl('unload-module', lost!.split('\t')[0]!);
    await eventually('it is mended as it was', async () => isDeepStrictEqual(await chain(), began));
  };
  Object.assign(options, { channels: 'mix', cancelsEcho: true });
  await lose();
  // Nor does the service that is started meanwhile change it.
  await first.close();
  const second = await openCapturingService(root, options);
  t.after(() => second.close());
  await second.takeUp(id);
  await eventually('it is taken up', () => second.captures.now(id)?.state === 'capturing');
  await lose();
  await second.captures.stop(id, stoppedBy);
  assert.equal((await second.last(id, 'audio.captured')).data.split, true);
});

for (const channels of ['mix', 'split'] as const) {
  test(`microphone and loudspeakers are recorded together (${channels}), and the chain goes with the recording`, async (t) => {
    const { root, pulse, modules } = await setUp(t);
    const before = await modules();
    const said = {
      mic: await speech(root, 'mic', sentences.mic),
      speakers: await speech(root, 'speakers', sentences.speakers),
    };
    const service = await openCapturingService(root, { env: pulse.env, channels });
    t.after(() => service.close());
    // Not through the remapped source: a loopback from one wavers by some milliseconds.
    const chosen = { ...selection, microphone: 'mic.monitor' };
    assert.equal((await service.captures.combine(chosen)).length, 3);
    const { microphones, monitors } = await service.captures.sources();
    assert.deepEqual([...microphones, ...monitors].map(({ name }) => name).toSorted(), [
      'desk_mic',
      'mic.monitor',
      'speakers.monitor',
    ]);
    const listed = await service.captures.devices();
    assert.ok(listed.devices.includes('mitschrift-combined'));
    assert.equal(listed.default, 'Desk Mic');
    const id = await service.start('mitschrift-combined');
    await eventually('it captures', () => service.captures.now(id)?.state === 'capturing');
    await assert.rejects(service.captures.combine(chosen), { code: 'combined-in-use' });
    await Promise.all([
      pulse.play(said.mic.path, 'mic'),
      pulse.play(said.speakers.path, 'speakers'),
    ]);
    // What was played last is still in the loopbacks' buffers.
    const heard = service.captures.now(id)!.duration;
    await eventually(
      'the buffers are empty',
      () => service.captures.now(id)!.duration > heard + 0.9,
    );
    await service.captures.stop(id, stoppedBy);
    assert.equal(await modules(), before);

    const captured = await service.last(id, 'audio.captured');
    assert.deepEqual(captured.data.ledger?.gaps, []);
    assert.equal(captured.data.split, channels === 'split' ? true : undefined);
    const path = join(service.folder(id), 'audio.wav');
    for (const [channel, who] of (['mic', 'speakers'] as const).entries()) {
      const recorded = await wavSamples(path, channels === 'split' ? channel : 0);
      const { offset, windows } = align(said[who].samples, recorded);
      assert.ok(offset >= 0, `the beginning of ${who}`);
      // Mixed, the other voice is noise to this one.
      const least = channels === 'split' ? 0.98 : 0.5;
      const mean = windows.reduce((sum, one) => sum + one.correlation, 0) / windows.length;
      assert.ok(mean > least, `${who}: ${mean}`);
    }
    const { devices } = await service.captures.devices();
    assert.ok(devices.includes('mitschrift-combined'), 'it can be recorded again');
  });
}

test('a level that is heard of both together leaves no chain, and one that a killed service left goes, too, where its log is damaged', async (t) => {
  const { root, pulse, modules, open } = await setUp(t);
  const before = await modules();
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  const ours = open(instanceOf(root));
  await ours.remember(selection);
  const heard = new AbortController();
  await service.captures.hear('mitschrift-combined', {
    signal: heard.signal,
    onLevel: () => heard.abort(),
  });
  assert.equal(await modules(), before);

  await ours.build();
  assert.notEqual(await modules(), before);
  const damaged = {
    store: { health: () => ({ state: 'damaged' }) },
    captures: service.captures,
    leftFolders: [],
    recordsDevices: true,
    log: pino({ level: 'silent' }),
  };
  assert.equal(await takeUp(damaged as unknown as Parameters<typeof takeUp>[0]), 0);
  assert.equal(await modules(), before);
});

test('what a killed service left recording keeps its chain until it ends: no level is heard of it, nothing else joined', async (t) => {
  const { root, pulse, modules, open } = await setUp(t);
  const before = await modules();
  const first = await openCapturingService(root, { env: pulse.env });
  await open(instanceOf(root)).remember(selection);
  const id = await first.start('mitschrift-combined');
  await eventually('it captures', () => first.captures.now(id)?.state === 'capturing');
  assert.equal(first.captures.combinedLeft(), null, 'this service began it');
  await first.close();
  const chain = await modules();
  assert.notEqual(chain, before);

  // As where the log is damaged: nobody takes it up.
  const second = await openCapturingService(root, { env: pulse.env });
  assert.deepEqual(await second.captures.reconcile([id], async () => 'recording'), [id]);
  const hear = () =>
    second.captures.hear('mitschrift-combined', {
      signal: AbortSignal.timeout(5000),
      onLevel() {},
    });
  await assert.rejects(hear, { code: 'device-taken' });
  await assert.rejects(second.captures.combine(selection), { code: 'combined-in-use' });
  await second.close();
  assert.equal(await modules(), chain);

  const third = await openCapturingService(root, { env: pulse.env });
  await third.captures.reconcile([id], async () => 'recording');
  await third.takeUp(id);
  await eventually('it is taken up', () => third.captures.now(id)?.state === 'capturing');
  assert.deepEqual(third.captures.combinedLeft(), { id, owner: 'guest' });
  await third.captures.stop(id, stoppedBy);
  assert.equal(await modules(), before);

  // One that ended without anybody: its chain goes with the service.
  const left = await third.start('mitschrift-combined');
  await eventually('it captures', () => third.captures.now(left)?.state === 'capturing');
  await third.close();
  const fourth = await openCapturingService(root, { env: pulse.env });
  await fourth.captures.reconcile([left], async () => 'recording');
  const capture = await adoptCapture(fourth.folder(left));
  capture!.stop();
  await capture!.ended;
  await fourth.close();
  assert.equal(await modules(), before);
});

test('where a recording is refused that took the device from who heard its level, no chain stays', async (t) => {
  const { root, pulse, modules, open } = await setUp(t);
  const before = await modules();
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  await open(instanceOf(root)).remember(selection);
  let isHeard = false;
  const heard = service.captures.hear('mitschrift-combined', {
    signal: AbortSignal.timeout(30_000),
    onLevel: () => (isHeard = true),
  });
  await eventually('it is heard', () => isHeard);
  service.captures.reserve('mitschrift-combined', 'A');
  await heard;
  await service.captures.unreserve('A');
  assert.equal(await modules(), before);
});

test('what a call uses is chosen where its chain can be built, and what was chosen again where nothing is recorded', async (t) => {
  const { root, pulse, path, modules } = await setUp(t);
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  const before = await modules();
  const undo = await service.captures.combineNext(selection);
  assert.notEqual(await modules(), before);
  await undo();
  assert.equal(await modules(), before);
  assert.equal(await exists(path), false);

  // A sink of this name, which was made in another way.
  const taken = combinedSink(instanceOf(root));
  const pipe = ['module-pipe-sink', `sink_name=${taken}`, `file=${join(root, 'pipe')}`];
  await pulse.pactl('load-module', ...pipe);
  const foreign = await modules();
  await assert.rejects(service.captures.combineNext(selection), { code: 'audio-server-refused' });
  assert.equal(await modules(), foreign);
  assert.equal(await exists(path), false);
});
