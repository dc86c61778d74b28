import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { limits } from '../../src/http/limits.ts';
import { eventually, within } from '../support/eventually.ts';
import { type TestService, startService, wav, withAda } from '../support/http-client.ts';

const file = ['Content-Disposition: form-data; name="file"; filename="a.wav"', wav()] as const;

/** Posts a form of parts, each the lines of its header and what it holds. */
async function sendForm(
  service: TestService,
  token: string,
  parts: readonly (readonly [header: string, content: string | Uint8Array])[],
  {
    boundary = 'b',
    type = `multipart/form-data; boundary=${boundary}`,
  }: { boundary?: string; type?: string } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const bytes = parts.flatMap(([header, content]) => [
    `--${boundary}\r\n${header}\r\n\r\n`,
    content,
    '\r\n',
  ]);
  const answer = await fetch(`${service.url}/recordings`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': type,
    },
    body: await new Blob([...bytes, `--${boundary}--\r\n`]).bytes(),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** What the beginning of a form is answered with, of which no more comes. */
async function answerTo({ port }: TestService, token: string, begun: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    'POST /recordings HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n' +
      `Authorization: Bearer ${token}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n` +
      `${begun.length.toString(16)}\r\n${begun}\r\n`,
  );
  const [answer] = (await within('an answer', once(socket, 'data'), 30_000)) as [Buffer];
  socket.destroy();
  return answer.toString('utf8');
}

/** An upload that has begun and sends nothing more. */
function trickle({ port }: TestService, token: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    'POST /recordings HTTP/1.1\r\nHost: localhost\r\n' +
      `Authorization: Bearer ${token}\r\nContent-Length: 1000000\r\n` +
      'Content-Type: multipart/form-data; boundary=x\r\n\r\n' +
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF',
  );
  return socket;
}

test('one user who trickles uploads leaves places to others', async (t) => {
  const { service, token: alice } = await withAda(t);
  const bob = await service.addUser('bob');
  const refused: string[] = [];
  const sockets = Array.from({ length: limits.uploadsAtOnceMax }, () => {
    const socket = trickle(service, alice);
    socket.once('data', (bytes: Buffer) => refused.push(bytes.toString('utf8')));
    return socket;
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const others = limits.uploadsAtOnceMax - limits.uploadsPerUserMax;
  await eventually('the others were refused', () => refused.length === others);
  for (const answer of refused) assert.match(answer, /^HTTP\/1\.1 503 [^]*\/problems\/busy/);
  assert.equal((await service.upload(bob)).status, 202);
});

test('an upload that arrives too slowly is ended and leaves nothing behind', async (t) => {
  const { service, token } = await withAda(t);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const socket = trickle(service, token);
  let answer = '';
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString('utf8')));
  const closed = once(socket, 'close');
  const uploads = join(service.dataDir, 'uploads');
  await eventually('it has begun', async () => (await readdir(uploads)).length === 1);
  t.mock.timers.tick(limits.uploadSpeedMs + 1);
  t.mock.timers.tick(limits.uploadSpeedMs + 1);
  t.mock.timers.reset();
  await closed;
  assert.match(answer, /^HTTP\/1\.1 408 [^]*\/problems\/too-slow/);
  await eventually('nothing is left', async () => (await readdir(uploads)).length === 0);
});

test('how a field of a form says that it is encoded means nothing', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('transcribe');
  const title = 'Plän YQ==';
  for (const encoding of ['7bit', '8bit', 'binary', 'utf-8', 'base64', 'quoted-printable', 'x']) {
    const header = `Content-Disposition: form-data; name="title"\r\nContent-Transfer-Encoding: ${encoding}`;
    const parts = [[header, title], file] as const;
    const { status, body } = await sendForm(service, token, parts);
    assert.equal(status, 202, encoding);
    const path = `/recordings/${String(body['recording_id'])}`;
    assert.equal((await service.call('GET', path, { token })).body['title'], title, encoding);
  }
  assert.equal((await service.call('GET', '/health')).status, 200);
});

test('a field that is too large is refused in whatever charset it is', async (t) => {
  const { service, token } = await withAda(t);
  const header =
    'Content-Disposition: form-data; name="people"\r\nContent-Type: text/plain; charset=utf-16le';
  const much = Buffer.from(' '.repeat(limits.uploadFieldsBytesMax - 1), 'utf16le');
  assert.equal((await sendForm(service, token, [[header, much], file])).status, 413);
});

test('a form is refused when one of its parts cannot be read', async (t) => {
  const { service, token } = await withAda(t);
  const title = 'form-data; name="title"';
  for (const [what, part] of [
    ['semicolon at the end', [`Content-Disposition: ${title};`, 'x']],
    ['not of a form', ['Content-Disposition: attachment; name="title"', 'x']],
    ['without a name', ['Content-Type: text/plain', 'x']],
    ['without quotes', [`Content-Disposition: ${title}; filename=\u00E4.wav`, 'x']],
    ['boundary inside', [`Content-Disposition: ${title}`, 'x\r\n--bc']],
  ] as const)
    for (const parts of [
      [part, file],
      [file, part],
    ]) {
      const { status, body } = await sendForm(service, token, parts);
      assert.deepEqual([status, body['type']], [400, '/problems/malformed-body'], what);
    }
});

test('the boundary of a form may hold = without quotes, and a semicolon may follow', async (t) => {
  const { service, token } = await withAda(t);
  for (const given of [
    { boundary: '=b=' },
    { type: 'multipart/form-data; boundary=b;' },
    { type: 'multipart/form-data; charset=utf-8; Boundary="b" ;' },
  ])
    assert.equal((await sendForm(service, token, [file], given)).status, 202);
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=""'])
    assert.equal((await sendForm(service, token, [file], { type })).status, 400, type);
});

test('a part without a file name is a field, whatever type it says', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('transcribe');
  const type = 'Content-Type: application/octet-stream';
  const part = (name: string, value: string) =>
    [`Content-Disposition: form-data; name="${name}"\r\n${type}`, value] as const;
  const { status, body } = await sendForm(service, token, [part('title', 'Plän'), file]);
  assert.equal(status, 202);
  const path = `/recordings/${String(body['recording_id'])}`;
  assert.equal((await service.call('GET', path, { token })).body['title'], 'Plän');
  const much = 'x'.repeat(limits.uploadFieldsBytesMax + 1);
  assert.equal((await sendForm(service, token, [part('title', much), file])).status, 413);
  const many = Array.from({ length: limits.uploadFieldsMax + 1 }, () => part('people', 'x'));
  assert.equal((await sendForm(service, token, [...many, file])).status, 413);
});

test('a file that cannot be taken for its name is refused with that reason', async (t) => {
  const { service, token } = await withAda(t);
  const header = (name: string) =>
    `Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: audio/wav`;
  const audio = Buffer.alloc(limits.uploadFieldsBytesMax + 1);
  const nameless = await sendForm(service, token, [[header(''), audio]]);
  assert.equal(nameless.status, 422);
  assert.match(JSON.stringify(nameless.body), /"path":"file"[^}]*must have a file name/);
  for (const name of ['a\u0001.wav', 'a\u007F.wav', 'a"b.wav']) {
    const { status, body } = await sendForm(service, token, [[header(name), audio]]);
    assert.equal(status, 400);
    assert.match(String(body['detail']), /control characters/);
  }
});

test('a header of a part that is too long is refused before it is read to its end', async (t) => {
  const { service, token } = await withAda(t);
  const long = `--b\r\nContent-Disposition: form-data; name="a"; ${'filename="'.repeat(10_000)}`;
  const whole = await sendForm(service, token, [[`${long.slice(5)}x`, ''], file]);
  assert.deepEqual([whole.status, whole.body['type']], [400, '/problems/malformed-body']);
  assert.match(await answerTo(service, token, long), /^HTTP\/1\.1 400 [^]*\/malformed-body/);
  const name = `--b\r\n${'x'.repeat(100_000)}`;
  assert.match(await answerTo(service, token, name), /^HTTP\/1\.1 400 [^]*\/malformed-body/);
  assert.equal((await service.call('GET', '/health')).status, 200);
  assert.equal((await service.upload(token)).status, 202);
});

test('a form is refused for a file of another name, also with what comes behind it', async (t) => {
  const { service, token } = await withAda(t);
  const other = '--b\r\nContent-Disposition: form-data; name="a"; filename="a.wav"\r\n\r\nRIFF\r\n';
  const answer = await answerTo(service, token, `${other}--b\r\n${file[0]}\r\n\r\nRIFF`);
  assert.match(answer, /^HTTP\/1\.1 422 [^]*"path":"a"/);
});

test('a form that holds much besides its file is refused before its end, wherever it is', async (t) => {
  const { service, token } = await withAda(t);
  const much = 'x'.repeat(limits.uploadOverheadBytes + 1);
  const part = (header: string) => `--b\r\n${header}\r\n\r\n${much}`;
  for (const [what, begun] of [
    ['before the first part', much],
    ['a field', part('Content-Disposition: form-data; name="title"')],
    ['a part that is none of a form', part('Content-Disposition: attachment')],
    ['behind the end', `--b--\r\n${much}`],
  ] as const)
    assert.match(await answerTo(service, token, begun), /^HTTP\/1\.1 413 /, what);
  assert.equal((await service.upload(token)).status, 202);
});

test('one address cannot take all connections', async (t) => {
  const service = await startService(t);
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  let closed = 0;
  const most = limits.connectionsPerAddressMax;
  for (let count = 0; count < most + 50; count += 1) {
    const socket = connect({ port: service.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('close', () => (closed += 1));
    await once(socket, 'connect');
    // It never says what it wants.
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n');
  }
  await eventually('those beyond the limit are closed', () => closed === 50);
  assert.equal((await service.call('GET', '/health')).status, 200, 'another address is answered');
  assert.ok(service.logged.some((line) => line.includes('too many connections from one address')));
});

test('behind a trusted proxy all come from one address, and are not limited by it', async (t) => {
  const service = await startService(t, {
    env: { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.2' },
  });
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let count = 0; count < limits.connectionsPerAddressMax + 5; count += 1) {
    const socket = connect({ port: service.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    sockets.push(socket);
    await once(socket, 'connect');
  }
  const last = sockets.at(-1)!;
  const answered = once(last, 'data') as Promise<[Buffer]>;
  last.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.match((await answered)[0].toString(), /^HTTP\/1\.1 200/);
});

test('the upload of a disabled user cannot be finished, and can when they are enabled again', async (t) => {
  const { disable, send } = await uploadOfBen(t);
  await disable(true);
  assert.equal((await send(0, [wav()])).status, 404);
  await disable(false);
  assert.equal((await send(0, [wav()])).status, 202);
});

test('an upload whose user is disabled while its end arrives is no recording until they are enabled', async (t) => {
  const { disable, send, service, id } = await uploadOfBen(t);
  const audio = wav();
  const file = join(service.dataDir, 'resumable', id);
  async function* disabledMeanwhile() {
    yield audio.subarray(0, 100);
    await eventually('it begins', async () => (await stat(file)).size === 100);
    await disable(true);
    yield audio.subarray(100);
  }
  assert.equal((await send(0, disabledMeanwhile())).status, 404);
  await disable(false);
  const token = await service.login('ben');
  const list = await service.call<{ recordings: object[] }>('GET', '/recordings', { token });
  assert.deepEqual(list.body.recordings, []);
  assert.equal((await send(audio.byteLength, [])).status, 202);
});

/** A resumable upload that Ben has begun, of which nothing is there. */
async function uploadOfBen(t: TestContext) {
  const { service, token: admin } = await withAda(t);
  const ben = await service.addUser('ben');
  const begun = await fetch(`${service.url}/uploads`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${ben}`,
      'Tus-Resumable': '1.0.0',
      'Upload-Length': String(wav().byteLength),
    },
  });
  const path = begun.headers.get('location')!;
  return {
    service,
    id: path.slice('/uploads/'.length),
    async disable(disabled: boolean) {
      const answer = await service.call('PATCH', '/users/ben', {
        token: admin,
        json: { disabled },
      });
      assert.equal(answer.status, 200);
    },
    /** Without Ben's session, which has ended. */
    send: (from: number, parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) =>
      fetch(service.url + path, {
        method: 'PATCH',
        headers: {
          'Tus-Resumable': '1.0.0',
          'Upload-Offset': String(from),
          'Content-Type': 'application/offset+octet-stream',
        },
        body: Readable.toWeb(Readable.from(parts)) as ReadableStream,
        duplex: 'half',
      }),
  };
}
