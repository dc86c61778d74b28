import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainFact } from '../support/sample-facts.ts';
import { tempLog } from '../support/temp-log.ts';

test('a log that is appended to while it is verified is not taken for damaged', async (t) => {
  const log = await (await tempLog(t)).open();
  const page = Array.from({ length: 1000 }, (_, n) => plainFact(`${n}`));
  for (const version of [0, 1000, 2000]) await log.append('stream', page, version);
  // With three pages to read, what is appended after the first is durable before the index is read.
  let late: Promise<unknown> | undefined;
  const verified = await log.verify({
    onProgress: () => void (late ??= log.append('stream', [plainFact('late')], 3000)),
  });
  await late;
  assert.equal(verified.damages, 0);
  assert.deepEqual(log.health(), { state: 'ok', damage: [], more: 0 });
});
