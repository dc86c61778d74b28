import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gigabyte } from '../../src/storage/disk.ts';
import { type ProblemAnswer, type TestService, wav, withAda } from '../support/http-client.ts';

const megabyte = 1024 ** 2;

async function started(t: TestContext, limits: { spaces?: number; user?: number }) {
  const { service, token } = await withAda(t);
  const { spaces, user } = limits;
  const json = {
    limits: {
      ...(spaces === undefined ? {} : { spaces_gb: spaces / gigabyte }),
      ...(user === undefined ? {} : { user_gb: user / gigabyte }),
    },
  };
  assert.equal((await service.call('PUT', '/config', { token, json })).status, 200);
  return { service, token };
}

const tus = { 'Tus-Resumable': '1.0.0' };

/** Begins a resumable upload that does not say how long it is. */
async function begin(service: TestService, token: string): Promise<string> {
  const begun = await fetch(`${service.url}/uploads`, {
    method: 'POST',
    headers: { ...tus, Authorization: `Bearer ${token}`, 'Upload-Defer-Length': '1' },
  });
  assert.equal(begun.status, 201);
  return begun.headers.get('location')!;
}

const send = (service: TestService, path: string, offset: number, body: Uint8Array) =>
  fetch(service.url + path, {
    method: 'PATCH',
    headers: {
      ...tus,
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
    },
    body,
  });

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('resumable uploads that never say how long they are stay within limits.spaces_gb', async (t) => {
  const limit = 4 * megabyte;
  const { service, token } = await started(t, { spaces: limit });
  const piece = new Uint8Array(megabyte);
  const statuses: number[] = [];
  for (let upload = 0; upload < 3; upload += 1) {
    const path = await begin(service, token).catch(() => null);
    if (path === null) break;
    for (let offset = 0; offset < 3 * megabyte; offset += megabyte) {
      const answer = await send(service, path, offset, piece);
      statuses.push(answer.status);
      if (answer.status === 204) continue;
      assert.equal(((await answer.json()) as ProblemAnswer).type, '/problems/space-limit');
      break;
    }
  }
  assert.deepEqual(new Set(statuses), new Set([204, 507]));
  const there = await bytesIn(join(service.dataDir, 'resumable'));
  assert.ok(there <= limit + 100_000, `${there} bytes are there`);
});

test('one user takes no more than limits.user_gb, in any way; others go on', async (t) => {
  const { service, token } = await started(t, { user: 2 * megabyte });
  const ben = await service.addUser('ben');
  const audio = wav(40); // 1.28 MB
  assert.equal((await service.upload(token, {}, { audio })).status, 202);
  const refused = await service.upload<ProblemAnswer>(token, {}, { audio });
  assert.deepEqual([refused.status, refused.body.type], [507, '/problems/space-limit']);
  assert.match(
    refused.body.detail,
    /but you already use .*limits\.user_gb|^You use .*limits\.user_gb/,
  );
  const path = await begin(service, token);
  assert.equal((await send(service, path, 0, new Uint8Array(megabyte))).status, 507);
  assert.equal((await service.upload(ben, {}, { audio })).status, 202, 'it counts for each user');

  const json = { limits: { user_gb: null } };
  await service.call('PUT', '/config', { token, json });
  assert.equal((await service.upload(token, {}, { audio })).status, 202);
});

test('of a form in chunks no more is taken than fits', async (t) => {
  const { service, token } = await started(t, { spaces: megabyte });
  let sent = 0;
  const head =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="talk.wav"\r\n' +
    'Content-Type: audio/wav\r\n\r\n';
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from(head)),
    pull(controller) {
      sent += 64 * 1024;
      controller.enqueue(new Uint8Array(64 * 1024));
      if (sent > 64 * megabyte) controller.close();
    },
  });
  const answer = await fetch(`${service.url}/recordings`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'multipart/form-data; boundary=b',
    },
    body,
    duplex: 'half',
  });
  assert.equal(answer.status, 507);
  assert.ok(sent < 32 * megabyte, `${sent} bytes were taken`);
  assert.deepEqual(await readdir(join(service.dataDir, 'uploads')), []);
});
