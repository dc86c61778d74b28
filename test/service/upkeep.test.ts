import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Ownership } from '../../events/ownership.ts';
import { openRetention } from '../../src/retention/retention.ts';
import { openUpkeep } from '../../src/service/upkeep.ts';
import { eventually } from '../support/eventually.ts';
import { memoryProjectionStorage } from '../support/memory-projection-storage.ts';
import { sharedOwnership } from '../support/shared-ownership.ts';

test('what is done once by who becomes the one is done again until it succeeds, and then no more', async (t) => {
  const memory = memoryProjectionStorage();
  const done: string[] = [];
  let rangesFailing = 1;
  let erasuresFailing = 2;
  let looks = 0;
  const { stop, upkeep, begin } = upkeepOf(t, sharedOwnership().node(), {
    storage: {
      ...memory,
      range(...asked: Parameters<typeof memory.range>) {
        if ((rangesFailing -= 1) >= 0) throw new Error('the database is away');
        return memory.range(...asked);
      },
    },
    recordingService: {
      async eraseAgain() {
        if ((erasuresFailing -= 1) >= 0) throw new Error('the store is away');
        done.push('erased again');
      },
      async awaitEngines(failed: AsyncIterable<string>) {
        for await (const _ of failed);
        done.push('engines awaited');
      },
    },
  });
  begin(async () => {
    if ((looks += 1) === 6) stop.abort();
  });
  await once(stop.signal, 'abort');
  await upkeep.settled();
  assert.deepEqual(done, ['engines awaited', 'erased again']);
});

test('who still makes its lists leaves what one does for all to another', async (t) => {
  const shared = sharedOwnership();
  const [slow, other] = [shared.node(), shared.node()];
  const rounds: string[] = [];
  const opened = (name: string, ownership: Ownership) => ({
    retention: retentionOf(t, ownership, async () => void rounds.push(name)),
    ...upkeepOf(t, ownership),
  });
  const one = opened('slow', slow);
  // So long that it would have claimed its names.
  for (let ticks = 0; ticks < 100; ticks += 1) await setImmediate();
  const two = opened('other', other);
  two.begin(async () => {});
  two.retention.begin();
  await eventually('the other one does it', async () => two.upkeep.isHere() && rounds.length > 0);
  one.begin(async () => {});
  one.retention.begin();
  two.stop.abort();
  await eventually('it does so itself in the end', async () => one.upkeep.isHere());
  assert.ok(!rounds.includes('slow'), 'retention is still the other one’s');
});

/** Upkeep of a node by itself: what it looks after succeeds, unless it is given. */
function upkeepOf(
  t: TestContext,
  ownership: Ownership,
  given: { storage?: object; recordingService?: object } = {},
) {
  const stop = new AbortController();
  t.after(() => stop.abort());
  const upkeep = openUpkeep({
    ownership,
    standing: { worksOnAudio: true },
    projections: { onApplied: () => () => {} },
    storage: given.storage ?? memoryProjectionStorage(),
    browserLimits: { graceMs: 1 },
    log: { warn: () => {} },
    signal: stop.signal,
  } as unknown as Parameters<typeof openUpkeep>[0]);
  const nothing = async () => {};
  const looked = {
    recordingService: {
      finishPending: nothing,
      eraseAgain: nothing,
      awaitEngines: nothing,
      ...given.recordingService,
    },
    lateAudio: { takeUp: nothing },
    refreshing: { look: nothing },
  } as unknown as Parameters<typeof upkeep.begin>[0];
  return { stop, upkeep, begin: (also: () => Promise<void>) => upkeep.begin(looked, also) };
}

/** Retention of a node that has nothing to delete. @param upToDate called at the beginning of each round */
function retentionOf(t: TestContext, ownership: Ownership, upToDate: () => Promise<void>) {
  const stop = new AbortController();
  t.after(() => stop.abort());
  return openRetention({
    ownership,
    standing: { worksOnAudio: true },
    storage: memoryProjectionStorage(),
    accounts: { takeIn: async () => 0 },
    log: { info: () => {}, warn: () => {} },
    signal: stop.signal,
    upToDate,
  } as unknown as Parameters<typeof openRetention>[0]);
}
