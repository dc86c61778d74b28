import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** What a process writes that logs as the service does, and ends as it is told to. */
async function linesOf(ending: string): Promise<{ msg: string; time: string }[]> {
  const program = `
    const { openServiceLogger } = await import('./src/shared/log.ts');
    const log = await openServiceLogger('info', () => undefined);
    log.info('first');
    await new Promise((resolve) => setTimeout(resolve, 5));
    log.info('second');
    log.info('third');
    ${ending}`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; time: string });
}

for (const [how, ending] of [
  ['by itself', ''],
  ['at once', 'process.exit(3);'],
  ['by an error', "throw new Error('it failed');"],
  ['after a fatal line', "log.fatal('last'); process.kill(process.pid, 'SIGKILL');"],
] as const) {
  test(`no line of the log is lost when the process ends ${how}`, async () => {
    const lines = await linesOf(ending);
    const expected = ['first', 'second', 'third', ...(ending.includes('fatal') ? ['last'] : [])];
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      expected,
    );
    for (const { time } of lines) assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  });
}
