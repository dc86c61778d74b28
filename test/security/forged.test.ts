import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, wav, withAda } from '../support/http-client.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const audio = wav();

test('what a request says of its owner, its command or its state is not believed', async (t) => {
  const { service, token: admin } = await withAda(t);
  const [anna, ben] = [await service.addUser('anna'), await service.addUser('ben')];
  const [annaId, benId] = ['anna', 'ben'].map((name) => service.accounts.findUser(name)!.userId);
  const tus = (
    method: string,
    path: string,
    token: string | null,
    headers: object = {},
    body?: Uint8Array,
  ) =>
    fetch(service.url + path, {
      method,
      headers: {
        'Tus-Resumable': '1.0.0',
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
  const begin = async (token: string, fields: Record<string, string>) => {
    const metadata = Object.entries(fields).map(([name, value]) => `${name} ${base64(value)}`);
    const { status, headers } = await tus('POST', '/uploads', token, {
      'Upload-Length': String(audio.length),
      'Upload-Metadata': metadata.join(','),
    });
    assert.equal(status, 201);
    return headers.get('location')!;
  };
  const piece = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
  const recordingsOf = async (token: string) =>
    (
      await service.call<{ recordings: { recording_id: string }[] }>('GET', '/recordings', {
        token,
      })
    ).body.recordings.map(({ recording_id }) => recording_id);

  await t.test(
    'the owner and the command of a resumable upload are whose session began it',
    async () => {
      const path = await begin(ben, {
        filename: 'talk.wav',
        owner: annaId!,
        command: `${annaId}:key`,
        user: 'anna',
      });
      const done = await tus('PATCH', path, ben, piece, audio);
      assert.equal(done.status, 202);
      const { recording_id: id } = (await done.json()) as { recording_id: string };
      assert.deepEqual([await recordingsOf(anna), await recordingsOf(ben)], [[], [id]]);
    },
  );

  await t.test('another’s upload is not there, whatever is done to it', async () => {
    const path = await begin(anna, { filename: 'talk.wav' });
    for (const token of [ben, admin]) {
      for (const [method, headers, body] of [
        ['HEAD', {}, undefined],
        ['PATCH', piece, audio],
        ['DELETE', {}, undefined],
      ] as const) {
        const { status } = await tus(method, path, token, headers, body);
        assert.equal(status, 404, method);
      }
    }
    for (const method of ['GET', 'PUT', 'POST']) {
      const { status } = await tus(method, path, anna, {
        'X-HTTP-Method-Override': 'DELETE',
        'X-HTTP-Method': 'DELETE',
      });
      assert.ok([404, 405].includes(status), `${method}: ${status}`);
    }
    const head = await tus('HEAD', path, anna);
    assert.equal(head.headers.get('upload-offset'), '0', 'nothing was written');
    assert.equal((await tus('PATCH', path, anna, piece, audio)).status, 202);
  });

  await t.test('an Idempotency-Key is looked for among one’s own only', async () => {
    const keyed = { headers: { 'Idempotency-Key': 'k' } };
    const { recording_id: first } = (await service.upload(anna, {}, keyed)).body;
    for (const key of ['k', `${annaId}:k`, `/${first}`, `k/${first}`, `${benId}:k`]) {
      const { status, body } = await service.upload(
        ben,
        {},
        { headers: { 'Idempotency-Key': key } },
      );
      assert.equal(status, 202, key);
      assert.notEqual(body.recording_id, first, key);
    }
    const cancelled = await service.call('POST', `/recordings/${first}/cancel`, {
      token: ben,
      headers: { 'Idempotency-Key': 'k' },
    });
    assert.ok([404, 409].includes(cancelled.status));
    // As long as it may be, it is a command like any other, also behind a restart (its id has an end).
    const longest = { headers: { 'Idempotency-Key': 'x'.repeat(255) } };
    const [one, again] = [
      await service.upload(ben, {}, longest),
      await service.upload(ben, {}, longest),
    ];
    assert.deepEqual([one.status, again.body], [202, one.body]);
  });

  await t.test(
    'fields that make somebody an administrator, or a recording another’s, are refused',
    async () => {
      const id = await service.settled(ben);
      for (const [method, path, json, status] of [
        ['PATCH', '/users/me', { current_password: 'x', password: 'x', is_admin: true }, 422],
        ['PATCH', '/users/ben', { is_admin: true }, 403],
        ['POST', '/users', { username: 'eve', password: 'long enough', is_admin: true }, 403],
        ['PATCH', `/recordings/${id}`, { owner: 'anna' }, 403],
        ['PATCH', `/recordings/${id}`, { state: 'idle.erased' }, 422],
        ['POST', '/login', { username: 'ben', password: 'x', is_admin: true }, 422],
        ['POST', '/toggle', { action: 'reset', owner: annaId }, 422],
        ['GET', `/recordings?owner=${annaId}`, undefined, 403],
        ['GET', '/recordings?owner=guest', undefined, 403],
        ['GET', '/recordings?owner=ben&owner=anna', undefined, 422],
        ['GET', '/events', undefined, 403],
      ] as const) {
        const answer = await service.call<ProblemAnswer>(method, path, {
          token: ben,
          ...(json === undefined ? {} : { json }),
        });
        assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(json)}`);
      }
      const { isAdmin } = service.accounts.findUser('ben')!;
      assert.equal(isAdmin, false);
    },
  );
});
