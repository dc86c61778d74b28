import assert from 'node:assert/strict';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ulid } from 'ulid';
import { combinedDevice } from '../../src/capture/device/alsa-config.ts';
import { StageError } from '../../src/shared/errors.ts';
import { align, wavSamples } from '../support/pulse-alignment.ts';
import {
  type CapturingService,
  openCapturingService,
  stoppedBy,
} from '../support/pulse-service.ts';
import { sentences, speech } from '../support/pulse-speech.ts';
import { eventually } from '../support/eventually.ts';
import { headerLast } from '../support/header-last.ts';
import { privatePulse } from '../support/pulse.ts';
import { tempDir } from '../support/temp-dir.ts';

const capturing = (service: CapturingService, id: string) =>
  eventually('it captures', () => service.captures.now(id)?.state === 'capturing');

test('what is said into a microphone is in the file, sample by sample, to the last word', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const said = await speech(root, 'mic', sentences.mic);
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  const id = await service.start('Desk Mic');
  await capturing(service, id);
  const levels: number[] = [];
  service.captures.onNow(({ level }) => levels.push(level?.peak ?? 0));
  await pulse.play(said.path, 'mic');
  await service.captures.stop(id, stoppedBy);

  assert.equal(service.state(id), 'transcribing.recognising');
  const captured = await service.last(id, 'audio.captured');
  const path = join(service.folder(id), captured.data.path);
  const bytes = await readFile(path);
  assert.equal(captured.data.sha256, headerLast(bytes));
  assert.equal(captured.data.bytes, bytes.length);
  const recorded = await wavSamples(path);
  assert.equal(captured.data.ledger?.samples, recorded.length);
  assert.equal(captured.data.duration, recorded.length / 16_000);
  assert.deepEqual(captured.data.ledger?.gaps, []);

  const { offset, windows } = align(said.samples, recorded);
  assert.ok(offset >= 0, 'the beginning is there');
  assert.ok(recorded.length >= offset + said.samples.length - 0.3 * 16_000, 'the end is there');
  // A lost block would move all that follows.
  for (const window of windows)
    assert.ok(window.correlation > 0.97 && Math.abs(window.shift) <= 16, JSON.stringify(window));
  assert.ok(levels.length > said.seconds * 5 && Math.max(...levels) > 0.1, 'levels were told');
  assert.deepEqual(await readdir(service.folder(id)), ['audio.wav']);
});

test('nothing is recorded while it is paused, and the pause leaves no hole', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const said = await speech(root, 'mic', 'This must not be heard');
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  const id = await service.start('Desk Mic');
  await capturing(service, id);
  await service.command(id, { type: 'recording.paused', data: {} });
  await eventually('it pauses', () => service.captures.now(id)?.state === 'paused');
  const before = service.captures.now(id)!.ledger.samples;
  await pulse.play(said.path, 'mic');
  assert.equal(service.captures.now(id)!.ledger.samples, before);
  await service.command(id, { type: 'recording.resumed', data: {} });
  await eventually('it goes on', () => service.captures.now(id)!.ledger.samples > before);
  await service.captures.stop(id, stoppedBy);
  const captured = await service.last(id, 'audio.captured');
  assert.deepEqual(captured.data.ledger?.gaps, []);
  const recorded = await wavSamples(join(service.folder(id), 'audio.wav'));
  assert.ok(recorded.every((sample) => Math.abs(sample) < 0.001));
});

test('a recording that is stopped while it starts ends in one way, and leaves nothing', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  const id = await service.start('Desk Mic');
  await eventually('it is at work', () => service.captures.heldBy('Desk Mic') === id);
  const ended = await service.captures.stop(id, stoppedBy).then(
    () => 'captured',
    (error: StageError) => error.code,
  );
  // How fast the device comes up is not ours: either nothing was heard, and said so, or what was is kept.
  if (ended === 'captured') {
    const kept = await service.last(id, 'audio.captured');
    assert.ok(kept.data.ledger!.samples > 0);
  } else {
    assert.equal(ended, 'nothing-captured');
    assert.equal((await service.last(id, 'stage.failed')).data.code, 'nothing-captured');
    assert.deepEqual(await readdir(service.folder(id)), []);
  }
  assert.equal(service.captures.heldBy('Desk Mic'), null);
  assert.doesNotMatch(await pulse.pactl('list', 'short', 'source-outputs'), /protocol-native/);
});

test('one device is held by one recording: of two starts at once the second is refused', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  service.captures.reserve('Desk Mic', 'A');
  assert.throws(
    () => service.captures.reserve('Desk Mic', 'B'),
    (error) => error instanceof StageError && error.code === 'device-taken',
  );
  service.captures.reserve('Desk Mic', 'A');
  await service.captures.unreserve('A');
  const [first, second] = [await service.start('Desk Mic'), await service.start('Desk Mic')];
  await capturing(service, first);
  const refused = await service.last(second, 'stage.failed');
  assert.equal(refused.data.code, 'device-taken');
  await service.captures.stop(first, stoppedBy);
  assert.equal(service.state(first), 'transcribing.recognising');
});

test('a device that is gone is an error that names those there are, never another device', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  const id = await service.start('Headset');
  const failed = await service.last(id, 'stage.failed');
  assert.equal(failed.data.code, 'device-gone');
  assert.match(failed.content!.message, /“Headset” is not connected\. Connected: .*Desk Mic/);
});

test('of two devices with one description each keeps its name, and none is taken for the other', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  const properties = `source_properties='device.description="Yeti"'`;
  const plugIn = async (name: string) => {
    const device = [`source_name=${name}`, 'master=mic.monitor', properties];
    return (await pulse.pactl('load-module', 'module-remap-source', ...device)).trim();
  };
  const yetis = async () => {
    const { devices } = await service.captures.devices();
    return devices.filter((name) => name.startsWith('Yeti'));
  };
  const first = await plugIn('yeti_a');
  assert.deepEqual(await yetis(), ['Yeti']);
  const [alone] = await yetis();
  const second = await plugIn('yeti_b');
  const both = await yetis();
  assert.equal(new Set(both).size, 2);
  // Which of the two had been meant is not known.
  await assert.rejects(service.captures.choose(alone!), {
    code: 'device-gone',
    message: /Yeti \(/,
  });
  await pulse.pactl('unload-module', first);
  const chosen = await Promise.allSettled(both.map((name) => service.captures.choose(name)));
  const found = chosen.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code));
  assert.deepEqual(found.toSorted(), ['Yeti', 'device-gone']);
  await pulse.pactl('unload-module', second);
  assert.deepEqual(await yetis(), []);
});

test('a combined recording that cannot be started leaves no microphone open', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  await service.captures.combine({ microphone: 'mic.monitor', monitor: 'speakers.monitor' });
  const id = ulid();
  // Where the claim is written there is a folder.
  await mkdir(join(service.folder(id), 'capture.json.tmp'), { recursive: true });
  await service.start(combinedDevice, id);
  await service.last(id, 'stage.failed');
  assert.doesNotMatch(await pulse.pactl('list', 'short', 'modules'), /mitschrift_/);
});

test('a discarded recording ends at once and nothing of it is left', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const service = await openCapturingService(root, { env: pulse.env });
  t.after(() => service.close());
  const id = await service.start('Desk Mic');
  await capturing(service, id);
  await service.command(id, { type: 'recording.discarded', data: {} });
  await eventually('it is over', () => service.captures.heldBy('Desk Mic') === null);
  assert.deepEqual(await readdir(service.folder(id)), []);
});

test('the time limit and a disk that fills up end a recording cleanly, with what there is', async (t) => {
  for (const [limited, reason] of [
    [{ hoursMax: 1 / 3600 }, 'limit-hours'],
    [{ freeBytesMin: Number.MAX_SAFE_INTEGER }, 'disk-low'],
  ] as const) {
    const root = await tempDir(t);
    const pulse = await privatePulse(t);
    const service = await openCapturingService(root, { env: pulse.env, ...limited });
    t.after(() => service.close());
    const id = await service.start('Desk Mic');
    const last = await service.last(id, 'capture.interrupted');
    assert.equal(last.data.reason, reason);
    assert.ok(last.data.ledger!.samples > 0);
  }
});
