import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { limits } from '../../src/http/limits.ts';
import { connect, rawRequest, startService, withAda } from '../support/http-client.ts';

const handshake = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

test('a handshake is refused with a problem before it begins', async (t) => {
  const { service, token } = await withAda(t);
  const { url } = service;
  const refusedWith = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await rawRequest(url, { path, headers: { ...handshake, ...headers } });
    assert.match(answer.headers['content-type'] ?? '', /^application\/problem\+json/);
    return answer.status;
  };
  assert.equal(await refusedWith('/ws'), 401);
  assert.equal(await refusedWith('/ws?token=nonsense'), 401);
  assert.equal(await refusedWith('/ws', { 'Sec-WebSocket-Protocol': 'mitschrift, nonsense' }), 401);
  assert.equal(await refusedWith(`/ws?token=${token}`, { Host: 'evil.example' }), 421);
  assert.equal(await refusedWith(`/ws?token=${token}`, { Origin: 'http://evil.example' }), 403);
  assert.equal(await refusedWith(`/other?token=${token}`), 404);
  assert.equal(await refusedWith(`/ws?token=${token}&after=yesterday`), 422);
  assert.equal(await refusedWith('/other'), 401);
  assert.ok(!service.logged.join('').includes(token));
});

test('the token may come as a subprotocol, which the answer does not repeat', async (t) => {
  const { service, token } = await withAda(t);
  const client = connect(service.url, token, {
    protocols: ['mitschrift', token],
    headers: { Origin: service.url },
  });
  await client.until(({ type }) => type === 'status');
  assert.equal(client.socket.protocol, 'mitschrift');
  assert.equal(client.socket.extensions, '');
});

test('a user has a limit of connections, and gets the place of one that closed', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  const clients = Array.from({ length: limits.socketsPerUserMax }, () => connect(service.url, ada));
  await Promise.all(clients.map((client) => client.until(({ type }) => type === 'status')));
  const tooMany = await connect(service.url, ada).refusal;
  assert.equal(tooMany.status, 429);
  assert.equal(tooMany.body.type, '/problems/too-many-connections');
  await connect(service.url, ben).until(({ type }) => type === 'status');
  clients[0]!.close();
  await clients[0]!.closed;
  const again = connect(service.url, ada);
  await again.until(({ type }) => type === 'status');
});

test('a session that ends takes its connections with it at once, and no other’s', async (t) => {
  const { service, token: ada } = await withAda(t);
  const [first, second, ben] = [
    await service.login('ada'),
    await service.login('ada'),
    await service.addUser('ben'),
  ];
  // Without heartbeats, which look after sessions too.
  t.mock.timers.enable({ apis: ['setInterval'] });
  const clients = [first, first, second, ben].map((token) => connect(service.url, token));
  for (const { until } of clients) await until(({ type }) => type === 'position');
  assert.equal((await service.call('POST', '/logout', { token: first })).status, 204);
  const limit = sleep(20_000, 'open', { ref: false });
  for (const { closed } of clients.slice(0, 2)) {
    assert.equal(await Promise.race([closed, limit]), 1008);
  }
  await service.call('PATCH', '/users/ben', { token: ada, json: { disabled: true } });
  assert.equal(await Promise.race([clients[3]!.closed, limit]), 1008);
  assert.equal(clients[2]!.socket.readyState, clients[2]!.socket.OPEN);
});

test('who has to set up two-step login first gets no more frames on an open connection', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  t.mock.timers.enable({ apis: ['setInterval'] });
  const [limited, whole] = [connect(service.url, ada), connect(service.url, ben)];
  for (const { until } of [limited, whole]) await until(({ type }) => type === 'position');
  const json = { auth: { totp: 'administrators' } };
  assert.equal((await service.call('PUT', '/config', { token: ada, json })).status, 200);
  t.mock.timers.tick(limits.heartbeatMs);
  const limit = sleep(20_000, 'open', { ref: false });
  // The session goes on: with 1008 a page would log out.
  assert.equal(await Promise.race([limited.closed, limit]), 1001);
  assert.equal(whole.socket.readyState, whole.socket.OPEN);
});

test('a message that is too large closes the connection, any other is answered', async (t) => {
  const { service, token } = await withAda(t);
  const client = connect(service.url, token);
  await client.until(({ type }) => type === 'status');
  client.socket.send('{"type":"audio.start"}');
  const warning = await client.until(({ type }) => type === 'warning');
  assert.equal(warning['code'], 'not-understood');
  client.socket.send('x'.repeat(limits.messageBytesMax + 1));
  assert.equal(await client.closed, 1009);
});

test('a client that does not read is dropped, and the others go on', async (t) => {
  const { service, token } = await withAda(t);
  const slow = connect(service.url, token);
  const quick = connect(service.url, token);
  for (const client of [slow, quick]) await client.until(({ type }) => type === 'position');
  slow.socket.pause();
  // Every message is answered; the slow one asks and asks, and never reads the answers.
  const closed = once(slow.socket, 'close');
  const question = 'x'.repeat(64);
  for (let sent = 0; sent < 2_000_000; sent += 1) {
    if (slow.socket.readyState !== slow.socket.OPEN) break;
    slow.socket.send(question);
    if (sent % 2000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  slow.socket.resume();
  await closed;
  await service.upload(token);
  await quick.until(({ type }) => type === 'saved');
});

test('a stopping server says goodbye to everybody and lets an upload finish', async (t) => {
  const { service, token } = await withAda(t);
  const client = connect(service.url, token);
  await client.until(({ type }) => type === 'position');
  const upload = service.upload(token);
  await client.until(({ event }) => event === 'audio.imported');
  await service.close();
  assert.equal(await client.closed, 1001);
  assert.equal((await upload).status, 202);
  await assert.rejects(fetch(`${service.url}/health`));
});

test('who connects after a restart is told what comes, nothing of before', async (t) => {
  const { service: first, token } = await withAda(t);
  const earlier = await first.settled(token);
  const before = await first.store.head();
  await first.close();

  const service = await startService(t, { dataDir: first.dataDir });
  const client = connect(service.url, token);
  t.after(client.close);
  const status = await client.until(({ type }) => type === 'status');
  const told = await client.until(({ type }) => type === 'position');
  assert.deepEqual([status.position, told.position], [before, before]);
  const { body } = await service.upload(token);
  await client.until(
    ({ type, recording_id }) => type === 'saved' && recording_id === body.recording_id,
  );
  const old = client.frames.filter(({ recording_id }) => recording_id === earlier);
  assert.deepEqual(old, []);
});
