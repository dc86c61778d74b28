import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import type { PendingJobs } from '../../src/storage/pending-jobs.ts';

/**
 * What every list of pending jobs must hold to.
 * @param makeJobs an empty one, released when the test is over
 */
export function pendingJobsContract(
  name: string,
  makeJobs: (test: TestContext) => Promise<PendingJobs>,
): void {
  describe(`${name} keeps pending jobs`, () => {
    it('each once, until it is completed', async (t) => {
      const jobs = await makeJobs(t);
      assert.deepEqual(await jobs.list(), []);
      await jobs.add('r2', 'erase');
      await jobs.add('r1', 'keep-audio');
      await jobs.add('r1', 'erase');
      await jobs.add('r1', 'erase');
      assert.deepEqual(await jobs.list(), [
        { recordingId: 'r1', job: 'erase' },
        { recordingId: 'r1', job: 'keep-audio' },
        { recordingId: 'r2', job: 'erase' },
      ]);
      await jobs.complete('r1', 'erase');
      await jobs.complete('r1', 'erase');
      await jobs.complete('r2', 'import');
      assert.deepEqual(await jobs.list(), [
        { recordingId: 'r1', job: 'keep-audio' },
        { recordingId: 'r2', job: 'erase' },
      ]);
    });
  });
}
