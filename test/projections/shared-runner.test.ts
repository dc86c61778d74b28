import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import {
  type Checkpoint,
  type Projection,
  type ProjectionStorage,
  RowsTaken,
} from '../../projections/runner/projection.ts';
import { startSharedProjections } from '../../projections/runner/shared-runner.ts';
import type {
  SharedProjectionsOptions,
  ProjectorChannel,
} from '../../projections/runner/tenure.ts';
import type { Told } from '../../projections/runner/told-progress.ts';
import { eventually, within } from '../support/eventually.ts';
import { memoryProjectionStorage } from '../support/memory-projection-storage.ts';
import { memoryStore } from '../support/memory-store.ts';
import { plainFact } from '../support/sample-facts.ts';
import { sharedOwnership } from '../support/shared-ownership.ts';

const times = { tries: { first: 5, max: 20 }, tellAgain: 20, stall: 200, stop: 50 };
const limit = { timeoutMs: 20_000 };

test('a projector whose rows another has still written begins again, and goes on', async (t) => {
  const world = worldOf();
  let position = 0;
  const failures: unknown[] = [];
  const runner = start(t, world, {
    storage: () => {
      const rows = fenced(world.rows);
      return {
        ...rows,
        async commit(name, checkpoint, changes) {
          // Once, as one that was the projector before and hears late that it is it no more.
          if (position === 0) {
            position = checkpoint.position;
            await world.rows.commit(name, { ...checkpoint, position: 1 }, new Map());
          }
          await rows.commit(name, checkpoint, changes);
        },
      };
    },
    onFailure: (error) => failures.push(error),
  });
  await world.append(3);
  await runner.applied('all', 3, limit);
  assert.ok(failures.some((error) => error instanceof RowsTaken));
});

test('what an earlier projector said late does not hide what the present one says', async (t) => {
  const world = worldOf();
  const runners = [start(t, world), start(t, world)];
  await world.append(2);
  for (const runner of runners) await runner.applied('all', 2, limit);
  const [last] = world.said.slice(-1);
  const told = JSON.parse(last!) as Told;
  // It was the projector for a moment, of which no one has heard yet.
  const late = { ...told, tenure: told.tenure - 0.5, count: 1, position: 1 };
  world.say(JSON.stringify(late));
  await world.append(2);
  for (const runner of runners) await runner.applied('all', 4, limit);
});

test('where nothing was heard of the last facts they are known of nevertheless', async (t) => {
  const world = worldOf();
  const runners = [start(t, world), start(t, world)];
  await world.append(1);
  for (const runner of runners) await runner.applied('all', 1, limit);
  world.isDeaf = true;
  await world.append(1);
  await Promise.any(runners.map((runner) => runner.applied('all', 2, limit)));
  await eventually('it was said again', () => world.unheard >= 3);
  world.isDeaf = false;
  for (const runner of runners) await runner.applied('all', 2, limit);
});

test('with another database behind them tenures may begin again', async (t) => {
  const world = worldOf();
  const runners = [start(t, world), start(t, world)];
  await world.append(1);
  for (const runner of runners) await runner.applied('all', 1, limit);
  world.tenures = -1_000;
  world.failOver();
  await world.append(1);
  for (const runner of runners) await runner.applied('all', 2, limit);
});

test('a projector that never gets any further makes room for another', async (t) => {
  const world = worldOf();
  const failures: string[] = [];
  let hanging = 0;
  const stuck: Partial<SharedProjectionsOptions> = {
    storage: () => ({
      ...fenced(world.rows),
      commit: () => {
        hanging += 1;
        return new Promise(() => {});
      },
    }),
    onFailure: (error) => failures.push((error as Error).message),
  };
  const runner = start(t, world, stuck);
  await world.append(1);
  await eventually('it hangs', () => hanging > 0);
  const other = start(t, world);
  await other.applied('all', 1, limit);
  await runner.applied('all', 1, limit);
  assert.match(failures.join(), /made no progress for 0.2 s/);
});

test('a node that cannot read the log makes room for another', async (t) => {
  const world = worldOf();
  const damaged: EventStore = {
    ...world.store,
    // oxlint-disable-next-line require-yield
    async *pages() {
      throw new EventStoreError('DAMAGED', 'This node cannot read it.');
    },
  };
  await world.append(1);
  const became: string[] = [];
  start(t, world, {
    store: damaged,
    onProjector: (is) => is && became.push('damaged'),
  });
  await eventually('it was the projector', () => became.length > 0);
  const other = start(t, world, { onProjector: (is) => is && became.push('sound') });
  // Until then it may hear that the rows stand still.
  await eventually('the other one has applied it', () =>
    other.states().every(({ state, position }) => state === 'live' && position === 1),
  );
  other.assertRunning('all');
  assert.ok(became.includes('sound'));
});

test('a log that is away at the start is waited for', async (t) => {
  const world = worldOf();
  let asked = 0;
  const away: EventStore = {
    ...world.store,
    async head() {
      asked += 1;
      if (asked <= 2) throw new EventStoreError('BUSY', 'away');
      return await world.store.head();
    },
  };
  const runner = start(t, world, { store: away });
  await runner.ready();
  await world.append(1);
  await runner.applied('all', 1, limit);
  runner.assertRunning('all');
});

test('nothing is handed out again because a projector was asked before it had begun', async (t) => {
  const world = worldOf();
  await world.append(3);
  const before = start(t, world);
  await before.applied('all', 3, limit);
  await before.stop();
  let asked = 0;
  let begin = (): void => {};
  const gate = new Promise<void>((resolve) => (begin = resolve));
  const slow: EventStore = {
    ...world.store,
    async head() {
      asked += 1;
      if (asked === 2) await gate;
      return await world.store.head();
    },
  };
  start(t, world, { store: slow });
  await eventually('it is about to begin', () => asked === 2);
  const questions = () => world.said.filter((text) => text === '?').length;
  const present = questions();
  const other = start(t, world);
  const handed: number[] = [];
  other.onApplied((facts) => handed.push(...facts.map(({ position }) => position)));
  await eventually('it was asked', () => questions() > present);
  for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve));
  begin();
  await other.applied('all', 3, limit);
  await world.append(1);
  await eventually('the new fact is handed out', () => handed.includes(4));
  assert.deepEqual(handed, [4]);
});

test('a node that could not read the log at first is ready though nothing follows', async (t) => {
  const world = worldOf();
  await world.append(1);
  const before = start(t, world);
  await before.applied('all', 1, limit);
  await before.stop();
  // What it said last is heard by then.
  await new Promise((resolve) => setImmediate(resolve));
  let reads = 0;
  const away: EventStore = {
    ...world.store,
    async *pages(options) {
      reads += 1;
      if (reads === 1) throw new EventStoreError('BUSY', 'away');
      yield* world.store.pages(options);
    },
  };
  const runner = start(t, world, { store: away });
  await within('it is ready', runner.ready(), limit.timeoutMs);
  assert.notEqual(reads, 0);
  runner.assertRunning('all');
});

type World = ReturnType<typeof worldOf>;

/** What nodes share: a log, rows, a lock, and a channel that may lose what is said. */
function worldOf() {
  const store = memoryStore();
  const rows = memoryProjectionStorage();
  const listeners = new Set<{ heard(text: string): void; opened(): void }>();
  const locks = sharedOwnership();
  const owners: ReturnType<typeof locks.node>[] = [];
  const said: string[] = [];
  let version = 0;
  const world = {
    store,
    rows,
    locks,
    owners,
    said,
    tenures: 0,
    isDeaf: false,
    unheard: 0,
    /** To all, itself too, and later. */
    say(text: string): void {
      if (world.isDeaf) {
        world.unheard += 1;
        return;
      }
      said.push(text);
      setImmediate(() => listeners.forEach(({ heard }) => heard(text)));
    },
    /** What is connected is connected again, and who holds a name loses it. */
    failOver(): void {
      for (const owner of owners.splice(0)) owner.cutOff();
      for (const { opened } of listeners) opened();
    },
    channel: {
      nextTenure: async (): Promise<number> => (world.tenures += 1),
      tell: (text: string): void => world.say(text),
      listen(heard: (text: string) => void, opened: () => void) {
        const listener = { heard, opened };
        listeners.add(listener);
        setImmediate(opened);
        return () => void listeners.delete(listener);
      },
    } satisfies ProjectorChannel,
    async append(count: number): Promise<void> {
      for (let n = 0; n < count; n += 1) {
        await store.append('recording-1', [plainFact(`${version}`)], version);
        version += 1;
      }
    },
  };
  return world;
}

function start(t: TestContext, world: World, changed: Partial<SharedProjectionsOptions> = {}) {
  const { store, channel } = world;
  // A node that was cut off connects again.
  const owner = () => {
    const present = world.locks.node();
    world.owners.push(present);
    return present;
  };
  let own = owner();
  const runner = startSharedProjections({
    store,
    channel,
    name: 'projector',
    ownership: {
      claim(name, signal) {
        if (!world.owners.includes(own)) own = owner();
        return own.claim(name, signal);
      },
    },
    storage: () => fenced(world.rows),
    projections: [counter],
    before: async () => {},
    onStopped() {},
    onListenerError(error) {
      throw error;
    },
    onProjector() {},
    onFailure() {},
    times,
    ...changed,
  });
  t.after(() => runner.stop());
  return runner;
}

/** Writes behind its own checkpoints only, as the storage in PostgreSQL does. */
function fenced(rows: ProjectionStorage): ProjectionStorage {
  let known: Checkpoint | undefined;
  return {
    ...rows,
    async checkpoint(name) {
      return (known = await rows.checkpoint(name));
    },
    async commit(name, checkpoint, changes) {
      const present = (await rows.checkpoint(name))?.position;
      if (present !== known?.position && present !== checkpoint.position) throw new RowsTaken();
      await rows.commit(name, checkpoint, changes);
      known = checkpoint;
    },
  };
}

const counter: Projection = {
  name: 'counter',
  version: 1,
  keys: () => ['count'],
  apply(rows) {
    rows.set('count', (rows.get<number>('count') ?? 0) + 1);
  },
};
