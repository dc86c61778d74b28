import assert from 'node:assert/strict';
import { type RequestListener, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { probeCompat, probeNative, speechServer } from '../../src/speech/remote/probe-server.ts';
import { sayWhole } from '../../src/words/say.ts';

const signal = new AbortController().signal;

async function probes(t: TestContext, answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked = { ...speechServer(url, null), name: 'It' };
  t.after(async () => {
    await asked.connections.destroy();
    server.closeAllConnections();
    server.close();
  });
  return {
    server,
    native: (options = {}) => probeNative(asked, signal, options),
    compat: (options = {}) => probeCompat({ ...asked, base: `${url}/v1` }, signal, options),
  };
}
const says =
  (status: number, body: string): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(body);

test('whisper.cpp: ready, loading (a 404 of its own), or another server altogether', async (t) => {
  const states: string[] = [];
  for (const answer of [
    says(200, '{"status":"ok"}'),
    says(404, 'File Not Found (/health)'),
    says(404, 'nginx'),
  ])
    states.push((await (await probes(t, answer)).native()).state);
  assert.deepEqual(states, ['ready', 'busy', 'refused']);
});

test('compat: the models it has; no list is no fault; a wrong key is', async (t) => {
  const ready = await (await probes(t, says(200, '{"data":[{"id":"a"},{"id":7},{}]}'))).compat();
  assert.deepEqual([ready.state, ready.models], ['ready', ['a']]);
  assert.equal((await (await probes(t, says(404, ''))).compat()).state, 'ready');
  const refused = await (await probes(t, says(403, '{"detail":"Invalid key"}'))).compat();
  assert.equal(refused.state, 'refused');
  assert.match(sayWhole(refused.said, 'en'), /stt\.api_key.*Invalid key/);
  assert.equal((await (await probes(t, says(503, ''))).compat()).state, 'busy');
});

test('no answer is read as busy, a refused connection as away', async (t) => {
  const silent = await probes(t, () => {});
  assert.equal((await silent.native({ timeoutMs: 20 })).state, 'busy');
  assert.equal((await silent.compat({ timeoutMs: 20 })).state, 'busy');
  silent.server.closeAllConnections();
  silent.server.close();
  await once(silent.server, 'close');
  assert.equal((await silent.native()).state, 'away');
  assert.equal((await silent.compat()).state, 'away');
});
