import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedRecordings } from '../../projections/recordings.ts';
import { startService } from '../support/http-client.ts';

test('what failed is found for all users, and reads of what did not fail one key a user', async (t) => {
  const service = await startService(t);
  const tokens = [
    await service.setUp(),
    await service.addUser('ben'),
    await service.addUser('cora'),
  ];
  for (const token of tokens) for (let more = 0; more < 4; more += 1) await service.settled(token);
  service.engines.fail('summarise');
  const failed = [];
  for (const token of [tokens[0], tokens[2]]) {
    const { body } = await service.upload(token!);
    await service.reaches(body.recording_id, 'error');
    failed.push(body.recording_id);
  }
  const { storage } = service;
  let keys = 0;
  const range = storage.range.bind(storage);
  t.mock.method(storage, 'range', async function* (...asked: Parameters<typeof range>) {
    for await (const row of range(...asked)) {
      keys += 1;
      yield row;
    }
  });
  const found = [];
  for await (const one of failedRecordings(storage)) found.push(one);
  assert.deepEqual(found.map(({ recordingId }) => recordingId).toSorted(), failed.toSorted());
  assert.ok(found.every(({ error }) => error.code !== ''));
  assert.ok(keys <= tokens.length + failed.length, `${keys} keys`);
});
