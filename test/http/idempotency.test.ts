import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingsName } from '../../projections/recording-row.ts';
import { EventStoreError } from '../../events/store.ts';
import { listening } from '../support/listening.ts';
import { type TestService, wav, withAda } from '../support/http-client.ts';

type Answer = { status: number; location: string | null; body: Record<string, unknown> };

/** The same log behind another HTTP server, which remembers no answer: as after a restart. */
async function forgetful(service: TestService, use: (url: string) => Promise<void>): Promise<void> {
  const server = await listening(service.services);
  try {
    await use(server.url);
  } finally {
    await server.close();
  }
}

async function post(
  url: string,
  path: string,
  { token, key, json, form }: { token: string; key: string; json?: object; form?: FormData },
): Promise<Answer> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Idempotency-Key': key,
      ...(form ? {} : { 'Content-Type': 'application/json' }),
    },
    body: form ?? JSON.stringify(json ?? {}),
  });
  return {
    status: response.status,
    location: response.headers.get('location'),
    body: (await response.json()) as Record<string, unknown>,
  };
}

const upload = (): FormData => {
  const form = new FormData();
  form.set('file', new Blob([wav()]), 'talk.wav');
  return form;
};

test('a command that was answered before a restart is recognised after it, and done once', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('transcribe');
  const first = await post(service.url, '/recordings', { token, key: 'up', form: upload() });
  assert.equal(first.status, 202);
  const id = String(first.body['recording_id']);
  const cancelled = await post(service.url, `/recordings/${id}/cancel`, { token, key: 'stop' });
  assert.equal(cancelled.status, 200);
  const user = { username: 'ben', password: 'correct horse battery' };
  const created = await post(service.url, '/users', { token, key: 'ben', json: user });
  assert.equal(created.status, 201);
  const head = await service.store.head();

  await forgetful(service, async (url) => {
    const uploaded = await post(url, '/recordings', { token, key: 'up', form: upload() });
    assert.deepEqual([uploaded.status, uploaded.body['recording_id']], [202, id]);
    const again = await post(url, `/recordings/${id}/cancel`, { token, key: 'stop' });
    assert.deepEqual([again.status, again.body['recording_id']], [200, id]);
    // Another key is another command, which the state does not allow any more.
    const other = await post(url, `/recordings/${id}/cancel`, { token, key: 'other' });
    assert.equal(other.status, 409);
    const sameUser = await post(url, '/users', { token, key: 'ben', json: user });
    assert.deepEqual(sameUser, created);
  });
  assert.equal(await service.store.head(), head, 'nothing was appended');
});

test('names given before a restart are recognised after it, though nobody waits any more', async (t) => {
  const { service, token } = await withAda(t);
  const recording_id = await service.settled(token, { kind: 'meeting' });
  const json = { recording_id, speakers: { SPEAKER_1: 'Ada' } };
  const first = await post(service.url, '/speakers', { token, key: 'names', json });
  assert.equal(first.status, 200);
  await service.reaches(recording_id, 'idle.saved');
  await forgetful(service, async (url) => {
    const again = await post(url, '/speakers', { token, key: 'names', json });
    assert.deepEqual([again.status, again.body['recording_id']], [200, recording_id]);
  });
});

test('a key is one user’s: the same key of another user is another command', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  const [one, other] = await Promise.all(
    [ada, ben].map((token) =>
      post(service.url, '/recordings', { token, key: 'k', form: upload() }),
    ),
  );
  assert.equal(one!.status, 202);
  assert.equal(other!.status, 202);
  assert.notEqual(one!.body['recording_id'], other!.body['recording_id']);
});

test('the same key at once is done once, and both get the same answer', async (t) => {
  const { service, token } = await withAda(t);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      post(service.url, '/recordings', { token, key: 'k', form: upload() }),
    ),
  );
  const [first] = answers;
  for (const answer of answers) assert.deepEqual(answer, first);
  assert.equal(first?.location, `/recordings/${String(first?.body['recording_id'])}`);
  const { body } = await service.call('GET', '/recordings', { token });
  assert.equal((body['recordings'] as unknown[]).length, 1);
});

test('ten equal uploads at once with one key are one recording, and none is too many', async (t) => {
  const { service, token } = await withAda(t);
  const sent = Array.from({ length: 10 }, () =>
    post(service.url, '/recordings', { token, key: 'at-once', form: upload() }),
  );
  const answers = await Promise.all(sent);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
  assert.equal(new Set(answers.map(({ body }) => body['recording_id'])).size, 1);
});

test('what was done is answered although the database goes away for a moment right behind it', async (t) => {
  const { service, token } = await withAda(t);
  const { storage } = service;
  const { getMany } = storage;
  let isGone = false;
  t.mock.method(storage, 'getMany', async (...asked: Parameters<typeof getMany>) => {
    // Before an answer is kept, what it tells of is looked for among the recordings.
    if (isGone || asked[0] !== recordingsName) return await getMany.apply(storage, asked);
    isGone = true;
    throw new EventStoreError('BUSY', 'away');
  });
  const asked = { token, key: 'k', json: { name: 'Talks' } };
  const first = await post(service.url, '/folders', asked);
  assert.deepEqual([first.status, isGone], [201, true]);
  for (let repetition = 0; repetition < 2; repetition += 1)
    assert.deepEqual(await post(service.url, '/folders', asked), first);
});
