import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A directory of the test's own, removed when the test is over. */
export async function tempDir(test: Pick<TestContext, 'after'>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mitschrift-'));
  test.after(() => rm(path, { recursive: true, force: true }));
  return path;
}
