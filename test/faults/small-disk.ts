import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A real file system of 24 MB, which needs root to be mounted; CI has it. */
export async function smallDisk(t: TestContext) {
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
