import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { exists } from '../../src/shared/files.ts';
import { askService } from '../../src/service/control/socket.ts';
import { startCall } from '../support/pulse-call.ts';
import { privatePulse } from '../support/pulse.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf, setUp, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

type Question = {
  id: string;
  ask: 'record' | 'stop';
  program: string;
  recording_id: string | null;
};
type Asked = { question: Question | null };

test('people at the computer are asked about a call, what it uses is recorded, and its end is asked about', async (t) => {
  const pulse = await privatePulse(t);
  const dataDir = await tempDir(t);
  const service = await startServiceProcess(dataDir, pulse.env as Record<string, string>);
  t.after(() => service.end('SIGTERM'));
  const token = await setUp(service.url);
  const api = apiOf(service.url, token);
  const frames = await callFrames(t, service.url, token);
  const asked = async (ask: Question['ask'], limitMs = 20_000) =>
    await eventually(
      () => `it is asked whether to ${ask}`,
      async () => {
        const { question } = await api.get<Asked>('/audio/call');
        return question?.ask === ask && question;
      },
      limitMs,
    );

  // Who listens alone, and who plays alone, is not asked about: both together are.
  const call = await startCall(t, pulse.env);
  const question = await asked('record');
  assert.equal(question.program, 'Phone');
  await eventually('the page is told', () => frames.at(-1)?.question?.id === question.id);
  // By a reverse proxy, or from elsewhere, nobody is told which program somebody here uses.
  const elsewhere = apiOf(service.url, token, { 'x-forwarded-for': '192.0.2.7' });
  assert.equal((await elsewhere.get<Asked>('/audio/call')).question, null);
  await assert.rejects(
    elsewhere.post('/audio/call', { id: question.id, answer: 'record' }),
    /not-a-recorder/,
  );
  const status = await askService<{ call: Question }>(
    join(dataDir, 'trigger.sock'),
    'status',
    null,
  );
  assert.equal(status?.call.id, question.id);

  const { recording_id } = await api.post<{ recording_id: string }>('/audio/call', {
    id: question.id,
    answer: 'record',
  });
  const { question: none } = await api.get<Asked>('/audio/call');
  assert.equal(none, null);
  const { recording } = await api.get<{ recording: { recording_id: string; kind: string } }>(
    '/status',
  );
  assert.equal(recording.recording_id, recording_id);
  assert.equal(recording.kind, 'meeting');
  const modules = async () => (await pulse.pactl('list', 'short', 'modules')).split('\n');
  await eventually('both are joined', async () => {
    const loops = (await modules()).filter((line) => line.includes('module-loopback'));
    const joins = (source: string) => loops.some((line) => line.includes(`source=${source} `));
    return joins('desk_mic') && joins('speakers.monitor');
  });
  await assert.rejects(
    api.post('/audio/call', { id: question.id, answer: 'record' }),
    /not-recording/,
  );

  await call.end();
  const end = await asked('stop', 60_000);
  assert.equal(end.recording_id, recording_id);
  await api.post('/audio/call', { id: end.id, answer: 'stop' });
  await eventually('it is stopped', async () => {
    return (await api.get<{ recording: object | null }>('/status')).recording === null;
  });
  assert.equal((await api.get<Asked>('/audio/call')).question, null);

  // Never again about this program, which the settings show and take back.
  const again = await startCall(t, pulse.env);
  const second = await asked('record');
  // What is refused opens no microphone, and chooses nothing.
  await api.delete('/audio/combined');
  await api.put('/config', { limits: { user_gb: 1e-9 } });
  await assert.rejects(api.post('/audio/call', { id: second.id, answer: 'record' }), /space-limit/);
  assert.deepEqual(
    (await modules()).filter((line) => line.includes('mitschrift')),
    [],
  );
  assert.equal(await exists(join(dataDir, 'combined.json')), false);
  await api.post('/audio/call', { id: second.id, answer: 'never' });
  const { config } = await api.get<{ config: { calls: { never: string[] } } }>('/config');
  assert.deepEqual(config.calls.never, ['pacat']);
  await eventually('the page forgets it', () => frames.at(-1)?.question === null);
  await again.end();
});

/** What a page of this computer is told of calls. */
async function callFrames(t: TestContext, url: string, token: string): Promise<Asked[]> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, ['mitschrift', token]);
  t.after(() => socket.terminate());
  const frames: Asked[] = [];
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString('utf8')) as { type: string } & Asked;
    if (frame.type === 'call') frames.push(frame);
  });
  await once(socket, 'open');
  return frames;
}
