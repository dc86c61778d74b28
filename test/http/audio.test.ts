import assert from 'node:assert/strict';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { memoryKept } from '../support/memory-kept.ts';
import { openTickets } from '../../src/http/tickets.ts';
import {
  type ProblemAnswer,
  type TestService,
  rawRequest,
  wav,
  withAda,
} from '../support/http-client.ts';
import { make, speak } from '../support/espeak.ts';

/** A saved recording of an administrator. */
async function saved(
  t: TestContext,
  audio?: Uint8Array,
  filename?: string,
): Promise<{ service: TestService; token: string; id: string }> {
  const { service, token } = await withAda(t);
  const init = { ...(audio ? { audio } : {}), ...(filename ? { filename } : {}) };
  const id = await service.settled(token, {}, init);
  return { service, token, id };
}

async function bytes(
  service: TestService,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
) {
  const response = await fetch(service.url + path, { method, headers });
  return { status: response.status, headers: response.headers, body: await response.arrayBuffer() };
}

test('the audio is sent whole or in ranges, as a browser’s player asks for it', async (t) => {
  const audio = wav(1);
  for (let at = 44; at < audio.length; at += 1) audio[at] = at % 251;
  const { service, token, id } = await saved(t, audio);
  const path = `/recordings/${id}/audio`;
  const auth = { Authorization: `Bearer ${token}` };
  const get = (range?: string, more = {}) =>
    bytes(service, path, { ...auth, ...(range === undefined ? {} : { Range: range }), ...more });

  const whole = await get();
  assert.equal(whole.status, 200);
  assert.deepEqual(Buffer.from(whole.body), Buffer.from(audio));
  assert.equal(whole.headers.get('content-type'), 'audio/wav');
  assert.equal(whole.headers.get('accept-ranges'), 'bytes');
  const etag = whole.headers.get('etag')!;
  assert.match(etag, /^"[0-9a-f]{64}"$/);

  const { length } = audio;
  for (const [range, first, last] of [
    ['bytes=0-0', 0, 0],
    ['bytes=100-199', 100, 199],
    ['bytes=100-', 100, length - 1],
    ['bytes=-50', length - 50, length - 1],
    [`bytes=10-${length + 1000}`, 10, length - 1],
  ] as const) {
    const part = await get(range);
    assert.equal(part.status, 206, range);
    assert.equal(part.headers.get('content-range'), `bytes ${first}-${last}/${length}`);
    assert.equal(part.headers.get('content-length'), String(last - first + 1));
    assert.deepEqual(Buffer.from(part.body), Buffer.from(audio).subarray(first, last + 1));
  }
  assert.equal((await get('bytes=0-9', { 'If-Range': etag })).status, 206);
  for (const [range, more] of [
    ['bytes=0-9', { 'If-Range': '"another"' }],
    ['bytes=9-0,x', {}],
    ['lines=1-2', {}],
    ['bytes=0-9,20-29', {}],
  ] as const) {
    const { status, body } = await get(range, more);
    assert.deepEqual([status, body.byteLength], [200, length], range);
  }
  const beyond = await get(`bytes=${length}-`);
  assert.equal(beyond.status, 416);
  assert.equal(beyond.headers.get('content-range'), `bytes */${length}`);
  assert.match(beyond.headers.get('content-type')!, /problem\+json/);

  // `fetch` would ask caches not to answer.
  const known = { ...auth, 'If-None-Match': etag };
  assert.equal((await rawRequest(service.url, { path, headers: known })).status, 304);
  const head = await bytes(service, path, auth, 'HEAD');
  assert.equal(head.status, 200);
  assert.deepEqual(
    [head.headers.get('content-length'), head.headers.get('etag'), head.body.byteLength],
    [String(length), etag, 0],
  );
});

test('audio of somebody else, and audio that was not kept, is not there', async (t) => {
  const { service, token, id } = await saved(t);
  const ben = await service.addUser('ben');
  for (const what of ['audio', 'peaks', 'export?format=txt']) {
    const answer = await service.call('GET', `/recordings/${id}/${what}`, { token: ben });
    assert.equal(answer.status, 404, what);
  }
  assert.equal(
    (await service.call('POST', `/recordings/${id}/ticket`, { token: ben })).status,
    404,
  );
  await rm(join(service.dataDir, 'recordings', id, 'audio.wav'));
  for (const what of ['audio', 'peaks']) {
    const answer = await service.call<ProblemAnswer>('GET', `/recordings/${id}/${what}`, { token });
    assert.equal(answer.status, 404, what);
    assert.match(answer.body.detail, /wasn’t kept/);
  }
});

/** Half a second of silence, then half a second at half the full scale, at 16 kHz. */
function halfLoud(): Uint8Array {
  const file = Buffer.from(wav(1));
  for (let sample = 8000; sample < 16_000; sample += 1) {
    file.writeInt16LE(sample % 2 === 0 ? 16_384 : -16_384, 44 + sample * 2);
  }
  return file;
}

test('peaks show where it is loud, are kept beside the audio, and belong to that audio only', async (t) => {
  const { service, token, id } = await saved(t, halfLoud());
  type Peaks = { per_second: number; peaks: number[] };
  const peaks = async (query = '') =>
    (await service.call<Peaks>('GET', `/recordings/${id}/peaks${query}`, { token })).body;
  const { per_second, peaks: twenty } = await peaks();
  assert.deepEqual([per_second, twenty.length], [20, 20]);
  assert.ok(twenty.slice(0, 10).every((peak) => peak === 0));
  assert.ok(twenty.slice(11).every((peak) => Math.abs(peak - 0.5) < 0.03));
  assert.deepEqual(
    (await peaks('?per_second=2')).peaks.map((peak) => Math.round(peak * 10)),
    [0, 5],
  );
  assert.equal((await peaks('?per_second=100')).peaks.length, 100);
  const folder = join(service.dataDir, 'recordings', id);
  assert.deepEqual((await readdir(folder)).toSorted(), ['audio.wav', 'peaks']);

  // What is kept is used (it says something else now), but never for another file's audio.
  const auth = { Authorization: `Bearer ${token}` };
  const audio = await bytes(service, `/recordings/${id}/audio`, auth, 'HEAD');
  const sha256 = audio.headers.get('etag')!.slice(1, -1);
  await writeFile(join(folder, 'peaks'), sha256 + '\xff'.repeat(10), 'latin1');
  assert.deepEqual((await peaks('?per_second=10')).peaks, [1]);
  await writeFile(join(folder, 'peaks'), 'ab'.repeat(32) + '\xff'.repeat(10), 'latin1');
  assert.equal((await peaks()).peaks.length, 20);

  for (const query of ['0', '7', '1000', '-1', 'x']) {
    const path = `/recordings/${id}/peaks?per_second=${query}`;
    assert.equal((await service.call('GET', path, { token })).status, 422, query);
  }
});

test('peaks of compressed audio are those of its sound, for many who ask at once', async (t) => {
  const { service, token } = await withAda(t);
  const path = join(service.dataDir, 'spoken.wav');
  await speak('Hello there, this is a test.', path);
  const flac = join(service.dataDir, 'spoken.flac');
  await make('ffmpeg', '-i', path, flac);
  const upload = async (file: string) => {
    const init = { audio: await readFile(file), filename: file };
    const id = await service.settled(token, {}, init);
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        service.call<{ peaks: number[] }>('GET', `/recordings/${id}/peaks`, { token }),
      ),
    );
    assert.deepEqual(answers[0]!.body, answers[2]!.body);
    return answers[0]!.body.peaks;
  };
  const [one, other] = [await upload(path), await upload(flac)];
  assert.ok(one.length > 20);
  assert.ok(Math.abs(one.length - other.length) <= 1);
  assert.ok(one.every((peak, index) => Math.abs(peak - (other[index] ?? peak)) < 0.1));
});

test('a ticket opens audio, peaks and export of one recording, for ten minutes, and nothing else', async (t) => {
  const { service, token, id } = await saved(t);
  const other = await service.settled(token);
  const { status, body } = await service.call<{ ticket: string; expires_at: string }>(
    'POST',
    `/recordings/${id}/ticket`,
    { token },
  );
  assert.equal(status, 201);
  const lives = Date.parse(body.expires_at) - Date.now();
  assert.ok(lives > 590_000 && lives <= 600_000);
  const { ticket } = body;
  const again = await service.call<{ ticket: string }>('POST', `/recordings/${id}/ticket`, {
    token,
    json: { ticket },
  });
  assert.deepEqual([again.status, again.body.ticket], [201, ticket], 'the same, for longer');
  const by = (path: string, method = 'GET') =>
    rawRequest(service.url, {
      method,
      path: `${path}${path.includes('?') ? '&' : '?'}ticket=${ticket}`,
    });
  for (const what of ['audio', 'peaks', 'peaks?per_second=10', 'export?format=txt']) {
    assert.equal((await by(`/recordings/${id}/${what}`)).status, 200, what);
  }
  for (const path of [
    `/recordings/${id}`,
    `/recordings/${id}/events`,
    `/recordings/${other}/audio`,
    '/recordings',
    '/status',
    '/transcripts',
    `/recordings/${id}/audio/`,
  ]) {
    assert.equal((await by(path)).status, 401, path);
  }
  assert.equal((await by(`/recordings/${id}/ticket`, 'POST')).status, 401);
  for (const none of ['x', '%00', `%00${ticket}`]) {
    const path = `/recordings/${id}/audio?ticket=${none}`;
    assert.equal((await rawRequest(service.url, { path })).status, 401, none);
  }
  // The session's own token is none.
  const misused = await rawRequest(service.url, {
    path: `/recordings/${id}/audio?ticket=${token}`,
  });
  assert.equal(misused.status, 401);
  assert.ok(!service.logged.some((line) => line.includes(ticket)), 'tickets are never logged');

  await service.call('POST', '/logout', { token });
  assert.equal((await by(`/recordings/${id}/audio`)).status, 401, 'it ends with its session');
});

test('tickets expire, and there are never more than the limit', async () => {
  let now = 0;
  const caller = {
    userId: 'u',
    username: 'u',
    isAdmin: false,
    sessionId: 's',
    passwordAt: new Date(),
    limited: null,
    expiresAt: new Date(),
  };
  const callerOf = async () => caller;
  const tickets = openTickets(
    { callerOf },
    memoryKept(() => new Date(now)),
    async () => false,
  );
  const id = '01J0000000000000000000000A';
  const path = `/recordings/${id}/audio`;
  const { ticket } = await tickets.issue(caller, id);
  now = 599_999;
  assert.equal(await tickets.redeem(ticket, path), caller);
  now = 600_000;
  assert.equal(await tickets.redeem(ticket, path), null);
  // One that has ended, is of another recording or of another session is not prolonged.
  const { ticket: first } = await tickets.issue(caller, id);
  const stranger = { ...caller, sessionId: 'other' };
  assert.notEqual((await tickets.issue(caller, id, ticket)).ticket, ticket);
  assert.notEqual((await tickets.issue(caller, '01J0000000000000000000000B', first)).ticket, first);
  assert.notEqual((await tickets.issue(stranger, id, first)).ticket, first);
  now += 599_999;
  assert.equal((await tickets.issue(caller, id, first)).ticket, first);
  now += 599_999;
  assert.equal(await tickets.redeem(first, path), caller);
  await tickets.issue(caller, id, first);
  // Of others: a session has at most 100 of its own.
  const other = (count: number) => ({ ...caller, sessionId: `other ${Math.floor(count / 100)}` });
  for (let count = 0; count < 9_999; count += 1) await tickets.issue(other(count), id);
  assert.equal(await tickets.redeem(first, path), caller);
  await tickets.issue(other(9_999), id);
  assert.equal(await tickets.redeem(first, path), null);
});
