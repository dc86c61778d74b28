import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import { limits } from '../../src/http/limits.ts';
import { connect, startService, withAda } from '../support/http-client.ts';

test('some hundred refused messages end a WebSocket', async (t) => {
  const service = await startService(t);
  const client = connect(service.url, await service.setUp());
  await client.until(({ type }) => type === 'position');
  for (let message = 0; message < 50_000; message += 1) client.socket.send('{"type":"nope"}');
  // The session goes on: with 1008 a page would log out.
  assert.equal(await client.closed, 1013);
  const warnings = client.frames.filter(({ type }) => type === 'warning');
  assert.equal(warnings.length, limits.refusedMessagesMax);
});

test('a flood of devices that are never tried ends a WebSocket as refused messages do', async (t) => {
  const { service } = await withAda(t);
  const client = connect(service.url, await service.addUser('ben'));
  await client.until(({ type }) => type === 'position');
  for (let message = 0; message < 20_000; message += 1)
    client.socket.send('{"type":"level.start","device":null}');
  // The session goes on: with 1008 a page would log out.
  assert.equal(await client.closed, 1013);
  const warnings = client.frames.filter(({ type }) => type === 'warning');
  assert.ok(warnings.length <= limits.refusedMessagesMax, String(warnings.length));
});

test('a malformed target of an upgrade is 400, without a stack in the log', async (t) => {
  const service = await startService(t);
  const socket = connectTcp(service.port, '127.0.0.1');
  socket.write(
    'GET //[ HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  assert.match(answer.toString(), /^HTTP\/1\.1 400 [^]*\/problems\/malformed-request/);
  assert.ok(!service.logged.some((line) => line.includes('"stack"')));
});
