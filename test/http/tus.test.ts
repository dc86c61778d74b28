import assert from 'node:assert/strict';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { type OnSuccessPayload, Upload } from 'tus-js-client';
import { EventStoreError } from '../../events/store.ts';
import { eventually } from '../support/eventually.ts';
import { type TestService, startService, wav, withAda } from '../support/http-client.ts';

type Reply = { status: number; headers: Headers; body: Record<string, unknown> };

/** A request of the protocol, which OpenAPI's checks do not see: most of its answers are headers. */
async function tus(
  service: TestService,
  method: string,
  path: string,
  options: { token?: string; headers?: Record<string, string>; body?: Uint8Array } = {},
): Promise<Reply> {
  const response = await fetch(service.url + path, {
    method,
    headers: {
      'Tus-Resumable': '1.0.0',
      ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: options.body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

const metadata = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/** Begins an upload and returns its address. */
async function create(
  service: TestService,
  token: string,
  size: number,
  fields: Record<string, string> = { filename: 'Besprechung.wav', kind: 'solo' },
): Promise<string> {
  const { status, headers } = await tus(service, 'POST', '/uploads', {
    token,
    headers: { 'Upload-Length': String(size), 'Upload-Metadata': metadata(fields) },
  });
  assert.equal(status, 201);
  return headers.get('location')!;
}

const patch = (
  service: TestService,
  path: string,
  offset: number,
  body: Uint8Array,
  more: { token?: string; headers?: Record<string, string> } = {},
) =>
  tus(service, 'PATCH', path, {
    body,
    ...more,
    headers: {
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
      ...more.headers,
    },
  });

const audio = wav(2);

test('a file in pieces becomes a recording, with the last answer that of POST /recordings', async (t) => {
  const { service, token } = await withAda(t);
  const path = await create(service, token, audio.length, {
    filename: 'Besprechung.wav',
    kind: 'meeting',
    language: 'de',
    title: 'Größe',
    speakers: '3',
    people: 'Änne, Ben, ,Änne',
    // As a form sends what is not chosen.
    folder: '',
    filetype: 'audio/wav',
  });
  assert.match(path, /^\/uploads\/[0-9a-f]{32}$/);
  const first = await patch(service, path, 0, audio.subarray(0, 10_000), { token });
  assert.deepEqual([first.status, first.headers.get('upload-offset')], [204, '10000']);
  assert.ok(Date.parse(first.headers.get('upload-expires')!) - Date.now() > 23 * 3_600_000);

  const head = await tus(service, 'HEAD', path, { token });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('upload-offset'), '10000');
  assert.equal(head.headers.get('upload-length'), String(audio.length));
  assert.equal(head.headers.get('tus-resumable'), '1.0.0');
  assert.equal(head.headers.get('access-control-allow-origin'), null);

  const last = await patch(service, path, 10_000, audio.subarray(10_000), { token });
  assert.equal(last.status, 202);
  const id = String(last.body['recording_id']);
  assert.deepEqual(last.body, {
    recording_id: id,
    status: 'TRANSCRIBING',
    same_audio_as: null,
  });
  assert.equal(last.headers.get('location'), `/recordings/${id}`);
  assert.equal(last.headers.get('upload-offset'), String(audio.length));
  const { body } = await service.call('GET', `/recordings/${id}`, { token });
  assert.equal(body['kind'], 'meeting');
  type Imported = { content: { people: string[] }; data: { path: string } };
  const facts = await service.call<{ events: Imported[] }>('GET', `/recordings/${id}/events`, {
    token,
  });
  const [imported] = facts.body.events;
  assert.deepEqual(imported!.content.people, ['Änne', 'Ben']);
  const stored = await readFile(join(service.dataDir, 'recordings', id, imported!.data.path));
  assert.deepEqual(stored, Buffer.from(audio));

  // What was said of the file is where it can be erased, and nowhere else.
  const [reminder, ...others] = await readdir(join(service.dataDir, 'resumable'));
  assert.deepEqual(others, []);
  const kept = await readFile(join(service.dataDir, 'resumable', reminder!), 'utf8');
  assert.doesNotMatch(kept, /Besprechung|Größe|Änne/);

  // The answer was lost: asking again, in either way, tells the same.
  const again = await patch(service, path, audio.length, new Uint8Array(), { token });
  assert.deepEqual([again.status, again.body['recording_id']], [202, id]);
  const after = await tus(service, 'HEAD', path, { token });
  assert.equal(after.headers.get('upload-offset'), String(audio.length));
  assert.equal(after.headers.get('location'), `/recordings/${id}`);
  const list = await service.call<{ recordings: object[] }>('GET', '/recordings', { token });
  assert.equal(list.body.recordings.length, 1);
});

test('a connection that breaks off loses nothing that arrived; the client goes on from there', async (t) => {
  const { service, token } = await withAda(t);
  const path = await create(service, token, audio.length);
  const request = httpRequest({
    host: '127.0.0.1',
    port: service.port,
    path,
    method: 'PATCH',
    headers: {
      Authorization: `Bearer ${token}`,
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': '0',
      'Content-Length': String(audio.length),
    },
  });
  request.on('error', () => {});
  request.write(audio.subarray(0, 30_000));
  const file = join(service.dataDir, 'resumable', path.slice('/uploads/'.length));
  await eventually('it has come', async () => (await stat(file)).size === 30_000);
  const closed = new Promise((resolve) => request.once('close', resolve));
  request.destroy();
  await closed;

  const { headers } = await tus(service, 'HEAD', path, { token });
  assert.equal(headers.get('upload-offset'), '30000');
  const wrong = await patch(service, path, 0, audio, { token });
  assert.deepEqual([wrong.status, wrong.body['type']], [409, '/problems/wrong-offset']);
  const rest = await patch(service, path, 30_000, audio.subarray(30_000), { token });
  assert.equal(rest.status, 202);
  assert.ok(!service.logged.some((line) => line.includes('"level":50')), 'no mistake of ours');
});

test('a connection that hangs lets go when the client comes again', async (t) => {
  const { service, token } = await withAda(t);
  const path = await create(service, token, audio.length);
  const hanging = httpRequest({
    host: '127.0.0.1',
    port: service.port,
    path,
    method: 'PATCH',
    headers: {
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': '0',
      'Content-Length': String(audio.length),
    },
  });
  hanging.on('error', () => {});
  hanging.write(audio.subarray(0, 20_000));
  const file = join(service.dataDir, 'resumable', path.slice('/uploads/'.length));
  await eventually('it has come', async () => (await stat(file)).size === 20_000);
  const { status, headers } = await tus(service, 'HEAD', path, { token });
  assert.deepEqual([status, headers.get('upload-offset')], [200, '20000']);
  assert.equal((await patch(service, path, 20_000, audio.subarray(20_000))).status, 202);
  hanging.destroy();
});

test('who has begun an upload may finish it when the session has ended; nobody else may touch it', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  assert.equal((await tus(service, 'POST', '/uploads')).status, 401);
  const path = await create(service, token, audio.length);
  for (const method of ['HEAD', 'PATCH', 'DELETE']) {
    assert.equal((await tus(service, method, path, { token: ben })).status, 404, method);
  }
  await service.call('POST', '/logout', { token });
  assert.equal((await service.call('GET', '/status', { token })).status, 401);
  const { status, body } = await patch(service, path, 0, audio, { token });
  assert.equal(status, 202);
  const again = await service.login('ada');
  const id = String(body['recording_id']);
  assert.equal((await service.call('GET', `/recordings/${id}`, { token: again })).status, 200);
  assert.ok(!service.logged.some((line) => line.includes(path.slice('/uploads/'.length))));
});

test('what is over the limit, is no audio, or has wrong fields is refused and removed', async (t) => {
  const { service, token } = await withAda(t, { env: { MITSCHRIFT_LIMITS_UPLOAD_MB: '1' } });
  const begin = (headers: Record<string, string>) =>
    tus(service, 'POST', '/uploads', { token, headers });
  const large = await begin({ 'Upload-Length': String(2 * 1024 * 1024) });
  assert.deepEqual([large.status, large.body['type']], [413, '/problems/too-large']);
  const wrong = await begin({
    'Upload-Length': '10',
    'Upload-Metadata': metadata({ kind: 'party' }),
  });
  assert.deepEqual([wrong.status, wrong.body['type']], [422, '/problems/invalid']);
  assert.equal((await begin({})).status, 400);
  assert.equal((await begin({ 'Upload-Length': '-1' })).status, 400);

  const text = new TextEncoder().encode('Dear diary, '.repeat(100));
  const path = await create(service, token, text.length);
  const over = await patch(service, path, 0, new Uint8Array(text.length + 1), { token });
  assert.equal(over.status, 413);
  const notAudio = await patch(service, path, 0, text, { token });
  assert.deepEqual([notAudio.status, notAudio.body['type']], [415, '/problems/unsupported-media']);
  assert.equal((await tus(service, 'HEAD', path, { token })).status, 404);

  const deferred = await begin({ 'Upload-Defer-Length': '1' });
  assert.equal(deferred.status, 201);
  const open = deferred.headers.get('location')!;
  const tooMuch = await patch(service, open, 0, new Uint8Array(1_100_000), { token });
  assert.equal(tooMuch.status, 413);

  assert.equal((await tus(service, 'DELETE', open, { token })).status, 204);
  assert.deepEqual(await readdir(join(service.dataDir, 'resumable')), []);
  const list = await service.call<{ recordings: object[] }>('GET', '/recordings', { token });
  assert.deepEqual(list.body.recordings, []);
});

test('an upload whose length is told later is taken as well', async (t) => {
  const { service, token } = await withAda(t);
  const { headers } = await tus(service, 'POST', '/uploads', {
    token,
    headers: { 'Upload-Defer-Length': '1' },
  });
  const path = headers.get('location')!;
  await patch(service, path, 0, audio.subarray(0, 1000), { token });
  const { status } = await patch(service, path, 1000, audio.subarray(1000), {
    token,
    headers: { 'Upload-Length': String(audio.length) },
  });
  assert.equal(status, 202);
  const after = await tus(service, 'HEAD', path, { token });
  assert.equal(after.headers.get('upload-length'), String(audio.length));
});

test('requests that are none of the protocol are told so', async (t) => {
  const { service, token } = await withAda(t);
  const options = await tus(service, 'OPTIONS', '/uploads', { token });
  assert.equal(options.status, 204);
  assert.equal(options.headers.get('tus-version'), '1.0.0');
  assert.equal(
    options.headers.get('tus-extension'),
    'creation,creation-defer-length,termination,expiration',
  );
  assert.equal(options.headers.get('tus-max-size'), String(4096 * 1024 * 1024));
  const path = await create(service, token, 10);
  const other = await tus(service, 'HEAD', path, { token, headers: { 'Tus-Resumable': '0.2.2' } });
  assert.ok([400, 412].includes(other.status));
  const none = await fetch(service.url + path, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${token}` },
  });
  assert.deepEqual([none.status, none.headers.get('tus-version')], [412, '1.0.0']);
  const plain = await tus(service, 'PATCH', path, {
    token,
    headers: { 'Upload-Offset': '0' },
    body: new Uint8Array(1),
  });
  assert.equal(plain.status, 415);
  for (const id of ['0'.repeat(32), 'x', '..%2f..%2fetc%2fpasswd', `${'0'.repeat(31)}.`]) {
    const { status } = await tus(service, 'HEAD', `/uploads/${id}`, { token });
    assert.equal(status, 404, id);
  }
  const cross = await tus(service, 'POST', '/uploads', {
    token,
    headers: { Origin: 'https://evil.example', 'Upload-Length': '1' },
  });
  assert.equal(cross.status, 403);
});

test('nobody may begin more uploads than there may be', async (t) => {
  const { service, token } = await withAda(t);
  for (let count = 0; count < 32; count += 1) await create(service, token, 10);
  const more = await tus(service, 'POST', '/uploads', {
    token,
    headers: { 'Upload-Length': '10' },
  });
  assert.deepEqual([more.status, more.body['type']], [503, '/problems/busy']);
  const ben = await service.addUser('ben');
  await create(service, ben, 10);
});

for (const code of ['BUSY', 'CLOSED'] as const)
  test(`an upload that the log did not take (${code}) is complete when its end is asked for again, once`, async (t) => {
    const { service, token } = await withAda(t);
    const path = await create(service, token, audio.length);
    const append = service.store.append.bind(service.store);
    let refusals = 0;
    t.mock.method(service.store, 'append', async (...of: Parameters<typeof append>) => {
      if (of[1][0]?.type !== 'audio.imported' || refusals > 0) return await append(...of);
      refusals += 1;
      throw new EventStoreError(code, 'not now');
    });
    assert.ok((await patch(service, path, 0, audio, { token })).status >= 500);
    assert.equal(refusals, 1);
    // What a log that is closed cannot say goes with the next start.
    if (code === 'BUSY') assert.deepEqual(await readdir(join(service.dataDir, 'recordings')), []);
    // Clients ask how much is there, and send nothing more to what is complete.
    const again = await tus(service, 'HEAD', path, { token });
    assert.equal(again.status, 200);
    assert.equal(again.headers.get('upload-offset'), String(audio.length));
    await service.reaches(basename(again.headers.get('location') ?? ''), 'idle.saved');
    const kept = (await readdir(join(service.dataDir, 'resumable'))).filter(
      (name) => !name.endsWith('.json'),
    );
    assert.deepEqual(kept, [], 'no second copy of its bytes is left');
  });

test('a client whose upload was complete when it failed for the moment has a recording when it says so', async (t) => {
  const { service, token } = await withAda(t);
  const append = service.store.append.bind(service.store);
  let refusals = 0;
  t.mock.method(service.store, 'append', async (...of: Parameters<typeof append>) => {
    if (of[1][0]?.type !== 'audio.imported' || refusals >= 2) return await append(...of);
    refusals += 1;
    throw new EventStoreError('BUSY', 'not now');
  });
  const { lastResponse } = await new Promise<OnSuccessPayload>((resolve, reject) => {
    const upload = new Upload(Buffer.from(audio), {
      endpoint: `${service.url}/uploads`,
      headers: { Authorization: `Bearer ${token}` },
      metadata: { filename: 'Besprechung.wav', kind: 'solo' },
      retryDelays: [0, 0, 0],
      onAfterResponse(request, response) {
        const status = response.getStatus();
        if (request.getMethod() === 'HEAD' && status >= 500) throw new Error(`answered ${status}`);
      },
      onShouldRetry: () => true,
      onSuccess: resolve,
      onError: reject,
    });
    upload.start();
  });
  assert.equal(refusals, 2);
  await service.reaches(basename(lastResponse.getHeader('Location') ?? ''), 'idle.saved');
  const list = await service.call<{ recordings: object[] }>('GET', '/recordings', { token });
  assert.equal(list.body.recordings.length, 1);
});

test('an upload that was stored, as the log could not say, keeps its audio whatever the log says next', async (t) => {
  const { service, token } = await withAda(t);
  const append = service.store.append.bind(service.store);
  const read = service.store.read.bind(service.store);
  let lost = '';
  t.mock.method(service.store, 'append', async (...of: Parameters<typeof append>) => {
    const facts = await append(...of);
    if (facts[0]?.type !== 'audio.imported') return facts;
    lost = of[0];
    throw new EventStoreError('OUTCOME_UNKNOWN', 'the database went away');
  });
  t.mock.method(service.store, 'read', (...of: Parameters<typeof read>) => {
    if (of[0] !== lost) return read(...of);
    lost = '';
    throw new EventStoreError('BUSY', 'the database is away');
  });
  const path = await create(service, token, audio.length);
  const sent = await patch(service, path, 0, audio, { token });
  assert.deepEqual([sent.status, sent.body['type']], [503, '/problems/outcome-unknown']);
  const head = await tus(service, 'HEAD', path, { token });
  assert.equal(head.status, 200);
  await audioIsThere(head.headers.get('location')!);

  const form = () =>
    service.upload<{ type?: string; recording_id: string }>(
      token,
      { kind: 'solo' },
      { audio, headers: { 'Idempotency-Key': 'once-and-again' } },
    );
  const first = await form();
  assert.deepEqual([first.status, first.body.type], [503, '/problems/outcome-unknown']);
  const again = await form();
  assert.equal(again.status, 202);
  await audioIsThere(`/recordings/${again.body.recording_id}`);

  async function audioIsThere(recording: string): Promise<void> {
    const response = await fetch(`${service.url}${recording}/audio`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    assert.equal(response.status, 200);
    assert.equal((await response.arrayBuffer()).byteLength, audio.length);
  }
});

test('bytes of an upload whose process died behind its fact go with the next start, though nobody asks for its end', async (t) => {
  const { service, token } = await withAda(t);
  const path = await create(service, token, audio.length);
  const last = await patch(service, path, 0, audio, { token });
  await service.reaches(String(last.body['recording_id']), 'idle.saved');
  // As the crash leaves them.
  const left = join(service.dataDir, 'resumable', path.slice('/uploads/'.length));
  await writeFile(left, audio);
  await service.close();
  await startService(t, { dataDir: service.dataDir });
  await eventually(
    'it is removed',
    async () => !(await readdir(dirname(left))).includes(basename(left)),
  );
});
