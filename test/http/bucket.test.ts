import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { recordingById } from '../../projections/recordings.ts';
import { openBlobs } from '../../src/storage/blobs/open-blobs.ts';
import { measureTaken } from '../../src/storage/measure-taken.ts';
import { bucketUploads } from '../../src/storage/uploads/bucket-uploads.ts';
import { browserClient } from '../support/browser-client.ts';
import { eventually } from '../support/eventually.ts';
import {
  type TestService,
  connect as connectTo,
  startService,
  wav,
} from '../support/http-client.ts';
import { s3Server } from '../support/s3-server.ts';
import { sharedOwnership } from '../support/shared-ownership.ts';
import { tempDir } from '../support/temp-dir.ts';

const server = await s3Server({ after }, { keepsConditions: true });

const dataDir = await realpath(await tempDir({ after }));
const blobsUrl = server.url('house');
const start = (name: string, role: 'all' | 'serve') =>
  startService(
    { after },
    {
      dataDir,
      node: { name, role, blobsUrl },
      // The service's own: what they keep is in the bucket.
      stages: { capture: undefined, write: undefined },
      browserLimits: { acknowledgeEveryMs: 100 },
    },
  );
/** Two nodes whose files are in the bucket. */
const a = await start('a', 'all');
const ada = await a.setUp();
const b = await start('b', 'serve');
const bucket = await openBlobs(blobsUrl, {
  logId: a.store.id,
  ownership: sharedOwnership().node(),
});
after(() => bucket.close());

async function names(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of bucket.list(prefix)) found.push(key);
  return found.toSorted();
}

test('a recording in a bucket is uploaded at one node, read, edited and exported at another, and erased', async () => {
  const talk = wav(2);
  const { status, body } = await b.upload(ada, { title: 'Größe' }, { audio: talk });
  assert.equal(status, 202);
  const id = body.recording_id;
  await b.reaches(id, 'idle.saved');
  const paths = (await recordingById(b.storage, id))!.documents!;
  const transcript = `/transcripts/${encodeURIComponent(paths.transcript)}`;
  const [atA, atB] = await Promise.all(
    [a, b].map((node) => node.call<string>('GET', transcript, { token: ada })),
  );
  assert.equal(atA!.status, 200);
  assert.match(atA!.body, /secret plan/);
  assert.deepEqual([atB!.body, atB!.headers.get('etag')], [atA!.body, atA!.headers.get('etag')]);

  const audio = await fetch(`${b.url}/recordings/${id}/audio`, {
    headers: { Authorization: `Bearer ${ada}`, Range: 'bytes=0-99' },
  });
  assert.equal(audio.status, 206);
  assert.deepEqual(Buffer.from(await audio.arrayBuffer()), Buffer.from(talk.subarray(0, 100)));

  const own = `${atB!.body}\nA paragraph of my own.\n`;
  const headers = { 'If-Match': atB!.headers.get('etag')!, 'Content-Type': 'text/markdown' };
  const put = await b.call('PUT', transcript, { token: ada, body: own, headers });
  assert.deepEqual([put.status, put.body['own']], [200, true]);
  assert.equal((await a.call<string>('GET', transcript, { token: ada })).body, own);
  for (const format of ['md', 'txt']) {
    const exported = await a.call<string>('GET', `/recordings/${id}/export?format=${format}`, {
      token: ada,
    });
    assert.equal(exported.status, 200, format);
    assert.match(exported.body, /secret plan/, format);
  }
  assert.ok(
    (await measureTaken({ blobs: bucket, unfinished: bucketUploads(bucket, '') })).bytes >
      talk.length,
  );

  // While the bucket is away nothing is lost, and it is said.
  server.behave('busy');
  const away = await b.call('GET', transcript, { token: ada });
  assert.deepEqual([away.status, away.body['type']], [503, '/problems/files-unavailable']);
  const refused = await b.upload<Record<string, unknown>>(ada);
  assert.equal(refused.status, 503, JSON.stringify(refused.body));
  server.behave('well');
  assert.equal((await b.call<string>('GET', transcript, { token: ada })).body, own);
  const list = await b.call<{ recordings: object[] }>('GET', '/recordings', { token: ada });
  assert.equal(list.body.recordings.length, 1);

  assert.equal((await b.call('DELETE', `/recordings/${id}`, { token: ada })).status, 204);
  assert.equal((await a.call('GET', transcript, { token: ada })).status, 404);
  assert.deepEqual(await names('spaces/'), []);
  assert.deepEqual(await names('names/'), []);
  assert.ok((await names('keys/')).includes(`keys/erased.list/${id}`));
  assert.ok(!(await names('keys/')).includes(`keys/${id}`));
  // The other node hears of it by the log.
  for (const node of ['a', 'b'])
    await eventually(`nothing of it is on the disk of ${node}`, async () => {
      const everything = await readdir(join(dataDir, node), { recursive: true });
      return !everything.some((name) => name.includes(id));
    });
  // Of the upload that was refused at most its audio is left, which is collected.
  const left = await names('recordings/');
  assert.ok(!left.some((name) => name.includes(id)), left.join());
});

test('an upload that began at one node goes on at another, also after the bucket was away', async () => {
  const audio = wav(60);
  const size = audio.length;
  const said = `filename ${Buffer.from('Besprechung.wav').toString('base64')}`;
  const created = await tus(a, 'POST', '/uploads', ada, {
    'Upload-Length': String(size),
    'Upload-Metadata': said,
    'Idempotency-Key': 'once',
  });
  assert.equal(created.status, 201);
  const path = created.headers.get('location')!;
  const again = await tus(b, 'POST', '/uploads', ada, {
    'Upload-Length': String(size),
    'Upload-Metadata': said,
    'Idempotency-Key': 'once',
  });
  assert.equal(again.headers.get('location'), path);

  const send = (node: TestService, from: number, to: number) =>
    tus(
      node,
      'PATCH',
      path,
      ada,
      { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(from) },
      audio.subarray(from, to),
    );
  assert.equal((await send(a, 0, 1000)).headers.get('upload-offset'), '1000');
  assert.equal((await send(b, 1000, 5000)).headers.get('upload-offset'), '5000');
  // Small pieces become one object.
  const id = path.slice('/uploads/'.length);
  assert.deepEqual(await names('resumable/parts/'), [`resumable/parts/${id}/0-5000`]);
  assert.equal((await send(a, 1000, 2000)).status, 409);

  server.behave('busy');
  const away = await send(a, 5000, size);
  assert.deepEqual(
    [away.status, ((await away.json()) as { type: string }).type],
    [503, '/problems/files-unavailable'],
  );
  server.behave('well');
  const head = await tus(b, 'HEAD', path, ada);
  assert.equal(head.headers.get('upload-offset'), '5000');
  const last = await send(b, 5000, size);
  assert.equal(last.status, 202);
  const { recording_id: recordingId } = (await last.json()) as { recording_id: string };
  assert.deepEqual(await names('resumable/parts/'), []);
  assert.deepEqual(await names('resumable/under-way/'), []);
  const row = await recordingById(b.storage, recordingId);
  assert.equal(row?.audio?.sha256, createHash('sha256').update(audio).digest('hex'));
  // The answer was lost: the other node says the same.
  const lost = await tus(a, 'HEAD', path, ada);
  assert.equal(lost.headers.get('location'), `/recordings/${recordingId}`);

  const given = await tus(a, 'POST', '/uploads', ada, { 'Upload-Defer-Length': '1' });
  const unwanted = given.headers.get('location')!;
  assert.equal((await tus(b, 'DELETE', unwanted, ada)).status, 204);
  assert.equal((await tus(a, 'HEAD', unwanted, ada)).status, 404);

  // What a deleted user had begun goes with them.
  const ben = await a.addUser('ben');
  const begun = await tus(b, 'POST', '/uploads', ben, { 'Upload-Length': '9' });
  assert.equal((await names('resumable/under-way/')).length, 1, begun.headers.get('location')!);
  assert.equal((await b.call('DELETE', '/users/ben', { token: ada })).status, 204);
  assert.deepEqual(await names('resumable/under-way/'), []);
});

test('what a browser sends is acknowledged when it is in the bucket, and another node goes on behind it', async () => {
  const rate = 48_000;
  const pcm = randomBytes(rate * 2 * 2);
  let { url } = b;
  const client = browserClient({ url: () => url, token: ada, pcm, rate, frameSamples: 4_800 });
  await client.sendTo(rate / 2);
  const id = client.recordingId()!;
  const live = `recordings/${id}/live/`;
  assert.ok((await names(live)).length > 1);

  server.behave('busy');
  server.asked();
  const more = client.sendTo(rate);
  await eventually('it is tried to be put', () => server.asked().includes('PUT'));
  assert.ok(client.acknowledged() < rate);
  server.behave('well');
  await more;

  await b.close();
  ({ url } = a);
  await client.sendTo(pcm.length / 2);
  assert.equal((await client.stop())['reason'], 'stopped');
  await a.reaches(id, 'idle.saved');
  const audio = await fetch(`${a.url}/recordings/${id}/audio`, {
    headers: { Authorization: `Bearer ${ada}` },
  });
  assert.deepEqual(Buffer.from(await audio.arrayBuffer()).subarray(44), pcm);
  await eventually('its pieces are gone', async () => (await names(live)).length === 0);
  assert.match((await recordingById(a.storage, id))!.audio!.path, /^audio-[0-9a-f]{16}\.wav$/);
});

test('what a browser did not hear is known as that at the node that goes on', async () => {
  const rate = 16_000;
  const c = await start('c', 'serve');
  const sending = async (url: string, more: object, pcm: Buffer, samples: number) => {
    const client = connectTo(url, ada);
    await client.until(({ type }) => type === 'position');
    client.socket.send(
      JSON.stringify({ type: 'audio.start', kind: 'solo', sample_rate: rate, ...more }),
    );
    const ready = await client.until(({ type }) => type === 'audio.ready');
    client.socket.send(pcm);
    client.socket.send(JSON.stringify({ type: 'audio.gap', samples: rate }));
    client.socket.send(pcm);
    await client.until((frame) => frame.type === 'audio.ack' && frame['samples'] === samples);
    return { client, id: ready['recording_id'] as string };
  };
  const pcm = randomBytes(rate * 2);
  const { id } = await sending(c.url, {}, pcm, 3 * rate);
  await c.close();
  const client = await eventually('another node goes on', async () => {
    const tried = connectTo(a.url, ada);
    await tried.until(({ type }) => type === 'position');
    const again = { type: 'audio.start', kind: 'solo', sample_rate: rate, recording_id: id };
    tried.socket.send(JSON.stringify(again));
    const said = await tried.until(({ type }) => type === 'audio.ready' || type === 'warning');
    if (said.type === 'audio.ready') return tried;
    tried.close();
    return null;
  });
  client.socket.send(JSON.stringify({ type: 'audio.stop' }));
  await client.until(({ type }) => type === 'audio.ended');
  client.close();
  await a.reaches(id, 'idle.saved');
  const of = `/recordings/${id}/events`;
  type Captured = { type: string; data: { ledger?: { gaps: unknown } } };
  const { events } = (await a.call<{ events: Captured[] }>('GET', of, { token: ada })).body;
  const captured = events.find(({ type }) => type === 'audio.captured');
  assert.deepEqual(captured?.data.ledger?.gaps, [[1, 1]]);
});

test('what a browser sends after its recording has ended is added, though its node and the bucket go in between', async () => {
  const rate = 16_000;
  const pcm = randomBytes(rate * 2 * 3);
  const c = await start('c', 'serve');
  let { url } = c;
  const connect = (recordingId?: string) => {
    const how = { url: () => url, token: ada, pcm, rate, frameSamples: 800 };
    return browserClient({ ...how, ...(recordingId === undefined ? {} : { recordingId }) });
  };
  const first = connect();
  await first.sendTo(rate);
  const id = (await first.stop()).recording_id!;
  await a.reaches(id, 'idle.saved');

  const late = connect(id);
  await late.sendTo(1.5 * rate);
  const pieces = `recordings/${id}/late/`;
  assert.ok((await names(pieces)).length > 1);
  server.behave('busy');
  server.asked();
  const more = late.sendTo(2 * rate);
  await eventually('it is tried to be put', () => server.asked().includes('PUT'));
  assert.ok(late.acknowledged() < 2 * rate);
  server.behave('well');
  await more;

  await c.close();
  ({ url } = a);
  await late.sendTo(3 * rate);
  const { reason, samples } = await late.stop();
  assert.deepEqual([reason, samples], ['stopped', 3 * rate]);
  await a.reaches(id, 'idle.saved');
  const audio = await fetch(`${a.url}/recordings/${id}/audio`, {
    headers: { Authorization: `Bearer ${ada}` },
  });
  assert.deepEqual(Buffer.from(await audio.arrayBuffer()).subarray(44), pcm);
  await eventually('one file is left', async () => {
    const [kept, ...others] = await names(`recordings/${id}/`);
    return /audio-2-[0-9a-f]{16}\.wav$/.test(kept!) && others.length === 0;
  });
});

const tus = (
  { url }: TestService,
  method: string,
  path: string,
  token: string,
  headers: Record<string, string> = {},
  body?: Uint8Array,
) =>
  fetch(url + path, {
    method,
    headers: { 'Tus-Resumable': '1.0.0', Authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
