import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands, importedBy } from '../../projections/commands.ts';
import { tellFinish, tellImport } from '../support/fact-teller.ts';
import { projected } from '../support/projected.ts';

test('a command that began a recording finds its answer again; other commands began none', async (t) => {
  const { teller, storage, settled } = projected(t, commands);
  const begun = await tellImport(teller, 'r1');
  await tellFinish(teller, 'r1', 'done');
  await settled(5);
  assert.deepEqual(await importedBy(storage, begun.command), {
    recordingId: 'r1',
    position: 1,
    state: 'transcribing.recognising',
  });
  assert.equal(await importedBy(storage, 'command-2'), null);
  assert.equal(await importedBy(storage, 'never given'), null);
});
