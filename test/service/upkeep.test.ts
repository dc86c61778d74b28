import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { openUpkeep } from '../../src/service/upkeep.ts';
import { memoryProjectionStorage } from '../support/memory-projection-storage.ts';
import { sharedOwnership } from '../support/shared-ownership.ts';

test('what is done once by who becomes the one is done again until it succeeds, and then no more', async (t) => {
  const stop = new AbortController();
  t.after(() => stop.abort());
  const memory = memoryProjectionStorage();
  const done: string[] = [];
  let rangesFailing = 1;
  let erasuresFailing = 2;
  let looks = 0;
  type Given = Parameters<ReturnType<typeof openUpkeep>['begin']>[0];
  const upkeep = openUpkeep({
    ownership: sharedOwnership().node(),
    standing: { worksOnAudio: true },
    projections: { onApplied: () => () => {} },
    storage: {
      ...memory,
      range(...asked: Parameters<typeof memory.range>) {
        if ((rangesFailing -= 1) >= 0) throw new Error('the database is away');
        return memory.range(...asked);
      },
    },
    browserLimits: { graceMs: 1 },
    log: { warn: () => {} },
    signal: stop.signal,
  } as unknown as Parameters<typeof openUpkeep>[0]);
  const given = {
    recordingService: {
      finishPending: async () => {},
      async eraseAgain() {
        if ((erasuresFailing -= 1) >= 0) throw new Error('the store is away');
        done.push('erased again');
      },
      async awaitEngines(failed: AsyncIterable<string>) {
        for await (const _ of failed);
        done.push('engines awaited');
      },
    },
    lateAudio: { takeUp: async () => {} },
    refreshing: { look: async () => {} },
  } as unknown as Given;
  upkeep.begin(given, async () => {
    if ((looks += 1) === 6) stop.abort();
  });
  await once(stop.signal, 'abort');
  await upkeep.settled();
  assert.deepEqual(done, ['engines awaited', 'erased again']);
});
