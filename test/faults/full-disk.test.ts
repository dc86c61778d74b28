import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { smallDisk } from './small-disk.ts';
import { trial } from './trial.ts';

test('a disk that is full while uploading: refused with the reason, nothing left behind', async (t) => {
  const disk = await smallDisk(t);
  const { start, upload, check, dataDir } = await trial(t, disk.folder);
  const service = await start();
  await upload(service, 'solo');
  await check(service);
  await disk.fill(64 * 1024);
  await assert.rejects(
    upload(service, 'solo'),
    /: (507|503) .*\/problems\/(disk-full|busy|outcome-unknown)/,
  );
  assert.deepEqual(await readdir(join(dataDir, 'uploads')), []);
  await disk.free();
  await upload(service, 'solo');
  await check(service);
  assert.equal(await service.end('SIGTERM'), 0);
});

test('a disk that becomes full while it works and writes documents: it goes on when there is room', async (t) => {
  const disk = await smallDisk(t);
  const { start, upload, check } = await trial(t, disk.folder);
  const service = await start();
  await upload(service, 'solo');
  await upload(service, 'meeting');
  // From here on not even a document fits.
  await disk.fill(0);
  const refused = await upload(service, 'solo').then(
    () => '',
    (error: Error) => error.message,
  );
  assert.match(refused, /\/problems\//);
  await disk.free();
  await check(service);
  assert.equal(await service.end('SIGTERM'), 0);
});
