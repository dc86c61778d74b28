import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import {
  type Projection,
  ProjectionBehind,
  ProjectionStopped,
  type ProjectionStorage,
} from '../../projections/runner/projection.ts';
import type { ProjectionState } from '../../projections/runner/member.ts';
import { startProjections } from '../../projections/runner/runner.ts';
import { factTeller } from '../support/fact-teller.ts';
import { memoryProjectionStorage, rowsOf } from '../support/memory-projection-storage.ts';
import { memoryStore } from '../support/memory-store.ts';

test('projections catch up, then follow what is appended', async (t) => {
  const { store, set } = await logOf(3);
  const storage = memoryProjectionStorage();
  const runner = startProjections({ store, storage, projections: [counter('a'), counter('b')] });
  t.after(() => runner.stop());
  await runner.ready();
  assert.deepEqual(
    runner.states().map(({ name, position, state }) => ({ name, position, state })),
    [
      { name: 'a', position: 3, state: 'live' },
      { name: 'b', position: 3, state: 'live' },
    ],
  );
  await set('key', 4);
  await runner.applied('all', 4);
  assert.deepEqual(await rowsOf(storage, 'b'), { 'k/key': 4 });
});

test('listeners get every fact once, in order, and only after it is in the rows', async (t) => {
  const { store, set } = await logOf(2);
  const storage = memoryProjectionStorage();
  const runner = startProjections({ store, storage, projections: [counter('a'), counter('b')] });
  t.after(() => runner.stop());
  await runner.ready();
  const told: number[] = [];
  const applied: boolean[] = [];
  const from = runner.position();
  runner.onApplied((facts, position) => {
    told.push(...facts.map((fact) => fact.position));
    assert.equal(position, told.at(-1));
    applied.push(runner.states().every((state) => state.position >= position));
  });
  await Promise.all(Array.from({ length: 50 }, () => set('key', 0)));
  await runner.applied('all', 52);
  assert.equal(from, 2);
  assert.deepEqual(
    told,
    Array.from({ length: 50 }, (_, index) => index + 3),
  );
  assert.ok(applied.every(Boolean));
});

test('a listener that throws is dropped and reported, and the others go on', async (t) => {
  const { store, set } = await logOf(0);
  const errors: unknown[] = [];
  const runner = startProjections({
    store,
    storage: memoryProjectionStorage(),
    projections: [counter('a')],
    onListenerError: (error) => errors.push(error),
  });
  t.after(() => runner.stop());
  await runner.ready();
  const told: number[] = [];
  runner.onApplied(() => {
    throw new Error('listener');
  });
  const stop = runner.onApplied((_, position) => told.push(position));
  await set('key', 1);
  await runner.applied('all', 1);
  await set('key', 2);
  await runner.applied('all', 2);
  stop();
  await set('key', 3);
  await runner.applied('all', 3);
  assert.deepEqual(told, [1, 2]);
  assert.equal(errors.length, 1);
});

test('a projection that throws stops alone, at the fact before, without telling what was in it', async (t) => {
  const { store, set } = await logOf(0);
  const stopped: ProjectionState[] = [];
  const storage = memoryProjectionStorage();
  const runner = startProjections({
    store,
    storage,
    projections: [throwingAt(3), counter('good')],
    onStopped: (state) => stopped.push(state),
  });
  t.after(() => runner.stop());
  for (let value = 1; value <= 5; value += 1) await set(`key-${value}`, value);
  await runner.applied('good', 5);
  await assert.rejects(runner.applied('bad', 5), ProjectionStopped);
  const [bad, good] = runner.states();
  assert.equal(bad?.state, 'stopped');
  assert.equal(bad?.position, 2);
  assert.match(bad?.reason?.message ?? '', /config\.key_set at position 3: SyntaxError/);
  assert.doesNotMatch(bad?.reason?.message ?? '', /secret/);
  assert.equal(good?.state, 'live');
  assert.equal(stopped.length, 1);
  assert.deepEqual(Object.keys(await rowsOf(storage, 'bad')), ['k/key-1', 'k/key-2']);
  assert.deepEqual(await storage.checkpoint('bad'), { version: 1, position: 2 });
  assert.throws(() => runner.assertRunning(['good', 'bad']), ProjectionStopped);
  runner.assertRunning('good');
});

test('a projection that reads a row it did not declare is in error', async (t) => {
  const { store } = await logOf(1);
  const nosy: Projection = {
    ...counter('nosy'),
    keys: () => [],
    apply: (rows) => void rows.get('k/key'),
  };
  const runner = startProjections({
    store,
    storage: memoryProjectionStorage(),
    projections: [nosy],
  });
  t.after(() => runner.stop());
  await runner.ready();
  assert.equal(runner.states()[0]?.state, 'stopped');
});

test('who waits for a position is told after the limit that the projection is behind', async (t) => {
  const { store } = await logOf(1);
  const runner = startProjections({
    store,
    storage: memoryProjectionStorage(),
    projections: [counter('a')],
  });
  t.after(() => runner.stop());
  await assert.rejects(
    runner.applied('a', 2, { timeoutMs: 5 }),
    (error) => error instanceof ProjectionBehind && error.code === 'PROJECTION_BEHIND',
  );
  const abandoned = new AbortController();
  const waiting = runner.applied('a', 2, { signal: abandoned.signal });
  abandoned.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  await assert.rejects(runner.applied('unknown', 1), RangeError);
});

test('another version is rebuilt from the beginning, and says so, and delays no other', async (t) => {
  const { store, set } = await logOf(5500);
  const storage = memoryProjectionStorage();
  const first = startProjections({
    store,
    storage,
    projections: [counter('steady'), counter('changed')],
  });
  await first.ready();
  await first.stop();

  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const held: ProjectionStorage = {
    ...storage,
    async commit(name, ...rest) {
      if (name === 'changed') await gate;
      await storage.commit(name, ...rest);
    },
  };
  const second = startProjections({
    store,
    storage: held,
    projections: [counter('steady'), { ...counter('changed', 10), version: 2 }],
  });
  t.after(() => second.stop());
  await second.applied('steady', 5500);
  await set('key', 7);
  await second.applied('steady', 5501);
  assert.equal(second.states()[1]?.state, 'rebuilding');
  assert.throws(() => second.assertRunning('changed'), ProjectionBehind);
  assert.deepEqual(await rowsOf(storage, 'changed'), {});
  open?.();
  await second.ready();
  assert.equal(second.states()[1]?.state, 'live');
  assert.deepEqual(await rowsOf(storage, 'changed'), { 'k/key': 70 });
  await set('key', 8);
  await second.applied('all', 5502);
  assert.deepEqual(await rowsOf(storage, 'changed'), { 'k/key': 80 });
});

test('a checkpoint beyond the end of the log is not believed', async (t) => {
  const storage = memoryProjectionStorage();
  await storage.commit('a', { version: 1, position: 9 }, new Map([['k/ghost', 1]]));
  const { store } = await logOf(2);
  const runner = startProjections({ store, storage, projections: [counter('a')] });
  t.after(() => runner.stop());
  await runner.ready();
  assert.deepEqual(await rowsOf(storage, 'a'), { 'k/key': 2 });
  assert.equal(runner.states()[0]?.position, 2);
});

test('rows without a checkpoint, as a clearing that was interrupted leaves them, are not believed', async (t) => {
  const storage = memoryProjectionStorage();
  await storage.commit('a', { version: 1, position: 2 }, new Map([['k/ghost', 1]]));
  let cleared = false;
  const half: ProjectionStorage = {
    ...storage,
    checkpoint: async (name) => (cleared ? await storage.checkpoint(name) : undefined),
    async clear(name) {
      await storage.clear(name);
      cleared = true;
    },
  };
  const { store } = await logOf(2);
  const runner = startProjections({ store, storage: half, projections: [counter('a')] });
  t.after(() => runner.stop());
  await runner.ready();
  assert.deepEqual(await rowsOf(storage, 'a'), { 'k/key': 2 });
});

test('storage that is away for a moment is asked again, and nothing is applied twice', async (t) => {
  const { store } = await logOf(3);
  const storage = memoryProjectionStorage();
  let failures = 2;
  const seen: string[] = [];
  const shaky: ProjectionStorage = {
    ...storage,
    async commit(...change) {
      seen.push(runner.states()[0]!.state);
      if (failures > 0) {
        failures -= 1;
        throw new EventStoreError('BUSY', 'The log is being opened again.');
      }
      await storage.commit(...change);
    },
  };
  const runner = startProjections({ store, storage: shaky, projections: [adder('a')] });
  t.after(() => runner.stop());
  await runner.ready();
  assert.deepEqual(seen, ['rebuilding', 'retrying', 'retrying']);
  assert.equal(runner.states()[0]?.state, 'live');
  assert.deepEqual(await rowsOf(storage, 'a'), { sum: 1 + 2 + 3 });
});

test('storage that fails for good stops the projection, with the code', async (t) => {
  const { store } = await logOf(1);
  const storage: ProjectionStorage = {
    ...memoryProjectionStorage(),
    commit: () => Promise.reject(Object.assign(new Error('text'), { code: 'LEVEL_CORRUPTION' })),
  };
  const runner = startProjections({ store, storage, projections: [counter('a')] });
  t.after(() => runner.stop());
  await runner.ready();
  assert.equal(runner.states()[0]?.reason?.code, 'LEVEL_CORRUPTION');
});

test('a damaged log stops all projections with that reason, and does not crash', async () => {
  const { store } = await logOf(5);
  const damaged: EventStore = {
    ...store,
    async *pages() {
      yield* [];
      throw new EventStoreError('DAMAGED', 'Record 3 does not match its checksum.');
    },
  };
  const runner = startProjections({
    store: damaged,
    storage: memoryProjectionStorage(),
    projections: [counter('a'), counter('b')],
  });
  const waiting = runner.applied('a', 5);
  await assert.rejects(runner.ready(), ProjectionStopped);
  await assert.rejects(waiting, /Record 3/);
  assert.deepEqual(
    runner.states().map(({ reason }) => reason?.code),
    ['DAMAGED', 'DAMAGED'],
  );
  await runner.stop();
});

test('a log that leaves out a position is damaged', async () => {
  const { store } = await logOf(5);
  const gappy: EventStore = {
    ...store,
    async *pages(options) {
      for await (const page of store.pages(options))
        yield page.filter(({ position }) => position !== 3);
    },
  };
  const runner = startProjections({
    store: gappy,
    storage: memoryProjectionStorage(),
    projections: [counter('a')],
  });
  await assert.rejects(runner.ready(), ProjectionStopped);
  assert.equal(runner.states()[0]?.reason?.code, 'DAMAGED');
});

test('a subscription that breaks off is taken up where it was left', async (t) => {
  const { store, set } = await logOf(1);
  let subscriptions = 0;
  const breaking: EventStore = {
    ...store,
    async *follow(options) {
      subscriptions += 1;
      for await (const facts of store.follow(options)) {
        yield facts;
        if (subscriptions < 3) throw new EventStoreError('BUSY', 'The log is being opened again.');
      }
    },
  };
  const runner = startProjections({
    store: breaking,
    storage: memoryProjectionStorage(),
    projections: [counter('a')],
  });
  t.after(() => runner.stop());
  await runner.ready();
  const told: number[] = [];
  runner.onApplied((facts) => told.push(...facts.map(({ position }) => position)));
  for (let value = 0; value < 4; value += 1) {
    await set('key', value);
    await runner.applied('a', value + 2);
  }
  assert.deepEqual(told, [2, 3, 4, 5]);
  assert.equal(subscriptions, 3);
});

test('stopping stores how far a projection got without changes, and sends those away who wait', async () => {
  const { store } = await logOf(7);
  const storage = memoryProjectionStorage();
  const stop = new AbortController();
  const runner = startProjections({
    store,
    storage,
    projections: [{ ...counter('a'), interests: new Set() }],
    signal: stop.signal,
  });
  await runner.ready();
  assert.equal(await storage.checkpoint('a'), undefined);
  const waiting = runner.applied('a', 8);
  stop.abort();
  await assert.rejects(waiting, ProjectionStopped);
  await runner.stop();
  assert.deepEqual(await storage.checkpoint('a'), { version: 1, position: 7 });
});

/** Keeps the value of each key, multiplied. */
const counter = (name: string, factor = 1): Projection => ({
  name,
  version: 1,
  keys: () => [],
  apply(rows, fact) {
    if (fact.type === 'config.key_set') rows.set(`k/${fact.data.key}`, valueOf(fact) * factor);
  },
});

/** Adds up all values: twice the same fact would show. */
const adder = (name: string): Projection => ({
  name,
  version: 1,
  keys: () => ['sum'],
  apply(rows, fact) {
    rows.set('sum', (rows.get<number>('sum') ?? 0) + valueOf(fact));
  },
});

/** Throws at one position, after it has already changed a row, with an error that quotes somebody. */
const throwingAt = (position: number): Projection => ({
  ...counter('bad'),
  apply(rows, fact) {
    if (fact.type === 'config.key_set') rows.set(`k/${fact.data.key}`, valueOf(fact));
    if (fact.position === position) JSON.parse('secret words of somebody');
  },
});

const valueOf = (fact: LoggedFact): number =>
  fact.type === 'config.key_set' ? Number(fact.data.value) : 0;

/** A log of that many facts which set `key` to 1, 2, 3, … */
async function logOf(count: number) {
  const store = memoryStore();
  const { tell } = factTeller(store);
  let last: Promise<unknown> = Promise.resolve();
  const set = (key: string, value: number): Promise<unknown> => {
    last = last.then(() => tell('config', { type: 'config.key_set', data: { key, value } }));
    return last;
  };
  for (let value = 1; value <= count; value += 1) await set('key', value);
  return { store, set };
}
