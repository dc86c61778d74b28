import assert from 'node:assert/strict';
import { realpath } from 'node:fs/promises';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { once } from 'node:events';
import { startService } from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';

test('what is uploaded at a node that serves becomes documents at one that works, and is read at the first', async (t) => {
  const dataDir = await realpath(await tempDir(t));
  const serving = await startService(t, { dataDir, node: { name: 'one', role: 'serve' } });
  const token = await serving.setUp();
  const { body: uploaded } = await serving.upload(token);
  await serving.reaches(uploaded.recording_id, 'transcribing');

  const working = await startService(t, { dataDir, node: { name: 'two', role: 'work' } });
  await serving.reaches(uploaded.recording_id, 'idle.saved');
  const path = `/recordings/${uploaded.recording_id}`;
  assert.equal((await serving.call('GET', path, { token })).status, 200);

  const refused = await working.call('GET', path, { token });
  assert.deepEqual([refused.status, refused.body['type']], [404, '/problems/not-found']);
  assert.match(String(refused.body['detail']), /role is serve or all/);
  assert.equal((await working.call('GET', '/health')).status, 200);
  const socket = new WebSocket(`${working.url.replace('http', 'ws')}/ws?token=${token}`);
  socket.on('error', () => {});
  const [, answer] = (await once(socket, 'unexpected-response')) as [
    unknown,
    { statusCode: number },
  ];
  assert.equal(answer.statusCode, 404);

  const devices = await serving.call('GET', '/audio/devices', { token });
  assert.notEqual(devices.status, 200);
  assert.match(String(devices.body['detail']), /mitschrift record --server/);

  // The rows were kept up by the first of them; another goes on when it ends.
  await serving.close();
  const again = await startService(t, { dataDir, node: { name: 'three', role: 'serve' } });
  const { body: second } = await again.upload(token);
  await again.reaches(second.recording_id, 'idle.saved');
});
