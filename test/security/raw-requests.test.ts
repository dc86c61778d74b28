import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { within } from '../support/eventually.ts';
import { withAda } from '../support/http-client.ts';

/** A second request, hidden in the first one's body or behind its end. */
const smuggled = (token: string): string =>
  `GET /recordings?smuggled=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;

/**
 * Requests that a proxy and the service may understand differently (RFC 9112, 11.2), each as the lines of its
 * head and what follows.
 */
const ambiguous = (
  hidden: string,
): Readonly<Record<string, readonly [head: string, body: string]>> => {
  const chunked = `0\r\n\r\n${hidden}`;
  const long = `Content-Length: ${chunked.length}`;
  return {
    'Content-Length and Transfer-Encoding': [`${long}\r\nTransfer-Encoding: chunked`, chunked],
    'Transfer-Encoding and Content-Length': [`Transfer-Encoding: chunked\r\n${long}`, chunked],
    'Content-Length twice, different': [
      `Content-Length: 0\r\nContent-Length: ${hidden.length}`,
      hidden,
    ],
    'Content-Length twice in one line': [`Content-Length: 0, ${hidden.length}`, hidden],
    'Content-Length with a sign': [`Content-Length: +${hidden.length}`, hidden],
    'Content-Length in hexadecimal digits': [
      `Content-Length: 0x${hidden.length.toString(16)}`,
      hidden,
    ],
    'Content-Length with a space before the colon': [`Content-Length : ${hidden.length}`, hidden],
    'Content-Length below zero': ['Content-Length: -1', hidden],
    'Transfer-Encoding twice, the last not chunked': [
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
      chunked,
    ],
    'Transfer-Encoding that nobody knows': ['Transfer-Encoding: xchunked', chunked],
    'Transfer-Encoding with a space before the colon': [
      `Transfer-Encoding : chunked\r\n${long}`,
      chunked,
    ],
    'a folded Transfer-Encoding': [`Transfer-Encoding:\r\n chunked\r\n${long}`, chunked],
    'a folded header': [`X-One: a\r\n b\r\nContent-Length: 0`, ''],
    'a line feed alone inside a header': [`X-One: a\nContent-Length: ${hidden.length}`, hidden],
    'a NUL inside a header': ['X-One: a\0b\r\nContent-Length: 0', ''],
    'a header without a name': [': a\r\nContent-Length: 0', ''],
    'two hosts': ['Host: evil.example\r\nContent-Length: 0', ''],
    'a chunk whose size is no number': ['Transfer-Encoding: chunked', `zz\r\n${hidden}`],
    'a chunk that is longer than it says': [
      'Transfer-Encoding: chunked',
      `1\r\n${hidden}0\r\n\r\n`,
    ],
  };
};

test('requests that can be read in two ways are refused, and hide no second one', async (t) => {
  const { service, token } = await withAda(t);
  const before = service.logged.length;
  const kinds = Object.entries(ambiguous(smuggled(token)));
  for (const [what, [head, body]] of kinds) {
    const request = `POST /speakers HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${head}\r\n\r\n${body}`;
    const answers = await within(what, exchange(service.port, request), 30_000);
    // One answer, and the connection is closed behind it.
    assert.match(answers.join(), /^4(?:00|15)$/, what);
  }
  t.diagnostic(`${kinds.length} ways`);
  assert.ok(!service.logged.slice(before).some((line) => line.includes('"path":"/recordings"')));
  const { body } = await service.call<{ recordings: unknown[] }>('GET', '/recordings', { token });
  assert.deepEqual(body.recordings, [], 'nothing was begun');

  // The same connection with two honest requests is answered twice.
  const honest = `GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  assert.deepEqual(
    await exchange(
      service.port,
      honest + honest.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    ),
    [200, 200],
  );
});

test('methods and targets of proxies and debuggers get nowhere', async (t) => {
  const { service, token } = await withAda(t);
  const answered: string[] = [];
  const login = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nX-Secret: zqsecretxv\r\nConnection: close`;
  for (const line of [
    'TRACE / HTTP/1.1',
    'TRACE /status HTTP/1.1',
    'TRACK /status HTTP/1.1',
    'DEBUG /status HTTP/1.1',
    'CONNECT localhost:22 HTTP/1.1',
    'CONNECT /status HTTP/1.1',
    'PRI * HTTP/2.0',
    'OPTIONS * HTTP/1.1',
    'PROPFIND /recordings HTTP/1.1',
    'get /status HTTP/1.1',
    'GET http://evil.example/status HTTP/1.1',
    'GET /status HTTP/9.9',
    'GET /status\tHTTP/1.1',
    'GET * HTTP/1.1',
    'GET status HTTP/1.1',
    'GET //evil.example/status HTTP/1.1',
    'GET /\0status HTTP/1.1',
    'GET /%00status HTTP/1.1',
    'GET /%c0%ae%c0%ae/status HTTP/1.1',
  ]) {
    const said = await within(line, raw(service.port, `${line}\r\n${login}\r\n\r\n`), 30_000);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1] ?? 0);
    // Without any answer the connection was closed.
    if (status !== 0 && (status < 400 || status >= 500)) answered.push(`${line}: ${status}`);
    assert.ok(!said.includes('zqsecretxv'), `${line} is not answered with what was sent`);
  }
  assert.deepEqual(answered, []);
  assert.equal((await service.call('GET', '/status', { token })).status, 200);
  assert.ok(!service.logged.some((line) => line.includes('"level":50')), 'no mistake of ours');
});

/** All that a connection answers until it is closed. */
async function raw(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  // What is left unread when the service closes resets the connection. Left open here: an answer could get lost.
  socket.on('error', () => {});
  socket.write(request, 'latin1');
  return await text(socket).catch(() => '');
}

/** The statuses of all answers. */
async function exchange(port: number, request: string): Promise<number[]> {
  const said = await raw(port, request);
  return [...said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
