import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { onThisMachine } from '../support/eventually.ts';
import { type ProblemAnswer, rawRequest, startService, withAda } from '../support/http-client.ts';

const megabyte = 1024 * 1024;
const keys = (count: number) => Array.from({ length: count }, (_, key) => `"key${key}":1`).join();
/** About a megabyte each; each one stopped the service for seconds when ten came at once. */
const bombs = {
  'open brackets': '['.repeat(520_000),
  'nested objects': '{"a":'.repeat(150_000) + '1' + '}'.repeat(150_000),
  'unknown keys': `{${keys(80_000)}}`,
  numbers: `[${'1,'.repeat(500_000)}1]`,
  objects: `[${'{},'.repeat(330_000)}{}]`,
  'one string': `{"stt":{"model":"${'x'.repeat(megabyte - 100)}"}}`,
};

for (const [what, body] of Object.entries(bombs)) {
  test(`ten bodies of a megabyte of ${what} do not stop the service`, async (t) => {
    const service = await startService(t);
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${await service.setUp()}`,
    };
    const delay = monitorEventLoopDelay({ resolution: 10 });
    const before = process.cpuUsage();
    delay.enable();
    const put = { method: 'PUT', path: '/config', headers, body };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => rawRequest(service.url, put)),
    );
    delay.disable();
    const { user, system } = process.cpuUsage(before);
    for (const { status, body: text } of answers) {
      assert.ok([400, 413, 422].includes(status), `${status} ${text.slice(0, 200)}`);
      assert.ok(text.length < 5000, `the answer has ${text.length} characters`);
    }
    const stopped = delay.max / 1e6;
    assert.ok(stopped < onThisMachine(500), `the event loop stood still for ${stopped} ms`);
    // Ten megabytes go through this process twice: it is the client, too.
    assert.ok((user + system) / 1000 < 2000, `${(user + system) / 1000} ms of processor time`);
  });
}

test('strangers send at most 16 KB to /login and /setup', async (t) => {
  const service = await startService(t);
  for (const path of ['/login', '/setup']) {
    const json = { username: 'x'.repeat(17 * 1024), password: 'x' };
    const { status, body } = await service.call<ProblemAnswer>('POST', path, { json });
    assert.deepEqual([status, body.type], [413, '/problems/too-large'], path);
  }
});

test('a problem names at most ten unknown keys, in its sentences and for programs', async (t) => {
  const { service, token } = await withAda(t);
  const json = Object.fromEntries(Array.from({ length: 25 }, (_, key) => [`stray${key}`, 1]));
  const login = await service.call<ProblemAnswer>('POST', '/login', { json });
  const config = await service.call<ProblemAnswer>('PUT', '/config', { token, json });
  for (const { status, body } of [login, config]) {
    assert.equal(status, 422);
    const named = JSON.stringify(body.errors).match(/stray\d+/g) ?? [];
    assert.equal(new Set(named).size, 10, JSON.stringify(body));
    assert.ok(named.length <= 20, 'once in its sentence, once for programs');
    assert.match(JSON.stringify(body.errors), /15 more/);
    assert.ok((body.detail.match(/stray\d+/g) ?? []).length <= 10, body.detail);
  }
});
