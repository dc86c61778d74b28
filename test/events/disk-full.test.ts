import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { appendUntilFull, type FullDiskReport } from '../support/full-disk.ts';
import { tempLog } from '../support/temp-log.ts';
import { all, upTo } from './store-contract.ts';

const run = promisify(execFile);
const self = fileURLToPath(import.meta.url);
const [directory, keysDirectory] = process.argv.slice(2);

if (directory !== undefined && keysDirectory !== undefined) {
  // Started by the test below, in a process whose files cannot grow.
  process.stdout.write(JSON.stringify(await appendUntilFull(directory, keysDirectory)));
} else {
  it('keeps everything it acknowledged when the disk really takes no more, and goes on', async (test) => {
    const temp = await tempLog(test);
    // The system refuses to let files grow beyond 300 kB, in the middle of a record: a torn write.
    const limited = ['--fsize=300000', process.execPath, '--import', 'tsx', self];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await run('prlimit', [...limited, temp.directory, temp.keysDirectory], {
      env,
      timeout: 60_000,
    });
    const told = JSON.parse(stdout) as FullDiskReport;
    assert.ok(told.unknown >= 1, 'at least one write failed');
    assert.ok(told.recovered >= 1, 'and the log came back by itself');
    const log = await temp.open({ verifiedPosition: 0 });
    assert.equal(log.health().state, 'ok');
    const facts = await all(log.readAll());
    assert.deepEqual(
      facts.map(({ position }) => position),
      upTo(facts.length),
    );
    const stored = new Set(facts.map(({ command }) => command));
    for (const command of told.acknowledged) assert.ok(stored.has(command), command);
    assert.equal(stored.size, facts.length, 'and nothing twice');
  });
}
