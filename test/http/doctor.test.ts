import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/http-client.ts';

type Checks = { checks: { name: string; state: string; detail: string; remedy?: string }[] };

test('GET /doctor says what is there and what is missing, and what to do, to administrators', async (t) => {
  const service = await startService(t);
  const token = await service.setUp();
  const { body } = await service.call<Checks>('GET', '/doctor', { token });
  const found = new Map(body.checks.map((check) => [check.name, check]));
  assert.equal(found.get('data directory')?.state, 'ok');
  assert.ok(found.get('data directory')?.detail.includes(service.dataDir));
  assert.equal(found.get('speech to text')?.state, 'failed', 'there is neither server nor model');
  assert.match(found.get('speech to text')?.remedy ?? '', /stt\.base_url/);
  assert.equal(found.get('language model')?.state, 'missing');
  const user = await service.addUser('ben');
  assert.equal((await service.call('GET', '/doctor', { token: user })).status, 403);
});

test('a server that is away is told with what to do, and its key is not', async (t) => {
  const key = 'sk-very-secret-key';
  const service = await startService(t, {
    env: {
      MITSCHRIFT_LLM_BASE_URL: 'http://127.0.0.1:9/v1',
      MITSCHRIFT_LLM_API_KEY: key,
      MITSCHRIFT_STT_BASE_URL: 'http://127.0.0.1:9/v1',
      MITSCHRIFT_STT_API_KEY: key,
    },
  });
  const token = await service.setUp();
  const { body } = await service.call<Checks>('GET', '/doctor', { token });
  for (const name of ['speech to text', 'language model']) {
    const check = body.checks.find((one) => one.name === name);
    assert.equal(check?.state, 'failed', name);
    assert.match(check?.detail ?? '', /127\.0\.0\.1:9/);
    assert.ok(check?.remedy);
  }
  assert.ok(!JSON.stringify(body).includes(key));
});
