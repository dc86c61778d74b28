import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import type { TicketRows } from '../../src/storage/ticket-rows.ts';
import { eventually } from '../support/eventually.ts';

/**
 * What every place for tickets must hold to.
 * @param make an empty one for so many
 */
export function ticketRowsContract(
  name: string,
  make: (test: TestContext, max: number) => Promise<TicketRows>,
): void {
  const [a, b] = [
    { session_id: 's', recording_id: 'a' },
    { session_id: 't', recording_id: 'b' },
  ];
  describe(`Tickets in ${name}`, () => {
    it('are kept until they are over, and prolonged', async (t) => {
      const rows = await make(t, 10);
      await rows.put('one', a, 60_000);
      await rows.put('other', b, 1);
      assert.deepEqual(await rows.get('one'), a);
      assert.equal(await rows.get('none'), undefined);
      await eventually('it is over', async () => (await rows.get('other')) === undefined);
      await rows.put('other', b, 60_000);
      assert.deepEqual(await rows.get('other'), b);
    });

    it('are a hundred of one session at most, and take no other session’s place', async (t) => {
      const rows = await make(t, 1000);
      await rows.put('other', b, 60_000);
      for (let at = 0; at < 103; at += 1) await rows.put(`a${at}`, a, 60_000 + at);
      const found = await Promise.all(
        ['other', 'a0', 'a2', 'a3', 'a102'].map((hash) => rows.get(hash)),
      );
      assert.deepEqual(found, [b, undefined, undefined, a, a]);
    });

    it('are never more than the limit: those go that would end first', async (t) => {
      const rows = await make(t, 3);
      const there = async () => {
        const names = ['1', '2', '3', '4', '5'];
        const found = await Promise.all(names.map((name) => rows.get(name)));
        return names.filter((_, n) => found[n] !== undefined).join('');
      };
      for (const [hash, after] of ['1', '12', '123', '234', '345'].entries()) {
        await rows.put(String(hash + 1), a, 60_000 + hash * 1000);
        assert.equal(await there(), after);
      }
      // One that is prolonged takes no other's place.
      await rows.put('3', b, 70_000);
      assert.equal(await there(), '345');
      await rows.put('1', a, 70_000);
      assert.equal(await there(), '135');
    });
  });
}
