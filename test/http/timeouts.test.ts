import { listening } from '../support/listening.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { limits } from '../../src/http/limits.ts';
import { type TestService, startService, withAda } from '../support/http-client.ts';
import { eventually } from '../support/eventually.ts';

/** The same service behind a server with other times. */
async function impatient(
  t: TestContext,
  { services }: TestService,
  times: Parameters<typeof listening>[1],
): Promise<Socket> {
  const server = await listening(services, times);
  t.after(() => server.close());
  return await connected(server.port);
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** All that comes until the other side ends the connection. */
async function toTheEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => (text += chunk));
  await once(socket, 'close');
  return text;
}

test('headers that do not come are not waited for', async (t) => {
  const socket = await impatient(t, await startService(t), { headersTimeoutMs: 100 });
  socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow:');
  assert.match(await toTheEnd(socket), /^HTTP\/1\.1 408 /);
});

test('more than half of the connections are not held by those that ask for nothing: the oldest goes', async (t) => {
  const { services } = await startService(t);
  const server = await listening(services, { connectionsMax: 8, unaskedMs: 100 });
  t.after(() => server.close());
  const sockets: Socket[] = [];
  const closed: number[] = [];
  const open = async (first: string): Promise<void> => {
    const socket = await connected(server.port);
    const n = sockets.push(socket) - 1;
    socket.once('close', () => closed.push(n));
    socket.write(first);
  };
  const half = 'GET /health HTTP/1.1\r\nHost: localhost\r\n';
  // The first asks, and its answer waits for its body: it is no slow one.
  await open('POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n');
  for (const first of ['', half, 'G']) await open(first);
  await open(half);
  await eventually('the oldest that has not asked is gone', () => closed.length > 0);
  assert.deepEqual(closed, [1]);
  const answered = once(sockets[2]!, 'data') as Promise<[Buffer]>;
  sockets[2]!.write('\r\n');
  assert.match(String((await answered)[0]), /^HTTP\/1\.1 200 /, 'half of them may be slow');
  await open('');
  await eventually('the next is gone', () => closed.length > 1);
  assert.deepEqual(closed, [1, 3], 'one that has asked is younger since');
  for (const socket of sockets) socket.destroy();
});

test('a body that stops arriving ends the connection and leaves nothing behind', async (t) => {
  const { service, token } = await withAda(t);
  const socket = await impatient(t, service, { idleTimeoutMs: 300 });
  socket.write(
    'POST /recordings HTTP/1.1\r\nHost: localhost\r\n' +
      `Authorization: Bearer ${token}\r\nContent-Length: 1000000\r\n` +
      'Content-Type: multipart/form-data; boundary=x\r\n\r\n' +
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF',
  );
  await toTheEnd(socket);
  const uploads = join(service.dataDir, 'uploads');
  await eventually('the upload is gone', async () => (await readdir(uploads)).length === 0);
});

test('a JSON body has to be there in time, also for a stranger who logs in', async (t) => {
  const service = await startService(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  const arrived = once(socket, 'data') as Promise<[Buffer]>;
  socket.write(
    'POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
      'Content-Length: 100\r\n\r\n{"username":',
  );
  let answer: string | undefined;
  void arrived.then(([chunk]) => (answer = chunk.toString('utf8')));
  // The request is being read by the time the clock gets there.
  await eventually('the answer', () => {
    t.mock.timers.tick(limits.jsonBodyMs / 10);
    return answer !== undefined;
  });
  t.mock.timers.reset();
  assert.match(answer ?? '', /^HTTP\/1\.1 408 /);
  assert.match(answer ?? '', /\/problems\/too-slow/);
  socket.destroy();
});
