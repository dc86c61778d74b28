import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { recordings } from '../../projections/recordings.ts';
import { startProjections } from '../../projections/runner/runner.ts';
import { openSearch } from '../../src/search/search.ts';
import { type FactTeller, tellFinish, tellImport } from '../support/fact-teller.ts';
import { wordsAlone } from '../support/words-alone.ts';
import { memoryProjectionStorage } from '../support/memory-projection-storage.ts';
import { projected } from '../support/projected.ts';

const limit = 100;

/** Transcripts `r00`, `r01`, … of `owner`, a day apart; each says its own name and `marmalade`. */
async function tellMany(
  teller: FactTeller,
  count: number,
  { owner = 'anna', prefix = 'r' } = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const id = `${prefix}${String(number).padStart(2, '0')}`;
    const startedAt = new Date(Date.UTC(2026, 0, 1 + number)).toISOString();
    await tellImport(teller, id, { owner, startedAt });
    await tellFinish(teller, id, `marmalade ${id}`);
    ids.push(id);
  }
  return ids;
}

/** Storage whose reads of some rows wait until they are let through. */
function gated(storage: ProjectionStorage, waits: (key: string) => boolean) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  let reached = () => {};
  const atGate = new Promise<void>((resolve) => (reached = resolve));
  const getMany: ProjectionStorage['getMany'] = async (projection, keys) => {
    if (keys.some(waits)) {
      reached();
      await opened;
    }
    return await storage.getMany(projection, keys);
  };
  return { storage: { ...storage, getMany }, open, atGate };
}

function searching(t: TestContext, waits: (key: string) => boolean) {
  const world = projected(t, recordings);
  const gate = gated(world.storage, waits);
  const search = openSearch({
    ...wordsAlone,
    storage: gate.storage,
    projections: world.runner,
    log: { error: assert.fail },
    memoryBytes: 2_000_000_000,
  });
  const find = async (question: string, owner = 'anna') => {
    const { hits, ...rest } = await search.find(owner, question, { limit });
    return { ids: hits.map(({ recording_id }) => recording_id), ...rest };
  };
  return { ...world, gate, find };
}

test('a search while its index is made answers from what is indexed, the newest first', async (t) => {
  const { teller, runner, store, gate, find } = searching(t, (key) => key.endsWith('/r05'));
  const ids = await tellMany(teller, 20);
  await runner.applied('all', await headOf(store));
  const during = await find('marmalade');
  assert.deepEqual(during.ids.toSorted(), ids.slice(6), 'the newest fourteen');
  assert.equal(during.complete, false);
  assert.equal(during.fraction, 0.7);

  gate.open();
  const after = await find('marmalade');
  assert.deepEqual(after.ids.toSorted(), ids);
  assert.deepEqual([after.complete, after.fraction], [true, 1]);
});

test('what changes while the index is made is found as it is now', async (t) => {
  const { teller, keys, runner, store, gate, find } = searching(t, (key) => key.endsWith('/r05'));
  await tellMany(teller, 20);
  await runner.applied('all', await headOf(store));
  const first = find('marmalade');
  await gate.atGate;
  // One that is indexed, one that is being read, one that is not indexed yet; and one erased of each.
  for (const id of ['r12', 'r05', 'r02']) {
    await teller.of(
      id,
      {
        type: 'title.changed',
        data: {},
        content: { title: `honey ${id}`, previous: `marmalade ${id} title` },
      },
      'idle.saved',
    );
  }
  for (const id of ['r13', 'r03']) {
    await keys.forget(id);
    await teller.of(id, { type: 'recording.erased', data: {} }, 'idle.erased');
  }
  await runner.applied('all', await headOf(store));
  assert.equal((await find('marmalade')).ids.includes('r13'), false);
  gate.open();
  await first;
  assert.deepEqual((await find('honey')).ids.toSorted(), ['r02', 'r05', 'r12']);
  const { ids, complete } = await find('marmalade');
  assert.equal(complete, true);
  assert.equal(ids.length, 18);
  assert.deepEqual(
    ids.filter((id) => id === 'r13' || id === 'r03'),
    [],
  );
});

test('whoever searches while the indexes of many others are made gets an answer too', async (t) => {
  const { teller, runner, store, gate, find } = searching(t, (key) => key.endsWith('/x00'));
  const owners = Array.from({ length: 60 }, (_, index) => `user-${index}`);
  await tellMany(teller, 1, { owner: owners[0]!, prefix: 'x' });
  await tellMany(teller, 3, { owner: 'anna' });
  await runner.applied('all', await headOf(store));
  // The first user's index waits for a row; so do those of users who were handed nothing.
  const others = await Promise.all(owners.map((owner) => find('marmalade', owner)));
  assert.deepEqual(others[0], { ids: [], complete: false, fraction: 0, meaning: null });
  assert.equal((await find('marmalade')).ids.length, 3);
  gate.open();
  assert.deepEqual(await find('marmalade', owners[0]), {
    ids: ['x00'],
    complete: true,
    fraction: 1,
    meaning: null,
  });
});

test('while the rows themselves are made again nothing is found, and nothing is refused', async (t) => {
  const world = projected(t, recordings);
  const ids = await tellMany(world.teller, 5);
  await world.runner.applied('all', await headOf(world.store));
  await world.runner.stop();
  const storage = memoryProjectionStorage();
  await storage.commit(recordings.name, { version: 0, position: 1 }, new Map());
  // Another version of the projection: its rows are made again; the first page waits.
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const slow: ProjectionStorage = {
    ...storage,
    async commit(...args) {
      await held;
      await storage.commit(...args);
    },
  };
  const runner = startProjections({ store: world.store, storage: slow, projections: [recordings] });
  t.after(() => runner.stop());
  const search = openSearch({
    ...wordsAlone,
    storage: slow,
    projections: runner,
    log: { error: assert.fail },
    memoryBytes: 2_000_000_000,
  });
  const found = () => search.find('anna', 'marmalade', { limit });
  assert.deepEqual(await found(), { hits: [], complete: false, fraction: 0, meaning: null });
  goOn();
  await runner.ready();
  const { hits, complete } = await found();
  assert.equal(complete, true);
  assert.equal(hits.length, ids.length);
});

async function headOf(store: { readAll(): AsyncIterable<{ position: number }> }): Promise<number> {
  let head = 0;
  for await (const { position } of store.readAll()) head = position;
  return head;
}
