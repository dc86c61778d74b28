import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import type { Kept, KeptKind } from '../../src/storage/kept.ts';
import { eventually } from '../support/eventually.ts';

type Value = { n: number; ends?: number; 'last "é'?: unknown };

const lasting: KeptKind<Value> = {
  name: 'lasting',
  endsAt: ({ ends }) => ends ?? null,
  volatileMax: null,
  keys: 'plain',
};
const named: KeptKind<Value> = { ...lasting, name: 'named', endsAt: () => null, keys: 'hashed' };
const passing: KeptKind<Value> = {
  name: 'passing',
  endsAt: ({ ends }, now) => ends ?? now + 60_000,
  volatileMax: 3,
  keys: 'hashed',
};

/**
 * What every store of small rows must hold to.
 * @param make an empty one, released when the test is over
 */
export function keptContract(name: string, make: (test: TestContext) => Promise<Kept>): void {
  describe(`${name} keeps small rows`, () => {
    for (const kind of [lasting, named, passing])
      it(`by kind and key, whole, until they are replaced or deleted (${kind.name})`, async (t) => {
        const kept = await make(t);
        const rows = kept.of(kind);
        const [one, other] = ['anna at 192.0.2.1', 'anna at 192.0.2.1/'];
        const whole = { n: 2 ** 41, 'last "é': [1.5, null, 'Grüße\0'] };
        const both = async () => [await rows.get(one), await rows.get(other)];
        assert.deepEqual(await both(), [undefined, undefined]);
        await rows.change([one], () => ({ keep: [{ n: 1 }], result: 0 }));
        await rows.change([other, one], () => ({ keep: [{ n: 2 }, whole], result: 0 }));
        assert.deepEqual(await both(), [whole, { n: 2 }]);
        assert.equal(await kept.of({ ...lasting, name: 'neighbour' }).get(one), undefined);
        assert.deepEqual(await kept.of(kind).get(one), whole, 'asked for twice they are the same');
        const changed = await rows.change([one, other], (before) => {
          assert.deepEqual(before, [whole, { n: 2 }]);
          return { keep: [undefined, { n: 3 }], result: 'given on' };
        });
        assert.equal(changed, 'given on');
        assert.deepEqual(await both(), [undefined, { n: 3 }]);
        await rows.change([other], () => ({ result: 0 }));
        await rows.delete([one]);
        assert.deepEqual(await both(), [undefined, { n: 3 }]);
        await rows.delete([one, other]);
        assert.deepEqual(await both(), [undefined, undefined]);
      });

    it('listed by what their key begins with, in its order, and no other kind’s', async (t) => {
      const kept = await make(t);
      const rows = kept.of(lasting);
      for (const key of ['b/2', 'a/z', 'b/1', 'b', 'bb/1'])
        await rows.change([key], () => ({ keep: [{ n: key.length }], result: 0 }));
      await kept
        .of({ ...lasting, name: 'lasting-too' })
        .change(['b/3'], () => ({ keep: [{ n: 1 }], result: 0 }));
      const keys = async (prefix: string) => (await rows.list(prefix)).map(({ key }) => key);
      assert.deepEqual(await keys(''), ['a/z', 'b', 'b/1', 'b/2', 'bb/1']);
      assert.deepEqual(await rows.list('b/'), [
        { key: 'b/1', value: { n: 3 } },
        { key: 'b/2', value: { n: 3 } },
      ]);
    });

    for (const kind of [lasting, passing])
      it(`until they end, by one clock, and a sweep takes what has ended (${kind.name})`, async (t) => {
        const kept = await make(t);
        const rows = kept.of(kind);
        const now = await rows.change(['one', 'other'], (_, at) => ({
          keep: [
            { n: 1, ends: at + 60_000 },
            { n: 2, ends: at + 1 },
          ],
          result: at,
        }));
        assert.ok(now > Date.UTC(2026, 0, 1));
        await eventually('it has ended', async () => (await rows.get('other')) === undefined);
        await rows.change(['other'], ([before]) => {
          assert.equal(before, undefined);
          return { result: 0 };
        });
        await kept.sweep();
        assert.equal((await rows.get('one'))?.n, 1);
        await rows.change(['other'], ([before], at) => {
          assert.equal(before, undefined);
          assert.ok(at >= now);
          return { keep: [{ n: 3, ends: at + 60_000 }], result: 0 };
        });
        assert.equal((await rows.get('other'))?.n, 3);
      });

    it('no more of those that need not last than the kind says, the oldest go', async (t) => {
      const kept = await make(t);
      const rows = kept.of(passing);
      const add = (key: string, n: number) =>
        rows.change([key], (_, now) => ({ keep: [{ n, ends: now + 60_000 + n }], result: 0 }));
      const left = async () => {
        await kept.sweep();
        const found = await Promise.all([1, 2, 3, 4, 5].map((n) => rows.get(`${n}`)));
        return found.map((value) => value?.n ?? '').join('');
      };
      for (let n = 1; n <= 4; n += 1) await add(`${n}`, n);
      assert.equal(await left(), '234');
      await add('2', 5);
      assert.equal(await left(), '534');
      await add('5', 6);
      assert.equal(await left(), '546');
    });

    it('and loses no change of many at once, nor brings back what is deleted meanwhile', async (t) => {
      const rows = (await make(t)).of(lasting);
      const count = () =>
        rows.change(['count'], ([before]) => {
          const n = (before?.n ?? 0) + 1;
          return { keep: [{ n }], result: n };
        });
      const counts = await Promise.all(Array.from({ length: 20 }, count));
      assert.deepEqual(
        counts.toSorted((a, b) => a - b),
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
      const use = () =>
        rows.change(['count'], ([before]) => ({
          keep: [before && { n: before.n + 1 }],
          result: 0,
        }));
      await Promise.all([use(), use(), rows.delete(['count']), use(), use()]);
      assert.equal(await rows.get('count'), undefined);
      const failing = rows.change(['count'], () => {
        throw new RangeError('mine');
      });
      await assert.rejects(failing, RangeError);
      assert.equal(await count(), 1);
    });
  });
}
