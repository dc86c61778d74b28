import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ProblemAnswer, withAda } from '../support/http-client.ts';

/** A server that keeps the keys that it was sent. */
async function keyCollector(t: TestContext) {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.setHeader('Content-Type', 'application/json');
    response.end('{"data":[{"id":"m"}]}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, keys };
}

for (const section of ['stt', 'llm']) {
  test(`the key of ${section} goes to no other server than the one it was given for`, async (t) => {
    const own = await keyCollector(t);
    const other = await keyCollector(t);
    const { service, token } = await withAda(t);
    const put = (values: object) =>
      service.call<ProblemAnswer>('PUT', '/config', { token, json: { [section]: values } });
    const tryOut = (values: object) =>
      service.call('POST', '/config/test', { token, json: { [section]: values } });
    assert.equal((await put({ base_url: own.url, api_key: 'sk-secret' })).status, 200);

    for (const values of [{ base_url: other.url }, { base_url: other.url, api_key: '••••' }]) {
      const refused = await put(values);
      assert.deepEqual([refused.status, refused.body.type], [422, '/problems/invalid']);
      assert.deepEqual(
        refused.body.errors?.map(({ path }) => path),
        [`${section}.api_key`],
      );
      assert.equal((await tryOut(values)).status, 200);
    }
    assert.ok(other.keys.length > 0, 'it was asked');
    assert.deepEqual(new Set(other.keys.filter(Boolean)), new Set());
    await tryOut({});
    assert.ok(own.keys.includes('Bearer sk-secret'), 'its own server gets it');

    assert.equal((await put({ base_url: `${own.url}/deeper` })).status, 200, 'the same origin');
    assert.equal((await put({ base_url: null })).status, 200);
    assert.equal((await put({ base_url: other.url })).status, 422, 'by a detour');
    assert.equal((await put({ base_url: other.url, api_key: 'sk-other' })).status, 200);
    assert.equal((await put({ base_url: own.url, api_key: null })).status, 200);
  });
}

test('a metrics token that can be guessed, and a proxy range of the whole internet, are refused', async (t) => {
  const { service, token } = await withAda(t);
  const put = async (json: object) =>
    (await service.call('PUT', '/config', { token, json })).status;
  assert.equal(await put({ metrics: { token: 'a' } }), 422);
  assert.equal(await put({ metrics: { token: 'x'.repeat(16) } }), 200);
  for (const range of ['0.0.0.0/0', '128.0.0.0/1', '::/0', '::ffff:0:0/96', '2000::/3']) {
    assert.equal(await put({ server: { trusted_proxies: [range] } }), 422, range);
  }
  for (const range of ['10.0.0.0/8', '127.0.0.1', '::1', '2001:db8::/32', 'fd00::/16']) {
    assert.equal(await put({ server: { trusted_proxies: [range] } }), 200, range);
  }
});
