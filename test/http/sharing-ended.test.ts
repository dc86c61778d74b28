import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, startService } from '../support/http-client.ts';

test('a remembered answer is repeated to nobody who may not read the recording any more', async (t) => {
  const service = await startService(t);
  await service.setUp();
  const owen = await service.addUser('owen');
  const cora = await service.addUser('cora');
  const { recording_id: id } = (await service.upload(owen, { kind: 'meeting' })).body;
  await service.reaches(id, 'awaiting-speakers');
  const asked = (token: string, path: string, key: string, json: object) => async () =>
    await service.call<ProblemAnswer & { text?: string }>('POST', path, {
      token,
      json,
      headers: { 'Idempotency-Key': key },
    });
  const share = async () =>
    await service.call('PUT', `/recordings/${id}/access`, {
      token: owen,
      json: { user: 'cora', role: 'correct' },
    });
  const withdraw = async () => {
    const to = `u-${service.accounts.findUser('cora')?.userId}`;
    await service.call('DELETE', `/recordings/${id}/access/${to}`, { token: owen });
  };
  await share();
  const named = asked(cora, '/speakers', 'named', { recording_id: id, skip: true });
  const split = asked(cora, `/recordings/${id}/utterances/0/split`, 'split', { word: 1 });
  for (const again of [named, named]) assert.equal((await again()).status, 200);
  await service.reaches(id, 'idle.saved');
  for (const again of [split, split]) assert.equal((await again()).status, 200);
  await withdraw();
  for (const again of [named, split]) assert.equal((await again()).status, 404);
  await share();
  for (const again of [named, split]) assert.equal((await again()).status, 200);

  const note = asked(owen, `/recordings/${id}/sidenotes`, 'note', { text: 'Zebra', at: 0 });
  for (const again of [note, note]) assert.equal((await again()).body.text, 'Zebra');
  await service.call('DELETE', `/recordings/${id}`, { token: owen });
  for (const again of [named, split, note]) assert.equal((await again()).status, 404);
});
