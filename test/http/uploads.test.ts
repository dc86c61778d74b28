import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, realpath, utimes, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import {
  type ProblemAnswer,
  type TestService,
  startService,
  wav,
  withAda,
} from '../support/http-client.ts';

import { slowUpload } from '../support/slow-upload.ts';
import { tempDir } from '../support/temp-dir.ts';
import { onPostgres } from '../support/test-store.ts';

const megabyte = 1024 * 1024;
const leftIn = (service: TestService) => readdir(join(service.dataDir, 'uploads'));
const recordingsOf = async (service: TestService, token: string) => {
  type List = { recordings: { recording_id: string }[] };
  return (await service.call<List>('GET', '/recordings', { token })).body.recordings;
};

test('an uploaded file becomes three documents that its owner can read', async (t) => {
  const { service, token } = await withAda(t);
  const { status, body, headers } = await service.upload(token, { kind: 'solo', language: 'en' });
  assert.equal(status, 202);
  assert.deepEqual(Object.keys(body).toSorted(), ['recording_id', 'same_audio_as', 'status']);
  assert.equal(body.status, 'TRANSCRIBING');
  assert.equal(headers.get('location'), `/recordings/${body.recording_id}`);
  await service.reaches(body.recording_id, 'idle.saved');

  type Library = { transcripts: { documents: Record<string, string>; filename: string }[] };
  const library = await service.call<Library>('GET', '/transcripts', { token });
  const [item] = library.body.transcripts;
  assert.equal(item?.filename, item?.documents['index']);
  for (const [document, says] of [
    ['index', 'There is a plan. It is secret.'],
    ['transcript', 'This is the secret plan.'],
    ['summary', 'Somebody greets and has a plan.'],
  ] as const) {
    const path = encodeURIComponent(item!.documents[document]!);
    const read = await service.call<string>('GET', `/transcripts/${path}`, { token });
    assert.equal(read.status, 200);
    assert.equal(read.headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.match(read.headers.get('etag') ?? '', /^"[0-9a-f]{64}"$/);
    assert.ok(read.body.includes(says), document);
  }
  assert.deepEqual(await leftIn(service), []);
});

test('the answer is read-your-writes: the next GET sees the recording', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('transcribe');
  for (let round = 0; round < 5; round += 1) {
    const { body } = await service.upload(token);
    const one = await service.call('GET', `/recordings/${body.recording_id}`, { token });
    assert.equal(one.status, 200);
    assert.equal(one.body['status'], 'TRANSCRIBING');
    const [newest] = await recordingsOf(service, token);
    assert.equal(newest?.recording_id, body.recording_id);
  }
});

test('fields are checked, and every wrong one is named', async (t) => {
  const { service, token } = await withAda(t);
  const { status, body } = await service.upload<ProblemAnswer>(token, {
    kind: 'party',
    language: 'german',
    speakers: '0',
    speakers_min: '21',
    color: 'red',
  });
  assert.equal(status, 422);
  assert.equal(body.type, '/problems/invalid');
  const paths = body.errors?.map(({ path }) => path).toSorted();
  assert.deepEqual(paths, ['(body)', 'kind', 'language', 'speakers', 'speakers_min']);
  const turned = await service.upload<ProblemAnswer>(token, {
    kind: 'meeting',
    speakers_min: '5',
    speakers_max: '2',
  });
  assert.deepEqual(turned.body.errors, [
    {
      path: 'speakers_max',
      message: 'must not be less than `speakers_min`',
      code: 'speakers-limits',
    },
  ]);

  const form = new FormData();
  form.set('kind', 'solo');
  const without = await service.call<ProblemAnswer>('POST', '/recordings', { token, body: form });
  assert.equal(without.status, 422);
  assert.deepEqual(without.body.errors, [
    { path: 'file', message: 'is missing', code: 'field-missing' },
  ]);

  const two = new FormData();
  two.set('file', new Blob([wav(1)]), 'one.wav');
  two.set('more', new Blob([wav(1)]), 'two.wav');
  const both = await service.call<ProblemAnswer>('POST', '/recordings', { token, body: two });
  assert.equal(both.status, 422);
  assert.equal(both.body.errors?.[0]?.path, 'more');

  assert.deepEqual(await recordingsOf(service, token), []);
  assert.deepEqual(await leftIn(service), []);
});

test('people are named in a field each, too; any other field is given once', async (t) => {
  const { service, token } = await withAda(t);
  const send = async (twice: string) => {
    const form = new FormData();
    for (const value of ['Ada', 'Ben']) form.append(twice, value);
    form.set('file', new Blob([wav()]), 'talk.wav');
    return await service.call<ProblemAnswer & { recording_id: string }>('POST', '/recordings', {
      token,
      body: form,
    });
  };
  const { status, body } = await send('people');
  assert.equal(status, 202);
  type Facts = { events: { content: { people?: string[] } }[] };
  const path = `/recordings/${body.recording_id}/events`;
  const { events } = (await service.call<Facts>('GET', path, { token })).body;
  assert.deepEqual(events[0]?.content.people, ['Ada', 'Ben']);
  const refused = await send('title');
  assert.deepEqual(refused.body.errors, [
    { path: 'title', message: 'is given twice', code: 'field-twice' },
  ]);
});

test('what is not audio is 415 with a sentence, and so is a body that is no form', async (t) => {
  const { service, token } = await withAda(t);
  const text = new TextEncoder().encode('Dear diary, '.repeat(100));
  const notAudio = await service.upload<ProblemAnswer>(token, {}, { audio: text });
  assert.deepEqual([notAudio.status, notAudio.body.type], [415, '/problems/unsupported-media']);
  assert.equal(notAudio.body['code'], 'not-audio');
  const empty = await service.upload(token, {}, { audio: new Uint8Array() });
  assert.equal(empty.status, 415);
  assert.equal((await service.call('POST', '/recordings', { token, json: {} })).status, 415);
  assert.deepEqual(await recordingsOf(service, token), []);
  assert.deepEqual(await leftIn(service), []);
});

test('a file over the limit is 413, announced or not, and leaves nothing behind', async (t) => {
  const { service, token } = await withAda(t, { env: { MITSCHRIFT_LIMITS_UPLOAD_MB: '1' } });
  const announced = await service.upload<ProblemAnswer>(
    token,
    {},
    {
      audio: new Uint8Array(4 * megabyte),
    },
  );
  assert.deepEqual([announced.status, announced.body.type], [413, '/problems/too-large']);
  assert.equal(announced.headers.get('connection'), 'close');
  const inForm = await service.upload<ProblemAnswer>(
    token,
    {},
    {
      audio: new Uint8Array(megabyte + 200_000),
    },
  );
  assert.equal(inForm.status, 413);

  // In chunks, so that no length tells beforehand; the client must still get to read the answer.
  const chunked = await sendForm(service, token, async (send) => {
    for (let sent = 0; sent < 8; sent += 1) await send(Buffer.alloc(megabyte));
  });
  assert.equal(chunked.status, 413);
  assert.equal((await service.upload(token)).status, 202);
  assert.deepEqual(await leftIn(service), []);
});

test('a connection that breaks off leaves nothing behind', async (t) => {
  const { service, token } = await withAda(t);
  const socket = connectTcp(service.port, '127.0.0.1');
  await once(socket, 'connect');
  const beginning = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
  socket.write(
    `POST /recordings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n${beginning}`,
  );
  socket.write(Buffer.alloc(300_000));
  await eventually('the upload has begun', async () => (await leftIn(service)).length === 1);
  socket.destroy();
  await eventually('nothing of it is left', async () => (await leftIn(service)).length === 0);
  assert.deepEqual(await recordingsOf(service, token), []);
  await eventually('it is refused', async () =>
    service.logged.some((line) => line.includes('"status":400')),
  );
  assert.ok(!service.logged.some((line) => line.includes('"level":50')), 'no mistake of ours');
});

test('sixteen uploads are received at the same time, and the next one when one of them has ended', async (t) => {
  const { service, token } = await withAda(t);
  const tokens = [token];
  for (const name of ['ben', 'cleo', 'dora']) tokens.push(await service.addUser(name));
  const others = await Promise.all(
    Array.from({ length: 16 }, (_, at) => slowUpload(service, tokens[at % 4]!)),
  );
  const uploads = join(service.dataDir, 'uploads');
  while ((await readdir(uploads)).length < others.length) await new Promise(setImmediate);
  const refused = await service.upload<ProblemAnswer>(await service.addUser('eve'));
  assert.deepEqual([refused.status, refused.body.type], [503, '/problems/busy']);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal(await others.pop()!.finish(), 202);
  assert.equal((await service.upload(tokens.at(-1)!)).status, 202);
  for (const other of others) assert.equal(await other.finish(), 202);
});

test('a form that is cut off in the middle is 400', async (t) => {
  const { service, token } = await withAda(t);
  const answer = await service.call<ProblemAnswer>('POST', '/recordings', {
    token,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    body: '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF',
  });
  assert.deepEqual([answer.status, answer.body.type], [400, '/problems/malformed-body']);
  assert.deepEqual(await leftIn(service), []);
});

test('a name with folders in it names no folder of ours', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('transcribe');
  const filename = '../../../etc/..\\passwd.wav';
  const { body } = await service.upload(token, {}, { filename });
  type Events = { events: { content?: { filename?: string } }[] };
  const events = await service.call<Events>('GET', `/recordings/${body.recording_id}/events`, {
    token,
  });
  assert.equal(events.body.events[0]?.content?.filename, 'passwd.wav');
  assert.deepEqual((await readdir(join(service.dataDir, 'recordings'))).length, 1);
});

test('the same Idempotency-Key uploads once, also at the same time', async (t) => {
  const { service, token } = await withAda(t);
  const other = await service.addUser('ben');
  const headers = { 'Idempotency-Key': 'monday' };
  const first = await service.upload(token, {}, { headers });
  const again = await service.upload(token, {}, { headers });
  assert.deepEqual([again.status, again.body], [first.status, first.body]);
  assert.equal((await service.upload(other, {}, { headers })).status, 202);

  const both = { 'Idempotency-Key': 'tuesday' };
  const [one, two] = await Promise.all([
    service.upload(token, {}, { headers: both }),
    service.upload(token, {}, { headers: both }),
  ]);
  assert.deepEqual(one.body, two.body);
  assert.equal((await recordingsOf(service, token)).length, 2);

  const elsewhere = await service.call<ProblemAnswer>('POST', '/speakers', {
    token,
    headers,
    json: {},
  });
  assert.equal(elsewhere.body.type, '/problems/key-used-differently');
});

test('a refused upload may be repeated with the same key', async (t) => {
  const { service, token } = await withAda(t);
  const headers = { 'Idempotency-Key': 'k' };
  assert.equal((await service.upload(token, { kind: 'party' }, { headers })).status, 422);
  assert.equal((await service.upload(token, { kind: 'solo' }, { headers })).status, 202);
});

test('an upload is received in bounded memory', async (t) => {
  const { service, token } = await withAda(t, {
    overrides: { acceptsAudio: async () => ({ madeAt: null, seconds: null }) },
  });
  service.engines.hold('transcribe');
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const { status } = await sendForm(service, token, async (send) => {
    const chunk = Buffer.alloc(megabyte, 7);
    for (let sent = 0; sent < 150; sent += 1) {
      await send(chunk);
      most = Math.max(most, process.memoryUsage().rss);
    }
  });
  assert.equal(status, 202);
  // Sender and receiver share this process; holding the file would take 150 MB and more.
  assert.ok(most - before < 110 * megabyte, `${Math.round((most - before) / megabyte)} MB more`);
});

test('what a dead process was receiving is removed at the next start', async (t) => {
  const dataDir = await realpath(await tempDir(t));
  const uploads = join(dataDir, 'uploads');
  await mkdir(join(uploads, 'half'), { recursive: true });
  await writeFile(join(uploads, 'half', 'file'), 'RIFF');
  await writeFile(join(uploads, 'stray'), '');
  await startService(t, { dataDir });
  assert.deepEqual(await readdir(uploads), onPostgres ? ['half', 'stray'] : []);
});

test('where nodes share the folder, what one that died was receiving is removed after a day', async (t) => {
  const dataDir = await realpath(await tempDir(t));
  const uploads = join(dataDir, 'uploads');
  for (const name of ['old', 'new']) {
    await mkdir(join(uploads, name), { recursive: true });
    await writeFile(join(uploads, name, 'file'), 'RIFF');
  }
  const before = new Date(Date.now() - 25 * 3600_000);
  await utimes(join(uploads, 'old'), before, before);
  await startService(t, { dataDir, node: { name: 'a', role: 'all' } });
  await eventually('the old one is gone', async () => (await readdir(uploads)).join() === 'new');
});

/** Sends a form with one file in chunks, as they come, waiting for each to be taken. */
async function sendForm(
  service: TestService,
  token: string,
  write: (send: (chunk: Buffer) => Promise<void>) => Promise<void>,
): Promise<{ status: number }> {
  const request = httpRequest({
    host: '127.0.0.1',
    port: service.port,
    path: '/recordings',
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'multipart/form-data; boundary=b',
      'Transfer-Encoding': 'chunked',
    },
  });
  const answered = new Promise<{ status: number }>((resolve, reject) => {
    request.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0 });
    });
    request.on('error', reject);
  });
  const stop = new AbortController();
  void answered.then(
    () => stop.abort(),
    () => stop.abort(),
  );
  request.write(
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n',
  );
  await write(async (chunk) => {
    if (stop.signal.aborted || request.write(chunk)) return;
    await once(request, 'drain', { signal: stop.signal }).catch(() => {});
  });
  request.end('\r\n--b--\r\n');
  return answered;
}
