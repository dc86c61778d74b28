import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { recordingStream } from '../../events/facts/recording.ts';
import { wavHeader } from '../../src/audio/wav.ts';
import { writeClaim, writeNotes } from '../../src/capture/file/capture-files.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { StageError } from '../../src/shared/errors.ts';
import { diskAt } from '../../src/shared/files.ts';
import { failure } from '../../src/words/failures.ts';
import { smallDisk } from '../faults/small-disk.ts';
import { connect, startService, withAda } from '../support/http-client.ts';
import { runningId, runningRecording } from '../support/running-recording.ts';

test('a recording whose disk refuses its browser does not wait for it for ever', async (t) => {
  const { service, token } = await withAda(t, {
    stages: { capture: undefined },
    browserLimits: { graceMs: 300 },
  });
  // Where what is sent is to be noted, nothing can be written once the stream is open.
  let note = '';
  const { browser } = service.services.captures;
  const stream = browser.stream.bind(browser);
  browser.stream = async (recordingId) => {
    const opened = await stream(recordingId);
    note = join(service.dataDir, 'recordings', recordingId, 'capture-browser.json');
    await mkdir(note, { recursive: true });
    return opened;
  };
  const client = connect(service.url, token);
  t.after(() => client.close());
  await client.until(({ type }) => type === 'position');
  const start = { type: 'audio.start', kind: 'solo', sample_rate: 16_000 };
  client.socket.send(JSON.stringify(start));
  await client.until(({ type, code }) => type === 'warning' && code === 'internal');
  await rm(note, { recursive: true });
  // The browser is still there, and sends nothing: there is no audio.
  const id = note.split('/').at(-2)!;
  await service.reaches(id, 'error');
});

test('a disk that takes a new recording takes all of it, down to half of what must be free', async (t) => {
  const disk = await smallDisk(t);
  const { service, token } = await withAda(t, {
    dataDir: join(disk.folder, 'data'),
    stages: { capture: undefined },
    env: { MITSCHRIFT_LIMITS_FREE_MB: '8' },
    browserLimits: { upkeepMs: 0, acknowledgeEveryMs: 1 },
  });
  const client = connect(service.url, token);
  t.after(() => client.close());
  await client.until(({ type }) => type === 'position');
  client.socket.send(JSON.stringify({ type: 'audio.start', kind: 'solo', sample_rate: 16_000 }));
  await client.until(({ type }) => type === 'audio.ready');
  const over = client.until(({ type }) => type === 'audio.ended');
  const second = Buffer.alloc(32_000, 1);
  for (let samples = 16_000; samples <= 160_000; samples += 16_000) {
    client.socket.send(second);
    const kept = client.until((one) => one.type === 'audio.ack' && one['samples'] === samples);
    assert.equal((await Promise.race([over, kept])).type, 'audio.ack', `${samples} samples`);
  }
  const { free } = await diskAt(disk.folder);
  await writeFile(join(disk.folder, 'other'), Buffer.alloc(free - 3 * 2 ** 20));
  client.socket.send(second);
  assert.equal((await over)['reason'], 'disk-low');
});

for (const sender of ['browser', 'recorder']) {
  test(`what a ${sender} recorded stays when its end fails: it is not cleared away, and a retry takes it`, async (t) => {
    const { service, token } = await withAda(t, {
      stages: { capture: undefined },
      browserLimits: { graceMs: 300, restartGraceMs: 0 },
    });
    const client = connect(service.url, token);
    t.after(() => client.close());
    await client.until(({ type }) => type === 'position');
    const start = { type: 'audio.start', kind: 'solo', sample_rate: 16_000 };
    client.socket.send(JSON.stringify(sender === 'browser' ? start : { ...start, sender }));
    const ready = await client.until(({ type }) => type === 'audio.ready');
    const id = String(ready['recording_id']);
    client.socket.send(Buffer.alloc(32_000, 1));
    await client.until(({ type, samples }) => type === 'audio.ack' && samples === 16_000);
    const folder = join(service.dataDir, 'recordings', id);
    const note = join(folder, 'capture-browser.json');
    const noted = await readFile(note);
    await writeFile(note, 'damaged');
    client.socket.send(JSON.stringify({ type: 'audio.stop' }));
    await service.reaches(id, 'error');

    const cleared = await service.call('POST', `/recordings/${id}/clear`, { token });
    assert.equal(cleared.status, 409);
    assert.match(String(cleared.body['detail']), /audio/);
    await writeFile(note, noted);
    // The hotkey resets what can be reset, and what was recorded is taken.
    const reset = await service.call('POST', '/toggle', { token, json: { action: 'reset' } });
    assert.equal(reset.status, 200);
    await service.reaches(id, 'idle.saved');
    const audio = await readFile(join(folder, 'audio.wav'));
    assert.ok(audio.subarray(44).equals(Buffer.alloc(32_000, 1)));
  });
}

test('who tries again what never began opens no microphone: there is nothing to take', async (t) => {
  const absent: StageActivity = () => {
    throw new StageError(failure('no-device-connected'), { retriable: true });
  };
  const { service: first, token } = await withAda(t, { stages: { capture: absent } });
  const id = await runningRecording(first, token, 'Mic');
  await first.reaches(id, 'error');
  await first.close();

  const service = await startService(t, {
    stages: { capture: undefined },
    dataDir: first.dataDir,
  });
  const retried = await service.call('POST', `/recordings/${id}/retry`, { token });
  assert.equal(retried.status, 202, JSON.stringify(retried.body));
  await service.reaches(id, 'error');
  const { body } = await service.call<{ error: { code: string } }>('GET', `/recordings/${id}`, {
    token,
  });
  assert.equal(body.error.code, 'nothing-captured');
});

test('a capture that a retry did not help takes the switch from nobody', async (t) => {
  const failing: StageActivity = () => {
    throw new StageError(failure('no-device-connected'), { retriable: true });
  };
  const { service, token } = await withAda(t, {
    stages: { capture: failing },
    env: { MITSCHRIFT_AUDIO_DEVICE: 'No such device' },
  });
  await runningRecording(service, token, 'Mic');
  await service.reaches(runningId, 'error');
  const folder = join(service.dataDir, 'recordings', runningId);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'audio.wav'), withSamples(1, 16_000));
  const press = () => service.call('POST', '/toggle', { token });
  const first = await press();
  assert.equal(first.body['action'], 'reset', JSON.stringify(first.body));
  await service.reaches(runningId, 'error');
  // Now it records, or says why it cannot.
  const second = await press();
  assert.notEqual(second.body['action'], 'reset');
  assert.ok([409, 503].includes(second.status), JSON.stringify(second.body));
  assert.match(String(second.body['detail']), /No such device|mitschrift record/);
});

test('a capture without audio is cleared by the switch, also when it was tried again before', async (t) => {
  const failing: StageActivity = () => {
    throw new StageError(failure('no-device-connected'), { retriable: true });
  };
  const { service, token } = await withAda(t, { stages: { capture: failing } });
  await runningRecording(service, token, 'Mic');
  await service.reaches(runningId, 'error');
  const retried = await service.call('POST', `/recordings/${runningId}/retry`, { token });
  assert.equal(retried.status, 202);
  await service.reaches(runningId, 'error');
  const { body } = await service.call('POST', '/toggle', { token });
  assert.deepEqual(body, { action: 'reset', recording_id: runningId, status: 'IDLE' });
});

/** A device's recording that failed while its audio lay there, behind a restart of the service. */
async function failedWithAudio(
  t: TestContext,
  { channels, retriable }: { channels: 1 | 2; retriable: boolean },
) {
  let folder = '';
  const failing: StageActivity = async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'audio.wav'), withSamples(channels, 16_000));
    throw new StageError(failure('no-device-connected'), { retriable });
  };
  const first = await startService(t, { stages: { capture: failing } });
  folder = join(first.dataDir, 'recordings', runningId);
  const token = await first.setUp();
  await runningRecording(first, token, 'Mic');
  await first.reaches(runningId, 'error');
  await first.close();
  const { dataDir } = first;
  return {
    folder,
    async takenAfterRestart() {
      const service = await startService(t, { stages: { capture: undefined }, dataDir });
      const retried = await service.call('POST', `/recordings/${runningId}/retry`, { token });
      assert.equal(retried.status, 202, JSON.stringify(retried.body));
      await service.reaches(runningId, 'idle.saved');
      const audio = await readFile(join(folder, 'audio.wav'));
      assert.ok(audio.equals(withSamples(channels, 16_000)));
      for await (const fact of service.store.read(recordingStream(runningId)))
        if (fact.type === 'capture.interrupted' || fact.type === 'audio.captured') return fact.data;
      throw new Error('it was taken without a fact');
    },
  };
}

const withSamples = (channels: 1 | 2, frames: number): Buffer =>
  Buffer.concat([wavHeader(channels, frames), Buffer.alloc(frames * channels * 2, 1)]);

test('what a device recorded is taken by a retry behind a restart, with what was noted of it', async (t) => {
  const { folder, takenAfterRestart } = await failedWithAudio(t, { channels: 1, retriable: true });
  const claim = '01K9YYYYYYYYYYYYYYYYYYYYYY';
  const socketPath = join(folder, 'capture.sock');
  await writeClaim(folder, { claim, socketPath, device: 'Mic', channels: 1, at: 0 });
  const ledger = { samples: 16_000, gaps: [[0.25, 0.5]] as [number, number][] };
  const noted = { ...ledger, silent_seconds: 0, clipped_samples: 0 };
  await writeNotes(folder, { claim, ledger: noted, paused: false, ended: 'stopped' });
  const taken = await takenAfterRestart();
  assert.deepEqual(taken.ledger?.gaps, [[0.25, 0.5]]);
});

test('audio whose claim is gone is taken by a retry, also when one has failed for good before', async (t) => {
  const { takenAfterRestart } = await failedWithAudio(t, { channels: 2, retriable: false });
  const taken = await takenAfterRestart();
  assert.equal(taken.split, true);
  assert.equal(taken.duration, 1);
});
