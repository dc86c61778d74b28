import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { rowsOf } from '../support/memory-projection-storage.ts';

/**
 * What every storage of rows must hold to.
 * @param makeStorage an empty one, released when the test is over
 */
export function projectionStorageContract(
  name: string,
  makeStorage: (test: TestContext) => Promise<ProjectionStorage>,
): void {
  const check = (title: string, run: (storage: ProjectionStorage) => Promise<void>): void => {
    it(title, async (t) => run(await makeStorage(t)));
  };

  describe(`${name} keeps rows`, () => {
    check('and the checkpoint together, replaced and deleted', async (storage) => {
      const text = 'Grüße "\\" \u0000 \ud83d\ude00 \ud800';
      const first = new Map<string, unknown>([
        ['k', { text }],
        ['gone', 1],
        ['changed', [1]],
      ]);
      await storage.commit('a', { version: 2, position: 7 }, first);
      const second = new Map<string, unknown>([
        ['gone', undefined],
        ['null', null],
        ['changed', [2]],
        ['never', undefined],
      ]);
      await storage.commit('a', { version: 2, position: 2 ** 40 }, second);
      assert.deepEqual(await storage.checkpoint('a'), { version: 2, position: 2 ** 40 });
      assert.equal(await storage.checkpoint('b'), undefined);
      const asked = ['k', 'gone', 'null', 'never', 'changed', 'k'];
      const expected = [{ text }, undefined, null, undefined, [2], { text }];
      assert.deepEqual(await storage.getMany('a', asked), expected);
      assert.deepEqual(await storage.getMany('a', []), []);
      assert.deepEqual(await storage.get('a', 'k'), { text });
      assert.equal(await storage.get('b', 'k'), undefined);
    });

    check('as they were when a commit fails', async (storage) => {
      await storage.commit('a', { version: 1, position: 1 }, new Map([['k', 1]]));
      const failing = new Map<string, unknown>([
        ['k', 2],
        ['no JSON', 1n],
      ]);
      await assert.rejects(storage.commit('a', { version: 1, position: 2 }, failing));
      assert.deepEqual(await storage.checkpoint('a'), { version: 1, position: 1 });
      assert.deepEqual(await rowsOf(storage, 'a'), { k: 1 });
    });

    check('in the order of their bytes, within bounds, in both directions', async (storage) => {
      const keys = ['a/1', 'a/2', 'a/Z', 'a/a', 'a/é', 'a/\uffee', 'a/\u{1f600}', 'b/1'];
      const rows = new Map(keys.toReversed().map((key) => [key, key]));
      await storage.commit('p', { version: 1, position: 1 }, rows);
      await storage.commit('p-2', { version: 1, position: 1 }, new Map([['a/other', 1]]));
      const read = async (options: RangeOptions) => {
        const found: string[] = [];
        for await (const [key] of storage.range('p', options)) found.push(key);
        return found;
      };
      assert.deepEqual(await read({ gte: 'a/', lt: 'a0' }), keys.slice(0, 7));
      const last = { gte: 'a/', lt: 'a0', reverse: true, limit: 2 };
      assert.deepEqual(await read(last), ['a/\u{1f600}', 'a/\uffee']);
      assert.deepEqual(await read({ gte: 'a/2', lt: 'b/1', limit: 1 }), ['a/2']);
      assert.deepEqual(await read({ gte: 'a/', lt: 'a0', limit: 0 }), []);
      assert.deepEqual(await read({ gte: 'c', lt: 'd' }), []);
    });

    check('and hands out long ranges without gaps or doubles', async (storage) => {
      const keys = Array.from({ length: 601 }, (_, index) => `k/${String(index).padStart(4, '0')}`);
      await storage.commit('p', { version: 1, position: 1 }, new Map(keys.map((key) => [key, 1])));
      const all = { gte: 'k/', lt: 'k0' };
      for (const [options, expected] of [
        [all, keys],
        [{ ...all, reverse: true }, keys.toReversed()],
        [{ ...all, reverse: true, limit: 400 }, keys.toReversed().slice(0, 400)],
        [{ ...all, limit: 201 }, keys.slice(0, 201)],
      ] as const) {
        const found: string[] = [];
        for await (const [key] of storage.range('p', options)) found.push(key);
        assert.deepEqual(found, expected);
      }
    });

    check('until they are removed or all cleared, and those of others', async (storage) => {
      for (const name of ['a', 'a-2', 'b']) {
        const rows = new Map(['k', 'l/m', 'l/n'].map((key) => [key, name]));
        await storage.commit(name, { version: 1, position: 1 }, rows);
      }
      await storage.remove('b', { gte: 'l/', lt: 'l/n' });
      await storage.clear('a');
      assert.deepEqual(await rowsOf(storage, 'a'), {});
      assert.equal(await storage.checkpoint('a'), undefined);
      assert.deepEqual(await rowsOf(storage, 'a-2'), { k: 'a-2', 'l/m': 'a-2', 'l/n': 'a-2' });
      assert.deepEqual(await rowsOf(storage, 'b'), { k: 'b', 'l/n': 'b' });
      assert.deepEqual(await storage.checkpoint('b'), { version: 1, position: 1 });
    });
  });
}

type RangeOptions = { gte: string; lt: string; reverse?: boolean; limit?: number };
