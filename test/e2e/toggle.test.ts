import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { speak, wordErrorRate } from '../support/espeak.ts';
import { settled } from '../support/first-document.ts';
import { modelsDir } from '../support/models.ts';
import { privatePulse } from '../support/pulse.ts';
import {
  apiOf,
  inviteUser,
  setUp,
  startServiceProcess,
  watchUntil,
} from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { program } from '../support/program.ts';

const root = join(import.meta.dirname, '../..');
const said = 'good morning everyone and welcome to the weekly planning meeting';
const saidLater = 'the server was down for twenty minutes last night';
const errorRateMax = 0.3;

type Status = {
  status: string;
  recording: { recording_id: string; device: string; duration: number } | null;
};
test('a recording outlives the service that was killed, and the same switch stops it', async (t) => {
  const pulse = await privatePulse(t);
  let end = async () => {};
  t.after(() => end());
  const dataDir = await tempDir(t);
  await mkdir(join(dataDir, 'models'));
  await cp(join(modelsDir, 'espeak-en'), join(dataDir, 'models', 'espeak-en'), { recursive: true });
  const [first, second] = [join(dataDir, 'first.wav'), join(dataDir, 'second.wav')];
  await speak(said, first);
  await speak(saidLater, second);
  const env = {
    ...(pulse.env as Record<string, string>),
    MITSCHRIFT_AUDIO_DEVICE: 'Desk Mic',
    MITSCHRIFT_UI_LANGUAGE: 'en',
  };
  let service = await startServiceProcess(dataDir, env);
  end = async () => void (await service.end('SIGKILL'));
  const token = await setUp(service.url);
  const { devices } = await apiOf(service.url, token).get<{ devices: string[] }>('/audio/devices');
  assert.ok(devices.includes('Desk Mic'), devices.join(', '));

  type Toggled = { action: string; recording_id: string };
  const toggle = (key: string) =>
    apiOf(service.url, token, { 'idempotency-key': key }).post<Toggled>(
      '/toggle',
      key === 'start' ? { people: ['Ada', 'Ben', 'Ada'] } : {},
    );
  const started = await toggle('start');
  assert.equal(started.action, 'start');
  await hears(service.url, token);
  await pulse.play(first, 'mic');
  await service.end('SIGKILL');
  await pulse.play(second, 'mic');
  service = await startServiceProcess(dataDir, env);
  await hears(service.url, token);

  assert.deepEqual(await toggle('start'), started, 'repeated, it does not stop what it started');
  const stopped = await toggle('stop');
  assert.deepEqual(stopped, { ...stopped, action: 'stop', recording_id: started.recording_id });
  await service.end('SIGKILL');
  service = await startServiceProcess(dataDir, env);
  const again = await toggle('stop');
  assert.deepEqual([again.action, again.recording_id], ['stop', started.recording_id]);
  const { recording } = await apiOf(service.url, token).get<Status>('/status');
  assert.equal(recording, null, 'repeated, it starts nothing');
  const { events } = await apiOf(service.url, token).get<{ events: { content?: object }[] }>(
    `/recordings/${started.recording_id}/events`,
  );
  assert.deepEqual(events[0]?.content, { people: ['Ada', 'Ben'] });
  const transcript = await transcriptOf(service.url, token, started.recording_id);
  const rate = wordErrorRate(`${said} ${saidLater}`, transcript);
  assert.ok(rate <= errorRateMax, `${rate}: ${transcript}`);

  // The hotkey acts as the guest; administrators see what it recorded.
  assert.match(await hotkey(dataDir), /^RECORDING /);
  await pulse.play(first, 'mic');
  assert.match(await hotkey(dataDir), /^STOPPED /);
  const { recordings } = await apiOf(service.url, token).get<{
    recordings: { recording_id: string; owner: string }[];
  }>('/recordings?owner=guest');
  assert.equal(recordings.length, 1);
  await transcriptOf(service.url, token, recordings[0]!.recording_id);

  // Whoever is deleted stops recording: what there is of it is kept, and the device is free.
  const credentials = { username: 'ben', password: 'correct horse battery' };
  const benId = await inviteUser(service.url, token, credentials);
  const ben = await apiOf(service.url).post<{ token: string }>('/login', credentials);
  await apiOf(service.url, ben.token).post('/toggle', { action: 'start' });
  await hears(service.url, ben.token);
  const gone = await fetch(`${service.url}/users/ben`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(gone.status, 204);
  const left = await apiOf(service.url, token).get<{
    recordings: { status: string; state: string; duration: number }[];
  }>(`/recordings?owner=${benId}`);
  assert.deepEqual(
    left.recordings.map(({ status, state }) => [status, state]),
    [['IDLE', 'idle.kept']],
  );
  assert.ok(left.recordings[0]!.duration > 0);

  // Both at once: one of them records, the other is told that the device is taken.
  const both = await Promise.allSettled([
    apiOf(service.url, token).post('/toggle', { action: 'start' }),
    hotkey(dataDir),
  ]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  await apiOf(service.url, token)
    .post('/toggle', { action: 'stop' })
    .catch(() => hotkey(dataDir));

  await service.end('SIGTERM');
  await assert.rejects(hotkey(dataDir), (error: Error & { code: number; stderr: string }) => {
    return error.code === 1 && error.stderr.includes('NOT RECORDING');
  });
});

/** Waits until the recording has its first samples. */
async function hears(url: string, token: string): Promise<void> {
  const look = async () => {
    const { recording } = await apiOf(url, token).get<Status>('/status');
    return recording !== null && recording.duration > 0;
  };
  await watchUntil(url, token, look, 15_000);
}

async function transcriptOf(url: string, token: string, id: string): Promise<string> {
  const { utterances } = await settled(url, token, id);
  return utterances.map(({ text }) => text).join(' ');
}

async function hotkey(dataDir: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'toggle'], {
    cwd: root,
    env: { ...process.env, MITSCHRIFT_DATA: dataDir },
  });
  return stdout;
}
