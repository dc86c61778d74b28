import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { tempLog } from '../support/temp-log.ts';
import { all, upTo } from './store-contract.ts';

const run = promisify(execFile);

it('keeps everything it acknowledged when the disk really takes no more, and goes on', async (test) => {
  const temp = await tempLog(test);
  // The system refuses to let files grow beyond 300 kB, in the middle of a record: a torn write.
  const writer = join(import.meta.dirname, 'disk-full.writer.ts');
  const { stdout } = await run(
    'prlimit',
    [
      '--fsize=300000',
      process.execPath,
      '--import',
      'tsx',
      writer,
      temp.directory,
      temp.keysDirectory,
    ],
    { timeout: 60_000 },
  );
  const told = JSON.parse(stdout) as { acknowledged: string[]; unknown: number; recovered: number };
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
