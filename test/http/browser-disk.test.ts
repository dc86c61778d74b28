import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { StageError } from '../../src/shared/errors.ts';
import { failure } from '../../src/words/failures.ts';
import { connect, startService } from '../support/http-client.ts';
import { runningRecording } from '../support/running-recording.ts';

test('a recording whose disk refuses its browser does not wait for it for ever', async (t) => {
  const service = await startService(t, {
    stages: { capture: undefined },
    browserLimits: { graceMs: 300 },
  });
  const token = await service.setUp();
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

test('what was recorded stays when its end fails: it is not cleared away, and a retry takes it', async (t) => {
  const service = await startService(t, {
    stages: { capture: undefined },
    browserLimits: { graceMs: 300, restartGraceMs: 0 },
  });
  const token = await service.setUp();
  const client = connect(service.url, token);
  t.after(() => client.close());
  await client.until(({ type }) => type === 'position');
  client.socket.send(JSON.stringify({ type: 'audio.start', kind: 'solo', sample_rate: 16_000 }));
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

test('who tries again what never began opens no microphone: there is nothing to take', async (t) => {
  const absent: StageActivity = () => {
    throw new StageError(failure('no-device-connected'), { retriable: true });
  };
  const first = await startService(t, { stages: { capture: absent } });
  const token = await first.setUp();
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
