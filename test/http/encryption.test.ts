import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { askEncrypted, selfSigned } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { resetHandshakes } from '../support/reset-handshakes.ts';
import {
  type ProblemAnswer,
  password,
  rawRequest,
  startService,
  type TestService,
  withAda,
} from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a service with a certificate speaks https, and says to plain http where to go and nothing else', async (t) => {
  const { service, cert } = await encrypted(t);
  assert.equal(service.url, `https://localhost:${service.port}`);
  const code = await service.setupCode();
  assert.equal(
    await service.setupLink,
    `https://localhost:${service.port}/setup#code=${code}`,
    'the link of the start',
  );
  const made = await askEncrypted(`${service.url}/setup`, cert, {
    method: 'POST',
    json: { username: 'ada', password },
    headers: { origin: service.url },
  });
  assert.equal(made.status, 201, made.body);
  assert.equal(made.headers['strict-transport-security'], undefined);
  const { token } = JSON.parse(made.body) as { token: string };
  const authorization = `Bearer ${token}`;

  const plain = `http://localhost:${service.port}`;
  for (const [path, method] of [
    ['/status', 'GET'],
    ['/health', 'GET'],
    ['/', 'GET'],
    ['/config', 'PUT'],
  ] as const) {
    const refused = await rawRequest(plain, { path, method, headers: { authorization } });
    assert.equal(refused.status, 426, path);
    assert.equal(refused.headers['upgrade'], 'TLS/1.2, HTTP/1.1');
    const problem = JSON.parse(refused.body) as Record<string, unknown>;
    assert.deepEqual(
      [problem['type'], problem['detail'], problem['address']],
      ['/problems/https-required', `Mitschrift uses https here. Open ${service.url}`, service.url],
    );
  }
  const accept = 'text/html,*/*;q=0.8';
  const page = await rawRequest(plain, { headers: { accept, host: `<b>"x&y:1` } });
  assert.equal(page.status, 426);
  assert.match(page.headers['content-type']!, /^text\/html/);
  assert.match(page.body, new RegExp(`<a href="https://localhost:${service.port}">`));
  assert.doesNotMatch(page.body, /<b>/);
  const handshake = new WebSocket(`ws://localhost:${service.port}/ws?token=${token}`);
  const [, answer] = (await once(handshake, 'unexpected-response')) as [
    unknown,
    { statusCode: number },
  ];
  assert.equal(answer.statusCode, 426);
  handshake.on('error', () => {});
  handshake.terminate();

  const found = await checks(service, cert, authorization);
  const https = found.find(({ id }) => id === 'https')!;
  assert.deepEqual([https.status, https.remedy], ['ok', null], https.detail);
  assert.match(
    https.detail,
    /own certificate for localhost and 127\.0\.0\.1, valid until \d+ \w+ 20/,
  );
});

test('a plain request is told the certificate’s name where its host is no address', async (t) => {
  const { service, cert } = await encrypted(t);
  const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
  for (const host of ['999.999.999.999', '[:::]', '[1]:80', 'xn--a', '1.2.3.4.5']) {
    for (const headers of [{ host }, { host, ...upgrade }]) {
      const refused = await rawRequest(`http://localhost:${service.port}`, { headers });
      assert.equal(refused.status, 426, host);
      assert.equal((JSON.parse(refused.body) as ProblemAnswer)['address'], service.url, host);
    }
  }
  assert.equal((await askEncrypted(`${service.url}/health`, cert)).status, 200);
});

test('plain handshakes that are reset while they are refused do not end the service', async (t) => {
  const { service, cert } = await encrypted(t);
  await resetHandshakes(service.port);
  assert.equal((await askEncrypted(`${service.url}/health`, cert)).status, 200);
});

test('what a page of plain http at the same name sends is another site’s, for requests and WebSockets', async (t) => {
  const { service, cert } = await encrypted(t);
  const made = await askEncrypted(`${service.url}/setup`, cert, {
    method: 'POST',
    json: { username: 'ada', password },
  });
  const { token } = JSON.parse(made.body) as { token: string };
  const plainly = `http://localhost:${service.port}`;
  const forged = await askEncrypted(`${service.url}/logout`, cert, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, origin: plainly },
  });
  assert.equal(forged.status, 403);
  assert.match(forged.body, /cross-origin/);
  const elsewhere = await askEncrypted(`${service.url}/status`, cert, {
    headers: { host: 'evil.example' },
    servername: 'localhost',
  });
  assert.equal(elsewhere.status, 421);

  const address = `${service.url.replace('https', 'wss')}/ws?token=${token}`;
  const ca = await readFile(cert);
  const refused = new WebSocket(address, { ca, origin: plainly });
  const [, { statusCode }] = (await once(refused, 'unexpected-response')) as [
    unknown,
    { statusCode: number },
  ];
  assert.equal(statusCode, 403);
  refused.on('error', () => {});
  refused.terminate();
  const socket = new WebSocket(address, { ca, origin: service.url });
  const [frame] = (await once(socket, 'message')) as [Buffer];
  assert.equal((JSON.parse(frame.toString()) as { type: string }).type, 'status');
  socket.close();
  await once(socket, 'close');
});

test('a new certificate is used without a restart; a broken one leaves the old in use, and that is said', async (t) => {
  const { service, cert, key, folder } = await encrypted(t);
  const made = await askEncrypted(`${service.url}/setup`, cert, {
    method: 'POST',
    json: { username: 'ada', password },
  });
  const authorization = `Bearer ${(JSON.parse(made.body) as { token: string }).token}`;
  const trusted = join(folder, 'trusted.pem');
  await copyFile(cert, trusted);
  // The key of the next one comes first: for a moment the two do not fit.
  const next = await selfSigned(folder, 'next');
  await rename(next.key, key);
  await eventually('the log says so', () => {
    void askEncrypted(`${service.url}/health`, trusted).catch(() => {});
    return service.logged.some((line) => /key values mismatch/.test(line));
  });
  const kept = await askEncrypted(`${service.url}/health`, trusted);
  assert.equal(kept.serial, made.serial);
  const { status, detail } = (await checks(service, trusted, authorization)).find(
    ({ id }) => id === 'https',
  )!;
  assert.equal(status, 'limited');
  assert.match(detail, /key values mismatch\. The previous certificate is still in use\./);
  const warned = () => service.logged.filter((line) => /key values mismatch/.test(line)).length;
  assert.equal(warned(), 1, 'said once');

  await writeFile(trusted, [await readFile(trusted), await readFile(next.cert)].join('\n'));
  await rename(next.cert, cert);
  await eventually('the next one is used', async () => {
    const { serial } = await askEncrypted(`${service.url}/health`, trusted);
    return serial !== made.serial;
  });
});

test('without a certificate that can be read this machine is served, others are told, and it is mended by settings', async (t) => {
  const folder = await tempDir(t);
  const outward = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  const env = {
    MITSCHRIFT_SERVER_TLS_CERT: join(folder, 'cert.pem'),
    MITSCHRIFT_SERVER_TLS_KEY: join(folder, 'key.pem'),
  };
  const service = await startService(t, { env, address: '0.0.0.0' });
  const token = await service.addUser('ada', true);
  const { body } = await service.call<{ checks: Check[] }>('GET', '/doctor', { token });
  const https = body.checks.find(({ id }) => id === 'https')!;
  assert.equal(https.status, 'missing');
  assert.match(https.detail, /cert\.pem and .*key\.pem can’t be used.*no such file/);
  assert.equal(https.link, '/docs/administration#a-phones-microphone');
  if (outward !== undefined) {
    const told = await rawRequest(`http://${outward}:${service.port}`, { path: '/login' });
    assert.equal(told.status, 503);
    assert.match(told.body, /mitschrift doctor/);
  }
  const { cert, key } = await selfSigned(folder, 'mended');
  await rename(key, env.MITSCHRIFT_SERVER_TLS_KEY);
  await rename(cert, env.MITSCHRIFT_SERVER_TLS_CERT);
  await eventually('it speaks https', async () => {
    const { status } = await rawRequest(`http://127.0.0.1:${service.port}`, { path: '/health' });
    return status === 426;
  });
  const secure = `https://localhost:${service.port}/health`;
  assert.equal((await askEncrypted(secure, env.MITSCHRIFT_SERVER_TLS_CERT)).status, 200);
});

test('https begins and ends with the settings, also after a restart that has to read them first', async (t) => {
  const folder = await tempDir(t);
  const { cert, key } = await selfSigned(folder, 'set', {
    names: 'DNS:notes.example,IP:127.0.0.1',
  });
  const { service, token } = await withAda(t);
  const open = await service.call<{ checks: Check[] }>('GET', '/doctor', { token });
  assert.equal(open.body.checks.find(({ id }) => id === 'https')!.status, 'ok', 'this machine');
  const server = { tls_cert: cert, tls_key: key };
  assert.equal((await service.call('PUT', '/config', { token, json: { server } })).status, 200);
  const refused = await rawRequest(service.url, { path: '/health' });
  assert.equal(refused.status, 426);
  await service.close();

  const again = await startService(t, { dataDir: service.dataDir });
  assert.equal(again.url, `https://notes.example:${again.port}`);
  const secure = `https://127.0.0.1:${again.port}`;
  const authorization = `Bearer ${token}`;
  // The name of the certificate is a host of ours without being set.
  const host = 'notes.example';
  const there = await askEncrypted(`${secure}/status`, cert, {
    headers: { authorization, host },
  });
  assert.equal(there.status, 200, there.body);
  const unset = await askEncrypted(`${secure}/config`, cert, {
    method: 'PUT',
    headers: { authorization },
    json: { server: { tls_cert: null, tls_key: null } },
  });
  assert.equal(unset.status, 200, unset.body);
  assert.equal(
    (await rawRequest(`http://127.0.0.1:${again.port}`, { path: '/health' })).status,
    200,
  );
});

test('a pair that would let nobody in is refused by settings, and taking it back is not', async (t) => {
  const folder = await tempDir(t);
  const [one, other] = [await selfSigned(folder, 'one'), await selfSigned(folder, 'other')];
  const { service, token } = await withAda(t);
  const put = async (server: object) => {
    const json = { server };
    const { status, body } = await service.call<ProblemAnswer>('PUT', '/config', { token, json });
    return [status, body.errors?.map(({ path, code }) => `${path} ${code}`)];
  };
  const alone = (key: string) => [422, [`server.${key} certificate-half`]];
  assert.deepEqual(await put({ tls_cert: one.cert }), alone('tls_cert'));
  assert.deepEqual(await put({ tls_key: one.key }), alone('tls_key'));
  assert.deepEqual(await put({ tls_cert: one.cert, tls_key: other.key }), [
    422,
    ['server.tls_key certificate-differs'],
  ]);
  assert.equal((await rawRequest(service.url, { path: '/health' })).status, 200);
  assert.deepEqual(await put({ tls_cert: null, tls_key: null }), [200, undefined]);
  assert.deepEqual(await put({ tls_cert: one.cert, tls_key: one.key }), [200, undefined]);
  const half = await askEncrypted(`https://localhost:${service.port}/config`, one.cert, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    json: { server: { tls_key: null } },
  });
  assert.equal(half.status, 422, half.body);
});

test('a client that says nothing, or no handshake after its first byte, holds no other up', async (t) => {
  const { service, cert } = await encrypted(t);
  const silent = connectPlain(service.port, '127.0.0.1');
  const garbled = connectPlain(service.port, '127.0.0.1');
  await Promise.all([once(silent, 'connect'), once(garbled, 'connect')]);
  garbled.write(Buffer.concat([Buffer.from([22, 3, 1]), Buffer.alloc(60, 0xff)]));
  const ended = text(garbled).catch(() => '');
  assert.equal((await askEncrypted(`${service.url}/health`, cert)).status, 200);
  await ended;
  const gone = once(silent, 'close');
  await service.close();
  await gone;
});

type Check = {
  id: string;
  status: string;
  detail: string;
  remedy: { text: string } | null;
  link: string;
};

async function encrypted(t: TestContext) {
  const folder = await tempDir(t);
  const { cert, key } = await selfSigned(folder, 'house');
  const service = await startService(t, {
    env: { MITSCHRIFT_SERVER_TLS_CERT: cert, MITSCHRIFT_SERVER_TLS_KEY: key },
  });
  return { service, cert, key, folder };
}

async function checks(service: TestService, cert: string, authorization: string): Promise<Check[]> {
  const { body } = await askEncrypted(`${service.url}/doctor`, cert, {
    headers: { authorization },
  });
  return (JSON.parse(body) as { checks: Check[] }).checks;
}
