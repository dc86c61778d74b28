import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Aggregate,
  type CommandHandlerOptions,
  type Decision,
  commandHandler,
  type Refusal,
  isRefusal,
} from '../../events/command-handler.ts';
import type { ConfigFact, LoggedFact } from '../../events/facts/catalogue.ts';
import type { WriteHook } from '../../events/log/database.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import { memoryStore } from '../support/memory-store.ts';
import { seeded, seeds } from '../support/seeded.ts';
import { tempLog } from '../support/temp-log.ts';
import { all, rejects, upTo } from './store-contract.ts';

/** What a stream counted to. Every fact says the number it counted to, so that a lost or doubled one shows. */
const counter: Aggregate<number, ConfigFact, Refusal<'odd'>> = {
  initial: () => 0,
  evolve: (_count, fact) => (fact as ConfigFact & { data: { value: number } }).data.value,
  accept: (count, _version, facts, metadata) =>
    facts.some(({ data }) => data.key === 'odd') && count % 2 === 1
      ? { refused: 'odd', said: { code: `odd-${count}` } }
      : facts.map((fact) => ({ ...fact, ...metadata })),
};
const counted = (value: number, key = 'count'): ConfigFact => ({
  type: 'config.key_set',
  data: { key, value },
});
const countOn = (count: number): Decision<ConfigFact, never> => [counted(count + 1)];
const handlerOn = (
  store: EventStore,
  options: Partial<CommandHandlerOptions<number, ConfigFact>> = {},
) => commandHandler(store, counter, { waitingMax: 1000, streamsMax: 10, ...options });
const anna = (command: string) => ({ by: 'anna', command });

/** A store that counts how often its streams are read. */
function countingStore(store: EventStore): EventStore & { reads: () => number } {
  let reads = 0;
  return {
    ...store,
    reads: () => reads,
    read(...question) {
      reads += 1;
      return store.read(...question);
    },
  };
}

describe('A command', () => {
  it('is decided on what is there, and stored with who wanted it', async () => {
    const store = memoryStore();
    const { handle, read } = handlerOn(store);
    const first = await handle('config', anna('1'), countOn);
    assert.ok(!isRefusal(first));
    await handle('config', { ...anna('2'), run: 3, attempt: 4 }, (count) => [
      counted(count + 1),
      counted(count + 2),
    ]);
    const facts = await all(store.read('config'));
    assert.deepEqual(facts[0], first[0]);
    assert.deepEqual(
      facts.map(({ data, by, command, run, attempt }) => [data, by, command, run, attempt]),
      [
        [{ key: 'count', value: 1 }, 'anna', '1', undefined, undefined],
        [{ key: 'count', value: 2 }, 'anna', '2', 3, 4],
        [{ key: 'count', value: 3 }, 'anna', '2', 3, 4],
      ],
    );
    const both = (...stateAndVersion: [number, number]) => stateAndVersion;
    assert.deepEqual(await read('config', both), [3, 3]);
    assert.deepEqual(await read('other', both), [0, 0]);
  });

  it('reads its stream once, however many follow', async () => {
    const store = countingStore(memoryStore());
    const { handle } = handlerOn(store);
    for (const n of upTo(50)) await handle('config', anna(`${n}`), countOn);
    assert.equal(store.reads(), 1);
    const restarted = handlerOn(store);
    await restarted.handle('config', anna('51'), countOn);
    assert.equal(store.reads(), 2);
  });

  it('that is repeated gets the first answer, at once, later and after a restart', async () => {
    const store = memoryStore();
    const handler = handlerOn(store);
    const [first, again] = await Promise.all([
      handler.handle('config', anna('same'), countOn),
      handler.handle('config', anna('same'), countOn),
    ]);
    assert.deepEqual(again, first);
    for (const one of [handler, handlerOn(store)]) {
      assert.deepEqual(await one.handle('config', anna('same'), countOn), first);
    }
    assert.equal((await all(store.read('config'))).length, 1);
  });

  it('of a person is remembered however much the service itself appends', async () => {
    const store = memoryStore();
    const { handle } = handlerOn(store);
    const first = await handle('config', anna('same'), countOn);
    for (const n of upTo(1500)) await handle('config', { by: 'system', command: `${n}` }, countOn);
    assert.deepEqual(await handle('config', anna('same'), countOn), first);
  });

  it('that changes nothing appends nothing; a refused one neither', async () => {
    const store = memoryStore();
    const { handle } = handlerOn(store);
    assert.deepEqual(await handle('config', anna('1'), () => []), []);
    const refusal = { refused: 'never', said: { code: 'never' } } as const;
    assert.deepEqual(await handle('config', anna('2'), () => refusal), refusal);
    await handle('config', anna('3'), countOn);
    const odd = await handle('config', anna('4'), (count) => [counted(count + 1, 'odd')]);
    assert.deepEqual(odd, { refused: 'odd', said: { code: 'odd-1' } });
    assert.equal((await all(store.read('config'))).length, 1);
  });

  it('is refused on the newest state only, also when another process has appended', async () => {
    const store = memoryStore();
    const here = handlerOn(store);
    const refuseFirst = (count: number) =>
      count < 2 ? ({ refused: 'too-few', said: { code: 'too-few' } } as const) : countOn(count);
    await here.handle('config', anna('1'), countOn);
    await handlerOn(store).handle('config', anna('2'), countOn);
    const stored = await here.handle('config', anna('3'), refuseFirst);
    assert.ok(!isRefusal(stored));
    assert.deepEqual(stored[0]?.data, { key: 'count', value: 3 });
  });

  it('waits for the ones before it on the same stream, and for no other stream', async () => {
    const store = memoryStore();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const { handle, settled } = handlerOn(store, {
      waitingMax: 2,
      beforeAppend: (stream) => (stream === 'config' ? held : Promise.resolve()),
    });
    const waiting = upTo(3).map((n) => handle('config', anna(`${n}`), countOn));
    await rejects(handle('config', anna('4'), countOn), 'BUSY');
    await handle('users', anna('5'), countOn);
    let hasSettled = false;
    const settling = settled('config').then(() => (hasSettled = true));
    await settled('users');
    assert.equal(hasSettled, false);
    letGo();
    await settling;
    assert.equal((await all(store.read('config'))).length, 3);
    await Promise.all(waiting);
    assert.equal((await all(store.read('config'))).length, 3);
  });

  it('is not stored when what it promises could not be noted', async () => {
    const store = memoryStore();
    const { handle } = handlerOn(store, {
      beforeAppend: () => Promise.reject(new Error('no room')),
    });
    await assert.rejects(handle('config', anna('1'), countOn), /no room/);
    assert.deepEqual(await all(store.read('config')), []);
  });

  it('is given up when the stream changes at every try', async () => {
    const store = memoryStore();
    const inner = handlerOn(store);
    let tries = 0;
    const { handle } = handlerOn(store, {
      async beforeAppend() {
        tries += 1;
        await inner.handle('config', anna(`meanwhile ${tries}`), countOn);
      },
    });
    const error = await rejects(handle('config', anna('1'), countOn), 'BUSY');
    assert.match(error.message, /changed 5 times/);
    assert.equal((await all(store.read('config'))).length, tries);
  });

  it('is seen by all who read on after it, by one reading, however many they are', async () => {
    const store = countingStore(memoryStore());
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const { handle, readOn, read } = handlerOn(store, { waitingMax: 2, beforeAppend: () => held });
    const command = handle('config', anna('1'), countOn);
    const readers = upTo(100).map(() => readOn('config'));
    letGo();
    await Promise.all([command, ...readers]);
    assert.equal(store.reads(), 2, 'by the command, and for the readers');
    assert.equal(await read('config', (count) => count), 1);
  });

  it('is taken in by a reading that begins after it, not by one that had begun', async () => {
    const inner = memoryStore();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const slow: EventStore = {
      ...inner,
      async *read(...question) {
        yield* inner.read(...question);
        await held;
      },
    };
    const seen: number[] = [];
    const { readOn } = handlerOn(slow, { onFact: (_, count) => seen.push(count) });
    const early = readOn('config');
    await new Promise(setImmediate);
    await handlerOn(inner).handle('config', anna('1'), countOn);
    const late = readOn('config');
    letGo();
    await Promise.all([early, late]);
    assert.deepEqual(seen, [1]);
  });

  it('whose outcome is unknown stays so while the log is away, and is found when it is back', async () => {
    for (const code of ['BUSY', 'DISK_FULL'] as const) {
      const store = memoryStore();
      let appends = 0;
      const { handle } = handlerOn({
        ...store,
        async append() {
          appends += 1;
          if (appends > 1) throw new EventStoreError(code, 'it is away');
          throw new EventStoreError('OUTCOME_UNKNOWN', 'it went away');
        },
      });
      await rejects(handle('config', anna('1'), countOn), 'OUTCOME_UNKNOWN');
      assert.equal(appends, 2);
      const stored = await handlerOn(store).handle('config', anna('1'), countOn);
      assert.deepEqual(await handle('config', anna('1'), countOn), stored);
    }
  });

  it('notifies of every fact in order, whoever appended it', async () => {
    const store = memoryStore();
    const seen: [number, number][] = [];
    const here = handlerOn(store, { onFact: (fact, count) => seen.push([fact.version, count]) });
    await here.handle('config', anna('1'), countOn);
    await handlerOn(store).handle('config', anna('2'), countOn);
    await here.handle('config', anna('3'), countOn);
    assert.deepEqual(
      seen,
      upTo(3).map((n) => [n, n]),
    );
  });

  it('reads again what was dropped from memory', async () => {
    const store = countingStore(memoryStore());
    const handler = handlerOn(store, { streamsMax: 2 });
    for (const n of upTo(3)) await handler.handle(`recording-${n}`, anna(`${n}`), countOn);
    await handler.handle('recording-1', anna('again'), countOn);
    assert.equal(await handler.read('recording-1', (count) => count), 2);
  });

  it('weighs a stream anew when it has grown, and drops what is too much then', async () => {
    const taken: string[] = [];
    const onFact = ({ stream }: { stream: string }) => void taken.push(stream);
    const handler = handlerOn(memoryStore(), { sizeMax: 5, sizeOf: () => 1, onFact });
    const commands = ['recording-1', 'recording-2', 'recording-2', 'recording-2'];
    for (const [n, stream] of commands.entries())
      await handler.handle(stream, anna(`${n}`), countOn);
    assert.equal(await handler.read('recording-1', (count) => count), 1);
    assert.deepEqual(taken, [...commands, 'recording-1'], 'it was dropped, and is read again');
  });

  it('keeps a stream that alone is larger than all it keeps', async () => {
    const taken: string[] = [];
    const onFact = ({ stream }: { stream: string }) => void taken.push(stream);
    const handler = handlerOn(memoryStore(), { sizeMax: 5, sizeOf: () => 20, onFact });
    await handler.handle('recording-1', anna('1'), countOn);
    await handler.handle('recording-1', anna('2'), countOn);
    assert.equal(await handler.read('recording-1', (count) => count), 2);
    assert.deepEqual(taken, ['recording-1', 'recording-1'], 'each fact is taken in once');
  });
});

describe('Many commands at once, from two processes, on a disk that fails now and then,', () => {
  for (const seed of seeds({ short: 6, long: 200 })) {
    it(`are each stored once or not at all, decided on all before them (SEED=${seed})`, async (test) => {
      const random = seeded(seed);
      const disk = failingDisk(random);
      const log = await (await tempLog(test)).open({ write: disk.write });
      disk.begin();
      const processes = [handlerOn(log), handlerOn(log, { streamsMax: 1 })];
      const answers = new Map<string, readonly LoggedFact[]>();
      const work = Array.from({ length: 60 }, async (_, n) => {
        const stream = `recording-${random.below(3)}`;
        const command = `c${random.below(40)}`;
        const { handle } = random.pick(processes);
        for (let wait = random.below(20); wait > 0; wait -= 1) await tick();
        try {
          const stored = await handle(stream, { by: n % 2 ? 'anna' : 'system', command }, countOn);
          assert.ok(!isRefusal(stored));
          answers.set(`${stream} ${command} ${n % 2}`, stored);
        } catch (error) {
          if (!(error instanceof EventStoreError && error.retriable)) throw error;
        }
      });
      await Promise.all(work);
      await log.usable();
      for (const n of [0, 1, 2]) {
        const facts = await all(log.read(`recording-${n}`));
        const values = facts.map(({ data }) => (data as unknown as { value: number }).value);
        assert.deepEqual(values, upTo(facts.length), 'each counts on from the one before');
        const ids = facts.map(({ by, command }) => `${by} ${command}`);
        assert.equal(new Set(ids).size, ids.length, 'no command was stored twice');
      }
      for (const [asked, stored] of answers) {
        const [stream, command] = asked.split(' ');
        const inLog = (await all(log.read(stream!))).filter(({ id }) => id === stored[0]?.id);
        assert.deepEqual([inLog.length, inLog[0]?.command], [1, command]);
      }
    });
  }
});

/** From `begin` on it fails one write in six: before anything is on the disk, or after everything is. */
function failingDisk(random: ReturnType<typeof seeded>): { write: WriteHook; begin(): void } {
  let hasBegun = false;
  return {
    begin: () => (hasBegun = true),
    async write(write) {
      const fails = hasBegun && random.chance(1 / 6);
      if (fails && random.chance(0.5)) throw new Error('EIO: the disk refused');
      await write();
      if (fails) throw new Error('EIO: the sync failed');
    },
  };
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
