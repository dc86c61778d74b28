import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import { type LoggedFact, factTypes } from '../../events/facts/catalogue.ts';
import { type EventStore, EventStoreError, type EventStoreErrorCode } from '../../events/store.ts';
import { plainFact, type FactType, sampleFact } from '../support/sample-facts.ts';
import { subscribed } from '../support/subscribed.ts';

/** Makes an empty store for one test; what it needs is released when the test is over. */
export type MakeStore = (test: TestContext) => Promise<EventStore>;

/** What every event store must hold to, whoever keeps the facts. */
export function eventStoreContract(name: string, makeStore: MakeStore): void {
  const check = (title: string, run: (store: EventStore) => Promise<void>): void => {
    it(title, async (test) => run(await makeStore(test)));
  };

  describe(`${name} appends`, () => {
    check('facts of every type and gives back what a reader gets', async (store) => {
      const appended: LoggedFact[] = [];
      for (const [index, type] of factTypes.entries()) {
        appended.push(
          ...(await store.append('recording-1', [sampleFact(type as FactType)], index)),
        );
      }
      assert.deepEqual(await all(store.read('recording-1')), appended);
      assert.deepEqual(await all(store.readAll()), appended);
      for (const fact of appended) {
        const { data, content, by, command } = sampleFact(fact.type);
        assert.deepEqual(
          { data: fact.data, content: fact.content, by: fact.by, command: fact.command },
          { data, content, by, command },
        );
      }
    });

    check('all metadata, and the time the fact names', async (store) => {
      const metadata = {
        by: 'system',
        command: 'c',
        run: 2,
        attempt: 3,
        from: 'idle.new',
        to: 'recording',
        machine: 4,
        subject: 'S',
        at: '2020-02-02T02:02:02.002Z',
      };
      const offered = { type: 'recording.paused' as const, data: {}, ...metadata };
      const [fact] = await store.append('recording-1', [offered], 0);
      assert.ok(fact);
      const { id, position, stream, version, ...rest } = fact;
      assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
      assert.deepEqual(
        { position, stream, version },
        { position: 1, stream: 'recording-1', version: 1 },
      );
      assert.deepEqual(rest, offered);
    });

    check('dense versions in a stream and dense positions overall', async (store) => {
      await store.append('recording-a', [plainFact('1'), plainFact('2')], 0);
      await store.append('recording-b', [plainFact('3')], 0);
      await store.append('recording-a', [plainFact('4')], 2);
      const facts = await all(store.readAll());
      assert.deepEqual(
        facts.map(({ position, stream, version, command }) => [position, stream, version, command]),
        [
          [1, 'recording-a', 1, '1'],
          [2, 'recording-a', 2, '2'],
          [3, 'recording-b', 1, '3'],
          [4, 'recording-a', 3, '4'],
        ],
      );
      const ids = facts.map(({ id }) => id);
      assert.deepEqual(ids, [...ids].sort());
      assert.equal(new Set(ids).size, 4);
    });

    check('only what was decided on the version there is', async (store) => {
      await store.append('recording-1', [plainFact('1'), plainFact('2')], 0);
      for (const stale of [0, 1, 3]) {
        await rejects(store.append('recording-1', [plainFact('late')], stale), 'VERSION_CONFLICT');
      }
      await rejects(store.append('recording-2', [plainFact('early')], 1), 'VERSION_CONFLICT');
      assert.equal((await all(store.readAll())).length, 2);
    });

    check('one of 200 that compete for a version, and each in the end', async (store) => {
      let conflicts = 0;
      const persist = async (writer: number): Promise<void> => {
        for (let version = 0; ; version += 1) {
          try {
            await store.append('recording-1', [plainFact(`writer-${writer}`)], version);
            return;
          } catch (error) {
            assert.equal((error as EventStoreError).code, 'VERSION_CONFLICT');
            conflicts += 1;
          }
        }
      };
      await Promise.all(Array.from({ length: 200 }, (_, writer) => persist(writer)));
      const facts = await all(store.read('recording-1'));
      assert.deepEqual(
        facts.map(({ version }) => version),
        upTo(200),
      );
      assert.equal(new Set(facts.map(({ command }) => command)).size, 200);
      assert.ok(conflicts >= 199, `${conflicts} conflicts`);
    });

    check('200 that were decided on each other before any was durable', async (store) => {
      const appends = upTo(200).map((version) =>
        store.append('recording-1', [plainFact(`${version}`)], version - 1),
      );
      await Promise.all(appends);
      const facts = await all(store.read('recording-1'));
      assert.deepEqual(
        facts.map(({ command }) => Number(command)),
        upTo(200),
      );
    });

    check('nothing of a list of which one fact is wrong', async (store) => {
      const wrong = { ...sampleFact('stage.started'), data: { stage: 'dance' } };
      const list = [plainFact('1'), wrong as never];
      await rejects(store.append('recording-1', list, 0), 'INVALID_FACT');
      assert.deepEqual(await all(store.readAll()), []);
      const [fact] = await store.append('recording-1', [plainFact('1')], 0);
      assert.equal(fact?.position, 1);
    });

    const wrongs: [string, Record<string, unknown>][] = [
      ['of an unknown type', { type: 'recording.danced' }],
      ['of a type every object has', { type: 'constructor' }],
      ['without data', { data: undefined }],
      ['with content where none belongs', { content: { text: 'x' } }],
      ['with content of nobody', { ...sampleFact('summary.completed'), subject: undefined }],
      [
        'with content against its schema',
        { ...sampleFact('summary.completed'), content: { text: 1 } },
      ],
      ['by nobody', { by: '' }],
      ['without a command', { command: undefined }],
      ['with half an attempt', { attempt: 0.5 }],
      ['at no time', { at: 'yesterday' }],
      ['with a subject that is a path', { subject: '../config' }],
    ];
    for (const [what, change] of wrongs) {
      check(`no fact ${what}`, async (store) => {
        const fact = { ...plainFact('1'), ...change } as never;
        await rejects(store.append('recording-1', [fact], 0), 'INVALID_FACT');
        assert.deepEqual(await all(store.readAll()), []);
      });
    }

    check('nothing to a stream without a proper name, or at no version', async (store) => {
      for (const stream of ['', 'a!b', 'a/b', 'ä', 'x'.repeat(129)]) {
        await rejects(store.append(stream, [plainFact('1')], 0), 'INVALID_FACT');
      }
      await rejects(store.append('recording-1', [plainFact('1')], -1), 'INVALID_FACT');
      await rejects(store.append('recording-1', [plainFact('1')], Number.NaN), 'INVALID_FACT');
      await rejects(store.append('recording-1', [], 0), 'INVALID_FACT');
    });

    check('what a fact was when it was offered, and only what its schema names', async (store) => {
      const fact = { ...sampleFact('config.key_set'), data: { key: 'a', value: [1], more: 'x' } };
      const appending = store.append('config', [fact as never], 0);
      fact.data.value.push(2);
      await appending;
      const [stored] = await all(store.read('config'));
      assert.deepEqual(stored?.data, { key: 'a', value: [1] });
    });
  });

  describe(`${name} reads`, () => {
    check('parts of a stream, and nothing of one that is not there', async (store) => {
      await store.append(
        'recording-1',
        upTo(100).map((n) => plainFact(`${n}`)),
        0,
      );
      // A name that begins like the other's must not be mixed up with it.
      await store.append('recording-12', [plainFact('other')], 0);
      const versions = async (options: { afterVersion?: number; limit?: number }) =>
        (await all(store.read('recording-1', options))).map(({ version }) => version);
      assert.deepEqual(await versions({}), upTo(100));
      assert.deepEqual(await versions({ afterVersion: 98 }), [99, 100]);
      assert.deepEqual(await versions({ limit: 2 }), [1, 2]);
      assert.deepEqual(await versions({ afterVersion: 10, limit: 1 }), [11]);
      assert.deepEqual(await versions({ afterVersion: 100 }), []);
      assert.deepEqual(await versions({ limit: 0 }), []);
      assert.deepEqual(await all(store.read('recording-2')), []);
    });

    check('parts of the whole', async (store) => {
      await store.append(
        'recording-1',
        upTo(100).map((n) => plainFact(`${n}`)),
        0,
      );
      const positions = async (options: { afterPosition?: number; limit?: number }) =>
        (await all(store.readAll(options))).map(({ position }) => position);
      assert.deepEqual(await positions({}), upTo(100));
      assert.deepEqual(await positions({ afterPosition: 98 }), [99, 100]);
      assert.deepEqual(await positions({ limit: 2 }), [1, 2]);
      assert.deepEqual(await positions({ afterPosition: 100 }), []);
    });

    check('as often as asked, also when a reader stops early', async (store) => {
      await store.append(
        'recording-1',
        upTo(10).map((n) => plainFact(`${n}`)),
        0,
      );
      for await (const fact of store.readAll()) if (fact.position === 3) break;
      for await (const fact of store.read('recording-1')) if (fact.version === 3) break;
      assert.equal((await all(store.readAll())).length, 10);
    });
  });

  describe(`${name} tells subscribers`, () => {
    check('what was, then what comes, each once and in order', async (store) => {
      await store.append(
        'recording-1',
        upTo(50).map((n) => plainFact(`${n}`)),
        0,
      );
      const stop = new AbortController();
      const seen: number[] = [];
      const subscriber = (async () => {
        for await (const { position } of subscribed(store, {
          afterPosition: 5,
          signal: stop.signal,
        })) {
          seen.push(position);
          if (position === 150) stop.abort();
        }
      })();
      for (let version = 50; version < 150; version += 1) {
        await store.append('recording-1', [plainFact(`${version}`)], version);
      }
      await subscriber;
      assert.deepEqual(seen, upTo(150).slice(5));
    });

    check('the same without what was said, which is opened for who asks', async (store) => {
      await store.append('recording-1', [plainFact('1'), sampleFact('summary.completed')], 0);
      const stop = new AbortController();
      const followers = upTo(3).map(async () => {
        for await (const page of store.follow({ afterPosition: 0, signal: stop.signal })) {
          const last = page.at(-1)!;
          if (last.position === 2) return page;
        }
        throw new Error('not followed');
      });
      for (const page of await Promise.all(followers)) {
        assert.ok(page.every((fact) => !('content' in fact)));
        const facts = await all(store.readAll());
        assert.deepEqual(await store.opened(page), facts.slice(-page.length));
      }
      const again = await all(store.outlines({ afterPosition: 0, limit: 2 }));
      assert.deepEqual(
        again.flat().map((fact) => [fact.position, 'content' in fact]),
        [
          [1, false],
          [2, false],
        ],
      );
      assert.deepEqual(await all(store.outlines({ afterPosition: 2, limit: 9 })), []);
      const waiting = all(store.follow({ afterPosition: 2, signal: stop.signal }));
      stop.abort();
      assert.deepEqual(await waiting, []);
    });

    check('nothing after the signal, and ends those that wait', async (store) => {
      const stop = new AbortController();
      const waiting = all(subscribed(store, { afterPosition: 0, signal: stop.signal }));
      stop.abort();
      assert.deepEqual(await waiting, []);
      await store.append('recording-1', [plainFact('1')], 0);
      assert.deepEqual(await all(subscribed(store, { afterPosition: 0, signal: stop.signal })), []);
    });

    check('without waiting for one that does not read', async (store) => {
      const stop = new AbortController();
      const subscription = subscribed(store, { afterPosition: 0, signal: stop.signal });
      const slow = subscription[Symbol.asyncIterator]();
      const first = slow.next();
      for (let version = 0; version < 20; version += 1) {
        await store.append('recording-1', [plainFact(`${version}`)], version);
      }
      assert.equal((await first).value?.position, 1);
      assert.equal((await slow.next()).value?.position, 2);
      stop.abort();
      assert.equal((await slow.next()).done, true);
    });
  });

  describe(`${name} closes`, () => {
    check('when what it had taken is stored', async (store) => {
      const appending = upTo(5).map((n) => store.append(`recording-${n}`, [plainFact(`${n}`)], 0));
      const outcomes = Promise.allSettled(appending);
      // Whoever was promised nothing yet may be told CLOSED; nobody may be left without an answer.
      await store.close();
      for (const outcome of await outcomes) {
        if (outcome.status === 'fulfilled') assert.equal(outcome.value.length, 1);
        else assert.equal((outcome.reason as EventStoreError).code, 'CLOSED');
      }
    });

    check('after which it says so to everybody', async (store) => {
      await store.append('recording-1', [plainFact('1')], 0);
      const { signal } = new AbortController();
      const subscriber = subscribed(store, { afterPosition: 1, signal })[Symbol.asyncIterator]();
      const waiting = rejects(subscriber.next(), 'CLOSED');
      await store.close();
      await store.close();
      await waiting;
      await rejects(store.append('recording-1', [plainFact('2')], 1), 'CLOSED');
      await rejects(all(store.read('recording-1')), 'CLOSED');
      await rejects(all(store.readAll()), 'CLOSED');
    });
  });
}

/** All that comes. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Asserts that something fails with an error of the store's. */
export async function rejects(
  promise: Promise<unknown>,
  code: EventStoreErrorCode,
): Promise<EventStoreError> {
  let caught: unknown;
  await assert.rejects(promise, (error) => {
    caught = error;
    return true;
  });
  assert.ok(caught instanceof EventStoreError, String(caught));
  assert.equal(caught.code, code, caught.message);
  return caught;
}

/** 1, 2, …, last */
export const upTo = (last: number): number[] =>
  Array.from({ length: last }, (_, index) => index + 1);
