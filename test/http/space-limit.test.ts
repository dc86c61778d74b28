import assert from 'node:assert/strict';
import { readFile, readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gigabyte } from '../../src/storage/disk.ts';
import { measureTaken } from '../../src/storage/measure-taken.ts';
import { blobsOfOneProcess } from '../../src/storage/blobs/file-blobs.ts';
import { folderUploads } from '../../src/storage/uploads/folder-uploads.ts';
import { soleOwnership } from '../../events/ownership.ts';
import { openByOne } from '../../src/storage/by-one.ts';
import { memoryKept } from '../support/memory-kept.ts';
import { openSpaceLimit } from '../../src/storage/quota.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { type ProblemAnswer, connect, startService, wav, withAda } from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';
import { make } from '../support/espeak.ts';

type Status = { warnings: { code: string; message: string }[] };

/** A service on which nothing but a count says how much is taken, and a way to set the limit. */
async function started(t: TestContext) {
  const { service, token } = await withAda(t);
  const limitTo = async (bytes: number | null) => {
    const spaces_gb = bytes === null ? null : bytes / gigabyte;
    const json = { limits: { spaces_gb } };
    assert.equal((await service.call('PUT', '/config', { token, json })).status, 200);
  };
  const warnings = async () =>
    (await service.call<Status>('GET', '/status', { token })).body.warnings;
  return { service, token, limitTo, warnings };
}

test('an upload beyond limits.spaces_gb is refused with what is taken; raising it needs no restart', async (t) => {
  const { service, token, limitTo } = await started(t);
  const audio = wav(1);
  await limitTo(audio.byteLength + 2000);
  const first = await service.upload(token, {}, { audio });
  assert.equal(first.status, 202);
  await service.reaches(first.body.recording_id, 'idle.saved');

  const refused = await service.upload<ProblemAnswer>(token, {}, { audio });
  assert.equal(refused.status, 507);
  assert.equal(refused.body.type, '/problems/space-limit');
  assert.match(refused.body.detail, /Delete recordings.*limits\.spaces_gb/);
  assert.ok(Number(refused.body['taken_bytes']) >= audio.byteLength);
  assert.equal(refused.body['limit_bytes'], audio.byteLength + 2000);
  assert.deepEqual(await readdir(join(service.dataDir, 'uploads')).catch(() => []), []);

  await limitTo(10 * audio.byteLength);
  assert.equal((await service.upload(token, {}, { audio })).status, 202);
  await limitTo(null);
  assert.equal((await service.upload(token, {}, { audio })).status, 202);
});

test('of a body that does not say how long it is the length counts when it is there', async (t) => {
  const { service, token, limitTo } = await started(t);
  const audio = wav(1);
  await limitTo(audio.byteLength - 1);
  const form = new FormData();
  form.set('file', new Blob([audio]), 'talk.wav');
  const { headers, body } = new Response(form);
  const answer = await fetch(`${service.url}/recordings`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': headers.get('content-type')!,
    },
    body,
    duplex: 'half',
  });
  assert.equal(answer.status, 507);
  assert.deepEqual(await readdir(join(service.dataDir, 'recordings')), []);
});

test('a resumable upload is refused by the length it announces, and goes on once it was let in', async (t) => {
  const { service, token, limitTo } = await started(t);
  const audio = wav(1);
  const begin = (size: number) =>
    fetch(`${service.url}/uploads`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Tus-Resumable': '1.0.0',
        'Upload-Length': String(size),
        'Upload-Metadata': `filename ${Buffer.from('talk.wav').toString('base64')}`,
      },
    });
  await limitTo(audio.byteLength + 100);
  const begun = await begin(audio.byteLength);
  assert.equal(begun.status, 201);
  const refused = await begin(audio.byteLength);
  assert.equal(refused.status, 507, 'what was announced counts before it is there');
  assert.equal(((await refused.json()) as { type: string }).type, '/problems/space-limit');

  await limitTo(1);
  const rest = await fetch(service.url + begun.headers.get('location')!, {
    method: 'PATCH',
    headers: {
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': '0',
      'Content-Type': 'application/offset+octet-stream',
    },
    body: audio,
  });
  assert.equal(rest.status, 202, 'it was let in');
});

test('of hours of silence in a small file the working copy has to fit, however it is uploaded', async (t) => {
  const { service, token, limitTo } = await started(t);
  const path = join(await tempDir(t), 'silence.flac');
  await make('sox', '-n', '-r', '16000', '-c', '1', path, 'trim', '0', '3600');
  const audio = new Uint8Array(await readFile(path));
  assert.ok(audio.byteLength < 1_000_000, `${audio.byteLength} bytes`);
  await limitTo(100_000_000);
  const refused = await service.upload<ProblemAnswer>(
    token,
    {},
    { audio, filename: 'silence.flac' },
  );
  assert.equal(refused.status, 507);
  assert.match(refused.body.detail, /needs 11\d MB \(11\d MB of it only while it is transcribed\)/);

  const tus = { 'Tus-Resumable': '1.0.0' };
  const begun = await fetch(`${service.url}/uploads`, {
    method: 'POST',
    headers: {
      ...tus,
      Authorization: `Bearer ${token}`,
      'Upload-Length': String(audio.byteLength),
      'Upload-Metadata': `filename ${Buffer.from('silence.flac').toString('base64')}`,
    },
  });
  assert.equal(begun.status, 201);
  const address = service.url + begun.headers.get('location')!;
  const last = await fetch(address, {
    method: 'PATCH',
    headers: {
      ...tus,
      'Upload-Offset': '0',
      'Content-Type': 'application/offset+octet-stream',
    },
    body: audio,
  });
  assert.equal(last.status, 507);
  assert.match(((await last.json()) as ProblemAnswer).detail, /only while it is transcribed/);
  assert.deepEqual(await readdir(join(service.dataDir, 'recordings')), []);

  // It is all there, and is taken as soon as there is room: before, nobody hears that it is.
  const lookAtIt = async () => await fetch(address, { method: 'HEAD', headers: tus });
  assert.equal((await lookAtIt()).status, 507);
  await limitTo(200_000_000);
  const taken = await lookAtIt();
  assert.equal(taken.status, 200);
  assert.match(taken.headers.get('location') ?? '', /^\/recordings\//);
});

test('beyond the limit no recording starts; what runs goes on, and the status says so', async (t) => {
  const { service, token, limitTo, warnings } = await started(t);
  service.engines.hold('transcribe');
  const { recording_id: running } = (await service.upload(token)).body;
  await service.reaches(running, 'transcribing');
  assert.deepEqual(await warnings(), []);
  await limitTo(1);

  const toggled = await service.call<ProblemAnswer>('POST', '/toggle', {
    token,
    json: { action: 'start' },
  });
  assert.equal(toggled.status, 507);
  assert.equal(toggled.body.type, '/problems/space-limit');

  const client = connect(service.url, token);
  await client.until(({ type }) => type === 'position');
  client.socket.send(JSON.stringify({ type: 'audio.start', kind: 'solo', sample_rate: 48_000 }));
  const warned = await client.until(({ type }) => type === 'warning');
  assert.equal(warned['code'], 'space-limit');
  client.close();
  await client.closed;

  assert.deepEqual(
    (await warnings()).map(({ code }) => code),
    ['space-limit'],
  );
  service.engines.releaseAll();
  await service.reaches(running, 'idle.saved');
  await limitTo(null);
  assert.deepEqual(await warnings(), []);
});

test('an upload that was taken is answered once more though there is no room any more', async (t) => {
  const { service, token, limitTo } = await started(t);
  const headers = { 'Idempotency-Key': 'once' };
  const first = await service.upload(token, {}, { headers });
  await limitTo(1);
  const again = await service.upload(token, {}, { headers });
  assert.equal(again.status, 202);
  assert.equal(again.body.recording_id, first.body.recording_id);
});

test('whoever is connected hears it when a count finds that the limit is reached', async (t) => {
  const data = dataFolder(await realpath(await tempDir(t)));
  const space = openSpaceLimit({
    disk: { async admit() {} },
    measure: (signal) =>
      measureTaken(
        { blobs: blobsOfOneProcess(data.root), unfinished: folderUploads(data.resumable) },
        signal,
      ),
    measureByUser: async () => new Map(),
    byOne: openByOne(
      memoryKept(() => new Date()),
      soleOwnership(),
    ),
    settings: () => ({ 'limits.spaces_gb': 1000 / gigabyte, 'limits.user_gb': null }),
    log: { warn() {} },
  });
  t.after(() => space.stop());
  const service = await startService(t, { dataDir: data.root, overrides: { space } });
  const client = connect(service.url, await service.setUp());
  await client.until(({ type }) => type === 'position');
  await writeFile(join(data.recordings, 'grown.wav'), Buffer.alloc(2000));
  await space.start();
  const frame = await client.until(
    ({ type, warnings }) => type === 'status' && (warnings as unknown[]).length > 0,
  );
  assert.match(JSON.stringify(frame['warnings']), /space-limit/);
  client.close();
  await client.closed;
});

test('figures and doctor say what is taken, and of how much', async (t) => {
  const { service, token, limitTo } = await started(t);
  const figures = async () => (await service.call<string>('GET', '/metrics', { token })).body;
  const checked = async () => {
    type Checks = { checks: { id: string; status: string; detail: string }[] };
    const { body } = await service.call<Checks>('GET', '/doctor', { token });
    return body.checks.find(({ id }) => id === 'space')!;
  };
  const taken = /^mitschrift_space_taken_bytes 0$/m;
  assert.doesNotMatch(await figures(), /^mitschrift_space_limit_bytes/m, 'no limit set');
  assert.doesNotMatch(await figures(), taken, 'nothing is counted without one');
  assert.equal((await checked()).status, 'ok');
  await limitTo(1000);
  await service.call('POST', '/toggle', { token, json: { action: 'start' } });
  await writeFile(join(service.dataDir, 'recordings', 'talk.wav'), Buffer.alloc(1500));
  assert.match(await figures(), taken);
  assert.match(await figures(), /^mitschrift_space_limit_bytes 1000$/m);
  await limitTo(null);
  assert.doesNotMatch(await figures(), /^mitschrift_space_limit_bytes/m);
});
