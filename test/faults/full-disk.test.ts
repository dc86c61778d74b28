import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { trial } from './trial.ts';

const run = promisify(execFile);

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

/** A real file system of 24 MB, which needs root to be mounted; CI has it. */
async function smallDisk(t: TestContext) {
  const disk = await mkdtemp(join(tmpdir(), 'mitschrift-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=0700', 'tmpfs', disk]);
  t.after(async () => {
    // Lazily, since the service that is killed at the end of the test may still be dying.
    await run('umount', ['-l', disk]);
    await rm(disk, { recursive: true });
  });
  const filler = join(disk, 'filler');
  return {
    folder: disk,
    /** Writes until only so many bytes are free. */
    async fill(left: number): Promise<void> {
      const file = await open(filler, 'w');
      try {
        for (let size = 1024 * 1024; size >= 4096;) {
          await file.write(Buffer.alloc(size)).catch((error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOSPC') throw error;
            size /= 2;
          });
        }
        await file.truncate(Math.max(0, (await file.stat()).size - left));
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler),
  };
}
