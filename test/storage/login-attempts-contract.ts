import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import type { LoginAttempts } from '../../src/storage/login-attempts.ts';

/**
 * What every memory of attempts to log in must hold to.
 * @param make an empty one
 */
export function loginAttemptsContract(
  name: string,
  make: (test: TestContext) => Promise<LoginAttempts>,
): void {
  const [one, other] = [
    { kind: 'pair' as const, name: 'anna\0 at 192.0.2.1' },
    { kind: 'address' as const, name: 'anna\0 at 192.0.2.1' },
  ];
  describe(`Attempts to log in, in ${name},`, () => {
    it('are remembered by kind and name, replaced and forgotten', async (t) => {
      const attempts = await make(t);
      const remembered = async () =>
        await attempts.change([one, other], (before) => ({ remember: before, result: before }));
      assert.deepEqual(await remembered(), [undefined, undefined]);
      const state = { failures: 3, 'last "\u00e9': [1.5, null] };
      await attempts.change([one], () => ({ remember: [state], result: null }));
      assert.deepEqual(await remembered(), [state, undefined]);
      await attempts.change([other, one], () => ({ remember: [{ n: 1 }, state], result: null }));
      assert.deepEqual(await remembered(), [state, { n: 1 }]);
      await attempts.sweep();
      assert.deepEqual(await remembered(), [state, { n: 1 }], 'what is not over stays');
      await attempts.change([one, other], () => ({ remember: [null, { n: 2 }], result: null }));
      assert.deepEqual(await remembered(), [undefined, { n: 2 }]);
    });

    it('are counted each, also when they come at once', async (t) => {
      const attempts = await make(t);
      const count = async (): Promise<number> =>
        await attempts.change([one], ([before]) => {
          const n = ((before as { n: number } | undefined)?.n ?? 0) + 1;
          return { remember: [{ n }], result: n };
        });
      const counts = await Promise.all(Array.from({ length: 20 }, count));
      assert.deepEqual(
        counts.toSorted((a, b) => a - b),
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
    });

    it('are judged by a time that goes on, and a failure to judge changes nothing', async (t) => {
      const attempts = await make(t);
      const now = () =>
        attempts.change([one], (_, time) => ({ remember: [{ n: 1 }], result: time }));
      const first = await now();
      assert.ok(first > Date.UTC(2026, 0, 1));
      assert.ok((await now()) >= first);
      const failing = attempts.change([one], () => {
        throw new RangeError('mine');
      });
      await assert.rejects(failing, RangeError);
      const found = await attempts.change([one], (before) => ({
        remember: before,
        result: before,
      }));
      assert.deepEqual(found, [{ n: 1 }]);
    });
  });
}
