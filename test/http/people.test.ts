import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLog } from '../../src/recordings/check-log.ts';
import { openTerms } from '../../src/recordings/terms.ts';
import { type ProblemAnswer, withAda } from '../support/http-client.ts';
import { runningRecording } from '../support/running-recording.ts';

type Recording = { people: string[] };

test('who may be heard is said while it is recorded, and serves as if it had been given before', async (t) => {
  const { service, token } = await withAda(t);
  const id = await runningRecording(service, token);
  const give = async (people: unknown) =>
    await service.call<ProblemAnswer>('PATCH', `/recordings/${id}`, { token, json: { people } });
  const read = async () =>
    (await service.call<Recording>('GET', `/recordings/${id}`, { token })).body.people;
  assert.deepEqual(await read(), []);
  assert.equal((await give([' Änne  Beispiel', 'Ben', 'Ben'])).status, 200);
  assert.deepEqual(await read(), ['Änne Beispiel', 'Ben']);
  const head = await service.store.head();
  assert.equal((await give(['Änne Beispiel', 'Ben'])).status, 200);
  assert.equal(await service.store.head(), head, 'nothing new, no fact');
  for (const wrong of [['x'.repeat(61)], [''], Array.from({ length: 51 }, (_, at) => `P${at}`)])
    assert.equal((await give(wrong)).status, 422, JSON.stringify(wrong).slice(0, 40));
  const { recording } = await service.recordingService.read(id);
  const termsOf = openTerms({
    peopleOf: async () => ['Cleo'],
    wordsOf: async () => [],
    listed: () => null,
  });
  assert.deepEqual(await termsOf(recording, 'ada'), ['Änne Beispiel', 'Ben', 'Cleo']);
  assert.equal((await give([])).status, 200);
  assert.deepEqual(await read(), []);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
  const ben = await service.addUser('ben');
  const others = await service.call('PATCH', `/recordings/${id}`, {
    token: ben,
    json: { people: ['Eve'] },
  });
  assert.equal(others.status, 404);
});

test('a meeting that waits for its speakers takes people, and none once it has documents', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token, { kind: 'meeting' });
  const give = async (people: string[]) =>
    (await service.call('PATCH', `/recordings/${id}`, { token, json: { people } })).status;
  assert.equal(await give(['Ben']), 200);
  await service.named(token, id);
  assert.equal(await give(['Ben', 'Cleo']), 409);
  const { body } = await service.call<Recording>('GET', `/recordings/${id}`, { token });
  assert.deepEqual(body.people, ['Ben']);
});
