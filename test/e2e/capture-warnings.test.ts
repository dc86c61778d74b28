import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { make } from '../support/espeak.ts';
import { openCapturingService, stoppedBy } from '../support/pulse-service.ts';
import { sentences, speech } from '../support/pulse-speech.ts';
import { eventually } from '../support/eventually.ts';
import { privatePulse } from '../support/pulse.ts';
import { apiOf, setUp, startServiceProcess, watchUntil } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

type Warning = { code: string; message: string };
type Status = { recording: { duration: number; warnings: Warning[] } | null };

async function service(t: TestContext, settings: Record<string, string>) {
  const pulse = await privatePulse(t);
  const dataDir = await tempDir(t);
  const running = await startServiceProcess(dataDir, {
    ...(pulse.env as Record<string, string>),
    ...settings,
  });
  t.after(() => running.end('SIGTERM'));
  const token = await setUp(running.url);
  const api = apiOf(running.url, token);
  const warnings = async () => (await api.get<Status>('/status')).recording?.warnings ?? [];
  const warned = (what: RegExp) =>
    watchUntil(
      running.url,
      token,
      async () => (await warnings()).some(({ message }) => what.test(message)),
      60_000,
    );
  /** The next frame of this type. */
  const frame = async (type: string) => {
    const socket = new WebSocket(`${running.url.replace('http', 'ws')}/ws?token=${token}`);
    t.after(() => socket.terminate());
    await once(socket, 'open');
    return {
      came: new Promise<Warning>((resolve) => {
        socket.on('message', (data: Buffer) => {
          const message = JSON.parse(data.toString()) as Warning & { type: string };
          if (message.type === type) resolve(message);
        });
      }),
    };
  };
  return { pulse, dataDir, api, warnings, warned, frame };
}

test('a microphone that gives nothing is told while recording, until it gives something', async (t) => {
  const { pulse, dataDir, api, warnings, frame } = await service(t, {
    MITSCHRIFT_AUDIO_DEVICE: 'Desk Mic',
  });
  const warning = await frame('warning');
  await api.post('/toggle', {});
  const { code, message } = await warning.came;
  assert.equal(code, 'no-signal');
  assert.match(message, /^No signal from “Desk Mic” for 10 seconds/);
  const { recording } = await api.get<Status>('/status');
  assert.ok(recording!.duration >= 10, String(recording!.duration));
  assert.deepEqual(
    recording!.warnings.map((one) => one.message),
    [message],
  );
  const said = await speech(dataDir, 'mic', sentences.mic);
  const playing = pulse.play(said.path, 'mic');
  await eventually('it is taken back', async () => (await warnings()).length === 0);
  await playing;
  const { recording_id } = await api.post<{ recording_id: string }>('/toggle', {});
  const { ledger } = await api.get<{ ledger: { silent_seconds: number } }>(
    `/recordings/${recording_id}`,
  );
  assert.ok(ledger.silent_seconds >= 10, 'and it is in the ledger');
});

test('of a microphone and loudspeakers kept apart, the dead one is named', async (t) => {
  const { pulse, dataDir, api, warned } = await service(t, {
    MITSCHRIFT_AUDIO_COMBINED_CHANNELS: 'split',
  });
  await api.post('/audio/combined', { microphone: 'mic.monitor', monitor: 'speakers.monitor' });
  for (const [heard, dead] of [
    ['speakers', 'microphone'],
    ['mic', 'speakers'],
  ] as const) {
    await api.post('/toggle', { action: 'start' });
    const said = await speech(dataDir, heard, sentences.speakers);
    const stop = new AbortController();
    const talking = (async () => {
      while (!stop.signal.aborted) await pulse.play(said.path, heard);
    })();
    await warned(new RegExp(`^No signal from the ${dead} for 10 seconds`));
    stop.abort();
    await talking;
    await api.post('/toggle', { action: 'stop' });
  }
});

test('somebody who has forgotten the recording is reminded after some minutes of silence', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const noise = join(root, 'noise.wav');
  // A quiet room: not flat, and nobody speaks.
  await make(
    'sox',
    '-n',
    '-r',
    '44100',
    '-c',
    '2',
    noise,
    'synth',
    '8',
    'whitenoise',
    'vol',
    '0.002',
  );
  const running = await openCapturingService(root, {
    env: pulse.env,
    warnAfter: { quietSeconds: 3 },
  });
  t.after(() => running.close());
  const id = await running.start('Desk Mic');
  await eventually('it captures', () => running.captures.now(id)?.state === 'capturing');
  const codes = () => running.captures.now(id)!.warnings.map(({ code }) => code);
  const told: string[] = [];
  running.captures.onWarnings(({ warnings }) => told.push(...warnings.map(({ code }) => code)));
  const playing = pulse.play(noise, 'mic');
  await eventually('it is said', () => codes().includes('long-silence'));
  await playing;
  const said = await speech(root, 'mic', sentences.mic);
  const speaking = pulse.play(said.path, 'mic');
  await eventually('it is taken back', () => codes().length === 0);
  await speaking;
  await running.captures.stop(id, stoppedBy);
  assert.deepEqual(new Set(told), new Set(['long-silence']));
});
