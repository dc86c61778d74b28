import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { folderFor, speak } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { modelMirror, offerModel } from '../support/model-mirror.ts';
import { apiOf, setUp, startServiceProcess, uploadForm } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

type Models = {
  models: { id: string; installed: boolean; recommended: string | null; error: string | null }[];
};
type Answer = { status: string; error: { message: string } | null; title: string | null };

test('an administrator installs a model; the recording that had no engine becomes documents by itself', async (t) => {
  const dataDir = await tempDir(t);
  const catalogueDir = join(dataDir, 'catalogue');
  await mkdir(catalogueDir);
  const mirror = Object.assign(await modelMirror(t), { catalogueDir });
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' });
  const service = await startServiceProcess(dataDir);
  t.after(() => service.end('SIGKILL'));
  const token = await setUp(service.url, { username: 'ada' });
  const api = apiOf(service.url, token);
  assert.deepEqual(await api.get('/recognition'), { chosen: false });
  const { models: offered } = await api.get<Models>('/models');
  assert.equal(offered.find(({ id }) => id === 'espeak-en')?.installed, false);
  assert.ok(offered.some(({ recommended }) => recommended !== null));

  const wav = join(await folderFor(t), 'talk.wav');
  await speak('good morning everyone and welcome to the weekly planning meeting', wav);
  const form = uploadForm(new Uint8Array(await readFile(wav)), { kind: 'solo' });
  const { recording_id: id } = await api.post<{ recording_id: string }>('/recordings', form);
  const recording = () => api.get<Answer>(`/recordings/${id}`);
  await eventually('there is no engine', async () => (await recording()).status === 'ERROR');
  assert.match((await recording()).error!.message, /Install a model under Settings › Models/);

  const frames: { type: string; id?: string; phase?: string | null }[] = [];
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws?token=${token}`);
  t.after(() => socket.terminate());
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as never));
  await eventually('it follows', () => frames.length > 0);
  await api.post('/models/espeak-en/install');
  await eventually('documents', async () => (await recording()).status === 'IDLE');
  assert.ok(
    (await api.get<Models>('/models')).models.find((one) => one.id === 'espeak-en')?.installed,
  );
  assert.ok(frames.some(({ type, phase }) => type === 'model' && phase === 'checking'));
  assert.deepEqual(await api.get('/recognition'), { chosen: true });
  await assert.rejects(api.post('/models/nowhere/install'), /404.*There is no model nowhere/);
});
