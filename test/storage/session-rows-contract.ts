import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, describe, it } from 'node:test';
import type { SessionRows } from '../../src/storage/session-rows.ts';

/**
 * What every store of sessions must hold to.
 * @param makeRows an empty one, released when the test is over
 */
export function sessionRowsContract(
  name: string,
  makeRows: (test: TestContext) => Promise<SessionRows>,
): void {
  const check = (title: string, run: (rows: SessionRows) => Promise<void>): void => {
    it(title, async (t) => run(await makeRows(t)));
  };

  describe(`${name} keeps sessions`, () => {
    check('by hash, whole, until they are replaced or deleted', async (rows) => {
      const whole = {
        ...session('anna', 2 ** 41),
        seen_at: 5,
        agent: 'Grüße/1 "x"',
        users_version: 3,
      };
      await rows.put(hashOf('one'), session('anna', 10));
      await rows.put(hashOf('one'), whole);
      await rows.put(hashOf('two'), session('bert', 20));
      assert.deepEqual(await rows.get(hashOf('one')), whole);
      assert.deepEqual(await rows.get(hashOf('two')), session('bert', 20));
      assert.equal(await rows.get(hashOf('three')), undefined);
      const all = [
        { id: hashOf('one'), row: whole },
        { id: hashOf('two'), row: session('bert', 20) },
      ];
      assert.deepEqual(
        await rows.all(),
        all.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      );
      await rows.delete(hashOf('one'));
      await rows.delete(hashOf('one'));
      assert.equal(await rows.get(hashOf('one')), undefined);
    });

    check('moved on by use, but not back into being', async (rows) => {
      await rows.put(hashOf('one'), session('anna', 10));
      const moved = { ...session('anna', 20), seen_at: 5 };
      assert.deepEqual(await rows.move(hashOf('one'), { expires_at: 20, seen_at: 5 }), moved);
      assert.deepEqual(await rows.get(hashOf('one')), moved);
      await rows.delete(hashOf('one'));
      assert.equal(await rows.move(hashOf('one'), { expires_at: 30, seen_at: 6 }), undefined);
      assert.equal(await rows.get(hashOf('one')), undefined);
    });

    check('of a user until all of them end, and of nobody else', async (rows) => {
      for (const token of ['a1', 'a2', 'a3']) await rows.put(hashOf(token), session('anna', 10));
      await rows.put(hashOf('b1'), session('bert', 10));
      const gone = await rows.deleteOf('anna');
      assert.deepEqual(gone.toSorted(), ['a1', 'a2', 'a3'].map(hashOf).toSorted());
      assert.equal(await rows.get(hashOf('a2')), undefined);
      assert.deepEqual(await rows.get(hashOf('b1')), session('bert', 10));
      assert.deepEqual(await rows.deleteOf('nobody'), []);
    });

    check('until a sweep finds them over', async (rows) => {
      for (const expires of [9, 10, 11]) {
        await rows.put(hashOf(`${expires}`), session('anna', expires));
      }
      await rows.sweep(10);
      assert.deepEqual(await rows.all(), [{ id: hashOf('11'), row: session('anna', 11) }]);
    });

    check('by nothing but a hash: a token itself never reaches it', async (rows) => {
      for (const wrong of ['token', '', hashOf('x').toUpperCase(), `${hashOf('x')}0`]) {
        await assert.rejects(rows.put(wrong, session('anna', 1)), TypeError);
        await assert.rejects(rows.get(wrong), TypeError);
        await assert.rejects(rows.delete(wrong), TypeError);
      }
    });
  });
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const session = (user_id: string, expires_at: number) => ({ user_id, created_at: 1, expires_at });
