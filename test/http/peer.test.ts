import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { clientAddress } from '../../src/http/peer.ts';
import { type TestService, rawRequest, withAda } from '../support/http-client.ts';

test('a forwarded address counts as far as trusted proxies vouch for it', () => {
  const cases: [peer: string, forwarded: string | undefined, trusted: string[], client: string][] =
    [
      ['198.51.100.7', '203.0.113.5', [], '198.51.100.7'],
      ['198.51.100.7', '203.0.113.5', ['10.0.0.0/8'], '198.51.100.7'],
      ['10.0.0.2', '203.0.113.5', ['10.0.0.0/8'], '203.0.113.5'],
      ['10.0.0.2', '6.6.6.6, 203.0.113.5', ['10.0.0.0/8'], '203.0.113.5'],
      ['10.0.0.2', '203.0.113.5, 10.0.0.3', ['10.0.0.0/8'], '203.0.113.5'],
      ['10.0.0.2', '203.0.113.5, 10.0.0.3', ['10.0.0.2'], '10.0.0.3'],
      ['10.0.0.2', undefined, ['10.0.0.2'], '10.0.0.2'],
      ['10.0.0.2', 'unknown', ['10.0.0.2'], '10.0.0.2'],
      ['10.0.0.2', '6.6.6.6, evil', ['10.0.0.2'], '10.0.0.2'],
      ['10.0.0.2', '203.0.113.5:4711', ['10.0.0.2'], '203.0.113.5'],
      ['10.0.0.2', '[2001:db8::5]:4711', ['10.0.0.2'], '2001:db8::5'],
      ['::ffff:10.0.0.2', '203.0.113.5', ['10.0.0.0/8'], '203.0.113.5'],
      ['::1', '2001:db8::5', ['::1'], '2001:db8::5'],
      ['2001:db8::1', '203.0.113.5', ['2001:db8::/32'], '203.0.113.5'],
    ];
  for (const [remoteAddress, forwarded, trusted, client] of cases) {
    const request = {
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage;
    assert.equal(clientAddress(request, trusted), client, `${remoteAddress} ${forwarded}`);
  }
});

test('behind a trusted proxy logins are limited per client, else all together', async (t) => {
  const { service: trusting } = await withAda(t, {
    env: { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1,::1' },
  });
  const told: number[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1) {
    told.push(await login(trusting, `user${attempt}`, '203.0.113.5'));
  }
  assert.deepEqual(told, [...Array<number>(10).fill(401), 429, 429]);
  assert.equal(await login(trusting, 'ada', '203.0.113.6'), 401, 'somebody else may still try');

  const { service: careful } = await withAda(t);
  const answers: number[] = [];
  for (let attempt = 0; attempt < 11; attempt += 1) {
    answers.push(await login(careful, `user${attempt}`, `203.0.113.${attempt}`));
  }
  assert.equal(answers.at(-1), 429, 'a header of just anybody opens nothing');
});

test('who is turned away is in the log, with the address and without the token', async (t) => {
  const { service } = await withAda(t, {
    env: { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const ben = await service.addUser('ben');
  const headers = { 'X-Forwarded-For': '203.0.113.5' };
  await service.call('GET', '/status?token=geheim', { headers });
  await service.call('GET', '/users', { token: ben, headers });
  await login(service, 'ben', '203.0.113.5');
  await rawRequest(service.url, { path: '/health', headers: { ...headers, Host: 'evil.example' } });
  await rawRequest(service.url, {
    path: '/ws?token=geheim',
    headers: {
      ...headers,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  });
  const refused = service.logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ category, address }) => category === 'security' && address === '203.0.113.5');
  assert.deepEqual(
    refused.map(({ problem, msg, path }) => [problem ?? msg, path]),
    [
      ['not-authenticated', '/status'],
      ['not-admin', '/users'],
      ['login failed', undefined],
      ['host-not-allowed', '/health'],
      ['not-authenticated', '/ws'],
    ],
  );
  assert.ok(!service.logged.join('\n').includes('geheim'));
});

async function login(service: TestService, username: string, address: string): Promise<number> {
  const { status } = await service.call('POST', '/login', {
    json: { username, password: 'wrong password' },
    headers: { 'X-Forwarded-For': address },
  });
  return status;
}
