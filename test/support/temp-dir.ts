import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test, or a whole file (`node:test` itself): what is done when it is over. */
export type HasEnd = { after(end: () => unknown): void };

/** A directory of the test's own, removed when the test is over. */
export async function tempDir(test: HasEnd): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mitschrift-'));
  // What a test left running may write into it once more.
  test.after(() => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return path;
}
