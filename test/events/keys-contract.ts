import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import { KeyError, type KeyErrorCode, type KeyStore } from '../../events/key-store.ts';
import { tempDir } from '../support/temp-dir.ts';

/**
 * What every store of keys must hold to.
 * @param makeStore an empty one: what opens it, each time as after a restart
 */
export function keysContract(
  name: string,
  makeStore: (test: TestContext, directory: string) => Promise<() => Promise<KeyStore>>,
): void {
  const check = (title: string, run: (open: () => Promise<KeyStore>) => Promise<void>): void => {
    it(title, async (test) => run(await makeStore(test, await tempDir(test))));
  };

  describe(`${name} keep keys that`, () => {
    check('are made once, differ, and are there after a restart', async (open) => {
      const keys = await open();
      const made = await Promise.all(Array.from({ length: 10 }, () => keys.obtain('R1')));
      for (const key of made) assert.deepEqual(key, made[0]);
      assert.equal(made[0]?.length, 32);
      assert.notDeepEqual(await keys.obtain('R2'), made[0]);
      const again = await open();
      assert.deepEqual(await again.find('R1'), made[0]);
      assert.deepEqual(await again.obtain('R1'), made[0]);
    });

    check('are gone for good once forgotten, and listed', async (open) => {
      const keys = await open();
      await keys.obtain('R1');
      await keys.forget('R1');
      await keys.forget('R1');
      await keys.forget('never-known');
      for (const opened of [keys, await open()]) {
        assert.equal(opened.isErased('R1'), true);
        assert.equal(opened.isErased('R2'), false);
        assert.equal(await opened.find('R1'), 'erased');
        await failsWith(opened.obtain('R1'), 'ERASED');
        const subjects = (await opened.erasures()).map(({ subject }) => subject);
        assert.deepEqual(subjects.toSorted(), ['R1', 'never-known']);
      }
    });

    check('are missing, not erased, when somebody took them away', async (open) => {
      const keys = await open();
      await failsWith(keys.find('R1'), 'MISSING');
      await failsWith(
        keys.obtain('R1', async () => false),
        'MISSING',
      );
    });

    check('are never named so that they could lie elsewhere', async (open) => {
      const keys = await open();
      for (const subject of ['', '..', '../x', 'a/b', 'erased.jsonl', 'a\0', 'x'.repeat(129)]) {
        await assert.rejects(keys.obtain(subject), TypeError);
        await assert.rejects(keys.find(subject), TypeError);
        await assert.rejects(keys.forget(subject), TypeError);
      }
    });

    check('are not made while they are being forgotten', async (open) => {
      const keys = await open();
      const key = Buffer.from(await keys.obtain('R1'));
      const forgetting = keys.forget('R1');
      const results = await Promise.allSettled(Array.from({ length: 5 }, () => keys.obtain('R1')));
      await forgetting;
      // Each got the key as it was, or was refused; none got another.
      for (const result of results) {
        if (result.status === 'fulfilled') assert.deepEqual(result.value, key);
        else assert.equal((result.reason as KeyError).code, 'ERASED');
      }
      await failsWith(keys.obtain('R1'), 'ERASED');
      assert.equal(await keys.find('R1'), 'erased');
    });
  });
}

/** Waits for a failure about a key. */
export async function failsWith(promise: Promise<unknown>, code: KeyErrorCode): Promise<KeyError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof KeyError, String(error));
  assert.equal(error.code, code);
  return error;
}
