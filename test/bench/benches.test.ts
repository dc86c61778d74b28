import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { times } from '../support/seeded.ts';

/** Each bench in a size that only shows that it runs: what it measures is no figure. */
const small = {
  BENCH_FACTS: '2000',
  BENCH_APPENDS: '500',
  BENCH_STARTS: '1',
  BENCH_REQUESTS: '200',
  BENCH_CHANGES: '5',
  BENCH_MINUTES: '1',
  BENCH_LONG_MINUTES: '4',
  BENCH_TRANSCRIPTS: '100',
  BENCH_PASSAGES: '4000',
  BENCH_PRESSES: '2',
  BENCH_RECORDINGS: '20',
  BENCH_LIVE_MINUTES: '1',
  BENCH_SOAK_MINUTES: '1',
  BENCH_DIALOGUE_MINUTES: '2',
  BENCH_RECORDED_MINUTES: '1',
  BENCH_MEETING_HOURS: '1',
  BENCH_MEETING_SPEAKERS: '3',
  BENCH_CLUSTER_APPENDS: '500',
  BENCH_CLUSTER_HEARD: '20',
  BENCH_CLUSTER_RECORDINGS: '2',
  BENCH_CLUSTER_PACE_MS: '100',
  BENCH_CLUSTER_DEATHS: '1',
  BENCH_CLUSTER_TRANSCRIPTS: '20',
  BENCH_SIMULATED_USERS: '1000',
  BENCH_SIMULATED_HOURS: '100',
  BENCH_SIMULATED_MINUTES: '1',
};

const all = (await readdir(import.meta.dirname))
  .filter((name) => name.endsWith('.bench.ts'))
  .map((name) => name.replace('.bench.ts', ''));

// A bench that nobody runs ends in an error one day: two had.
for (const name of times({ short: ['replay'], long: all })) {
  test(`the bench ${name} runs to its end`, async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, 'run.ts'), name],
      { env: { ...process.env, ...small }, cwd: join(import.meta.dirname, '../..') },
    );
    const rows = stdout
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(1);
    assert.ok(rows.length > 0, stdout);
    assert.deepEqual(
      rows.filter((row) => /could not be measured|NaN/u.test(row)),
      [],
    );
  });
}
