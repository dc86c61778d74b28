import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import type { Ownership } from '../../events/ownership.ts';

/** Two processes on one log, or two parts of one. */
export type Owners = {
  one: Ownership;
  other: Ownership;
  /** Takes from `one` all that it holds, as when its process is cut off; absent where that cannot be. */
  lose?(): Promise<void>;
};

/** What every ownership must hold to. */
export function ownershipContract(
  name: string,
  make: (test: TestContext) => Promise<Owners>,
  { canBeLost }: { canBeLost: boolean },
): void {
  const { signal } = new AbortController();
  const check = (title: string, run: (owners: Owners) => Promise<void>): void => {
    it(title, async (test) => run(await make(test)));
  };

  describe(`${name} grants a name`, () => {
    check('to one at a time, and another name to another', async ({ one, other }) => {
      const held = await one.claim('recording:a', signal);
      assert.ok(held);
      assert.equal(await other.claim('recording:a', signal), null);
      assert.equal(await one.claim('recording:a', signal), null);
      assert.ok(await other.claim('recording:b', signal));
      assert.equal(held.lost.aborted, false);
    });

    check('to one of a hundred that ask at once', async ({ one, other }) => {
      const claims = Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? one : other).claim('projector', signal),
      );
      const granted = (await Promise.all(claims)).filter((held) => held !== null);
      assert.equal(granted.length, 1);
    });

    check('again as soon as it was given back, which is no loss', async ({ one, other }) => {
      const first = (await one.claim('recording:a', signal))!;
      await first.release();
      assert.equal(first.lost.aborted, false);
      const second = await other.claim('recording:a', signal);
      assert.ok(second);
      // Given back once more: that is another's now.
      await first.release();
      assert.equal(await one.claim('recording:a', signal), null);
      await second.release();
      assert.ok(await one.claim('recording:a', signal));
    });

    check('to no one who has given up', async ({ one, other }) => {
      const gone = AbortSignal.abort(new Error('not wanted any more'));
      await assert.rejects(one.claim('recording:a', gone), /not wanted any more/);
      assert.ok(await other.claim('recording:a', signal));
    });
  });

  describe(`${name} says of names`, () => {
    check('which of them none holds, and for how long', async ({ one, other }) => {
      const names = ['recording:a', 'recording:b'];
      const held = (await one.claim('recording:a', signal))!;
      assert.deepEqual([...(await other.freeFor(names)).keys()], ['recording:b']);
      await held.release();
      const first = (await other.freeFor(names)).get('recording:a')!;
      // By whichever process it was found free.
      let then = first;
      while (then < Math.min(1, first + 1)) then = (await one.freeFor(names)).get('recording:a')!;
      // What was held since is free from when it is found again.
      await (await one.claim('recording:a', signal))!.release();
      if (first < Infinity) assert.ok((await other.freeFor(names)).get('recording:a')! < then);
      assert.deepEqual([...(await one.freeFor([])).keys()], []);
    });
  });

  if (!canBeLost) return;
  describe(`${name} takes a name away`, () => {
    check('and says so before another has it', async ({ one, other, lose }) => {
      const held = (await one.claim('recording:a', signal))!;
      await lose!();
      let next = await other.claim('recording:a', signal);
      while (next === null) {
        await new Promise((resolve) => setImmediate(resolve));
        next = await other.claim('recording:a', signal);
      }
      assert.equal(held.lost.aborted, true);
      // What is lost cannot be given back.
      await held.release();
      assert.equal(await one.claim('recording:a', signal).catch(() => null), null);
      assert.equal(next.lost.aborted, false);
    });
  });
}
