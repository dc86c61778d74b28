import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, connect, wav, withAda } from '../support/http-client.ts';

test('an error is cleared by the recording it is of; what there is stays', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.fail('summarise');
  const { recording_id: id } = (await service.upload(token)).body;
  await service.reaches(id, 'error');
  const path = `/recordings/${id}/clear`;
  const { status, body } = await service.call('POST', path, { token });
  assert.deepEqual([status, body], [200, { recording_id: id, status: 'IDLE' }]);
  const again = await service.call<ProblemAnswer>('POST', path, { token });
  assert.deepEqual([again.status, again.body.type], [409, '/problems/not-accepted']);
});

test('an Idempotency-Key of another request is refused: another file, kind, body or query', async (t) => {
  const { service, token } = await withAda(t);
  const headers = { 'Idempotency-Key': 'k1' };
  const first = await service.upload(token, { kind: 'solo' }, { audio: wav(0.1), headers });
  const same = await service.upload(token, { kind: 'solo' }, { audio: wav(0.1), headers });
  assert.deepEqual([same.status, same.body.recording_id], [202, first.body.recording_id]);
  for (const [fields, audio] of [
    [{ kind: 'solo' }, wav(0.2)],
    [{ kind: 'meeting' }, wav(0.1)],
  ] as const) {
    const other = await service.upload<ProblemAnswer>(token, fields, { audio, headers });
    assert.deepEqual([other.status, other.body.type], [409, '/problems/key-used-differently']);
  }
  await service.reaches(first.body.recording_id, 'idle.saved');
  type List = { recordings: unknown[] };
  const list = await service.call<List>('GET', '/recordings', { token });
  assert.equal(list.body.recordings.length, 1);

  const path = `/recordings/${first.body.recording_id}/reprocess`;
  const ask = (json: object) =>
    service.call<ProblemAnswer>('POST', path, {
      token,
      json,
      headers: { 'Idempotency-Key': 'k2' },
    });
  assert.equal((await ask({ from: 'language-model' })).status, 202);
  assert.equal((await ask({ from: 'language-model' })).status, 202);
  const other = await ask({ from: 'speech-to-text' });
  assert.deepEqual([other.status, other.body.type], [409, '/problems/key-used-differently']);
});

test('a WebSocket takes the token as a header', async (t) => {
  const { service, token } = await withAda(t);
  const client = connect(service.url, '', {
    protocols: [],
    headers: { Authorization: `Bearer ${token}` },
  });
  await client.until(({ type }) => type === 'status');
  client.close();
  const stranger = connect(service.url, '', {
    protocols: [],
    headers: { Authorization: 'Bearer nobody' },
  });
  assert.equal((await stranger.refusal).status, 401);
});

test('languages are tags that are reduced, and unknown ones are refused, everywhere', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token, { language: 'en-US' });
  const put = (language: string) =>
    service.call<ProblemAnswer>('PUT', '/config', { token, json: { stt: { language } } });
  assert.equal((await put('de-AT')).status, 200);
  assert.equal(service.services.config.settings()['stt.language'], 'de');
  const refusals = [
    await put('zz'),
    await service.upload<ProblemAnswer>(token, { language: 'xx' }),
    await service.call<ProblemAnswer>('PATCH', `/recordings/${id}`, {
      token,
      json: { language: 'english-ish' },
    }),
    await service.call<ProblemAnswer>('POST', `/recordings/${id}/reprocess`, {
      token,
      json: { language: 'zz' },
    }),
  ];
  for (const { status, body } of refusals) {
    assert.deepEqual([status, body.type], [422, '/problems/invalid']);
    assert.match(body.errors![0]!.message, /^must be a language such as de or en-US/);
  }
  const changed = await service.call('PATCH', `/recordings/${id}`, {
    token,
    json: { language: 'pt-BR' },
  });
  assert.equal(changed.body['language'], 'pt');
});

test('refusals are sentences', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  for (const [method, path, json, message] of [
    ['GET', `/recordings/${id}/export?format=csv`, undefined, /^must be md, txt, .* or zip$/],
    [
      'POST',
      `/recordings/${id}/reprocess`,
      { from: 'x' },
      /^must be summary, language-model, diarize or speech-to-text$/,
    ],
    ['POST', `/recordings/${id}/reprocess`, { speakers: 1.5 }, /^must be a whole number$/],
    ['POST', `/recordings/${id}/reprocess`, { speakers: 99 }, /^must be at most 20$/],
    ['POST', `/recordings/${id}/reprocess`, { nonsense: 1 }, /^unknown: "nonsense"$/],
    ['PUT', '/config', { audio: { keep: 'mp3' } }, /^must be wav, flac or none$/],
    ['PUT', '/config', { llm: { timeout: 'long' } }, /^must be a (?:whole )?number$/],
  ] as const) {
    const init = json === undefined ? { token } : { token, json };
    const { status, body } = await service.call<ProblemAnswer>(method, path, init);
    assert.equal(status, 422, path);
    assert.match(body.errors![0]!.message, message);
    assert.doesNotMatch(body.detail, /Invalid|expected|received/);
  }
});
