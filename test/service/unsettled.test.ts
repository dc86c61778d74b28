import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordings } from '../../projections/recordings.ts';
import { unsettledIn } from '../../src/service/take-up.ts';
import { factTeller, tellImport } from '../support/fact-teller.ts';
import { memoryProjectionStorage } from '../support/memory-projection-storage.ts';
import { tempLog } from '../support/temp-log.ts';

test('while the rows of recordings have stopped, the log says what is unsettled, and each fact is read once', async (t) => {
  const store = await (await tempLog(t)).open();
  const teller = factTeller(store);
  await tellImport(teller, 'r1');
  await tellImport(teller, 'r2');
  const read: number[] = [];
  const counted = {
    head: () => store.head(),
    async *outlines(options: Parameters<typeof store.outlines>[0]) {
      for await (const facts of store.outlines(options)) {
        read.push(...facts.map(({ position }) => position));
        yield facts;
      }
    },
  };
  const stopped = {
    name: recordings.name,
    version: 1,
    state: 'stopped' as const,
    position: 0,
    reason: { code: 'TRIED', message: 'Tried' },
  };
  const unsettled = unsettledIn({
    store: counted,
    storage: memoryProjectionStorage(),
    projections: { states: () => [stopped] },
  });
  const listed = async (after?: string) => {
    const ids: string[] = [];
    for await (const recordingId of unsettled(after)) ids.push(recordingId);
    return ids;
  };

  assert.deepEqual(await listed(), ['r1', 'r2']);
  assert.deepEqual(await listed('r1'), ['r2']);
  await tellImport(teller, 'r3');
  await teller.of('r1', { type: 'recording.erased', data: {} }, 'idle.erased');
  assert.deepEqual(await listed(), ['r2', 'r3']);
  assert.deepEqual(
    read,
    Array.from({ length: await store.head() }, (_, at) => at + 1),
  );
});
